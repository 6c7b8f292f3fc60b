package tasks

import (
	"regexp"
	"strconv"
	"strings"
)

// All four servers write a page as a line for each node: indent, role, name in
// quotes, states, a reference and a value. They differ in where these stand.
var (
	uidFirst = regexp.MustCompile(`^uid=(\S+) ?`)
	roleWord = regexp.MustCompile(`^[A-Za-z][A-Za-z-]*`)
	refInBox = regexp.MustCompile(`\[(?:[^\]"]*\b)?(?:ref=)?(f?\d*e\d+)\]`)
	// The quoted words of one piece of running text, and the beginning of the next.
	nextPiece = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"(?: [^\s"]+(?:="(?:[^"\\]|\\.)*")?)*?(?: link)? "`)
	valueOf   = regexp.MustCompile(`\bvalue="((?:[^"\\]|\\.)*)"`)
)

// parse reads the lines of a page; what is no node is left out.
func parse(text string) Page {
	var page Page
	for line := range strings.Lines(text) {
		for _, piece := range pieces(strings.TrimRight(line, "\n")) {
			if n, ok := parseLine(piece); ok {
				page = append(page, n)
			}
		}
	}
	return page.within()
}

func parseLine(line string) (Node, bool) {
	rest := strings.TrimLeft(line, " ")
	n := Node{Depth: len(line) - len(rest)}
	rest = unquoteKey(strings.TrimPrefix(rest, "- "))
	if uid := uidFirst.FindStringSubmatch(rest); uid != nil {
		n.Ref, rest = uid[1], rest[len(uid[0]):]
	}
	n.Role = roleWord.FindString(rest)
	if n.Role == "" && n.Ref == "" {
		return Node{}, false
	}
	rest = strings.TrimPrefix(rest[len(n.Role):], " ")
	n.Name, rest = quotedPart(rest)
	n.Flags = rest
	if box := refInBox.FindStringSubmatch(rest); box != nil {
		n.Ref = box[1]
	}
	if value := valueOf.FindStringSubmatch(rest); value != nil {
		n.Value = plain(value[1])
	} else if flags, after, ok := strings.Cut(rest, ": "); ok && !strings.Contains(flags, `"`) {
		n.Flags, n.Value = flags, plainYAML(after)
	}
	return n, true
}

// pieces are the texts and links of a line of running text, a line for each:
// text "See the" link "guide" [e5] "for more". Any other line is one piece.
func pieces(line string) []string {
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	rest, runs := strings.CutPrefix(line[len(indent):], "text ")
	if !runs {
		return []string{line}
	}
	var all []string
	for rest != "" {
		role := "text "
		if after, link := strings.CutPrefix(rest, "link "); link {
			role, rest = "link ", after
		}
		end := len(rest)
		if found := nextPiece.FindStringIndex(rest); found != nil {
			end = found[1] - len(`"`)
			end -= len("link ") * min(1, strings.Count(rest[found[0]:found[1]], ` link "`))
		}
		all = append(all, indent+role+strings.TrimRight(rest[:end], " "))
		rest = rest[end:]
	}
	return all
}

// quotedPart takes text in double quotes off the front.
func quotedPart(s string) (text, rest string) {
	if !strings.HasPrefix(s, `"`) {
		return "", s
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return plain(s[1:i]), strings.TrimPrefix(s[i+1:], " ")
		}
	}
	return s[1:], ""
}

func plain(s string) string {
	if whole, err := strconv.Unquote(`"` + s + `"`); err == nil {
		return whole
	}
	return s
}

// plainYAML is a YAML scalar's text.
func plainYAML(s string) string {
	if text, rest := quotedPart(s); rest == "" && text != "" {
		return text
	}
	return s
}

// unquoteKey takes off the quotes that YAML puts around a key with a colon in
// it: 'row "a: b"': text.
func unquoteKey(s string) string {
	if !strings.HasPrefix(s, "'") {
		return s
	}
	end := strings.LastIndex(s, "'")
	if end < 1 {
		return s
	}
	return strings.ReplaceAll(s[1:end], "''", "'") + s[end+1:]
}

// within gives a node without a reference that of the node it stands in: what
// is pressed on a text is what the text is in.
func (p Page) within() Page {
	var parents []Node
	for i, n := range p {
		for len(parents) > 0 && parents[len(parents)-1].Depth >= n.Depth {
			parents = parents[:len(parents)-1]
		}
		if n.Ref == "" && len(parents) > 0 {
			p[i].Ref = parents[len(parents)-1].Ref
		}
		parents = append(parents, n)
	}
	return p
}
