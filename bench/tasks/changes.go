package tasks

import (
	"regexp"
	"slices"
	"strings"
)

// changed is the page after lines of changes: "+" came, "-" went, "~" is
// different now. A model has both in its context, and so has a script. What
// came stands at the end, after what was there.
func (p Page) changed(lines string) Page {
	next := slices.Clone(p)
	var came []string
	for line := range strings.Lines(lines) {
		sign, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch sign {
		case "+":
			came = append(came, rest)
		case "-":
			next = next.without(rest)
		case "~":
			next = next.with(rest)
		}
	}
	return append(next, parse(strings.Join(came, "\n"))...)
}

var (
	wasNamed = regexp.MustCompile(` \(was ("(?:[^"\\]|\\.)*")\)$`)
	wasRef   = regexp.MustCompile(` \(was \[(e\d+)\]\)$`)
)

// with puts a node in the place of what it was before.
func (p Page) with(line string) Page {
	before, ok := parseLine(wasRef.ReplaceAllString(wasNamed.ReplaceAllString(line, ""), ""))
	if !ok {
		return p
	}
	now := before
	if name := wasNamed.FindStringSubmatch(line); name != nil {
		before.Name, _ = quotedPart(name[1])
	}
	if ref := wasRef.FindStringSubmatch(line); ref != nil {
		before.Ref = ref[1]
	}
	at := p.index(before)
	if at < 0 {
		return append(p, now)
	}
	now.Depth = p[at].Depth
	if now.Ref == "" {
		now.Ref = p[at].Ref // of what it stands in
	}
	p[at] = now
	return p
}

// without takes a node off the page, with what is in it.
func (p Page) without(line string) Page {
	n, ok := parseLine(line)
	if !ok {
		return p
	}
	at := p.index(n)
	if at < 0 {
		return p
	}
	return slices.Delete(p, at, p.end(at))
}

// end is where the nodes that are in a node end.
func (p Page) end(at int) int {
	end := at + 1
	for end < len(p) && p[end].Depth > p[at].Depth {
		end++
	}
	return end
}

// index is the place of a node: by its reference, or else by its role and name;
// what has no name of its own is told by the first words in it.
func (p Page) index(n Node) int {
	for i, other := range p {
		switch {
		case other.Role != n.Role:
		case n.Ref != "":
			if other.Ref == n.Ref {
				return i
			}
		case other.Name == n.Name || other.Name == "" && p[i+1:p.end(i)].starts(n.Name):
			return i
		}
	}
	return -1
}

// starts reports whether these are the first words of some nodes.
func (p Page) starts(words string) bool {
	first, _, _ := strings.Cut(p.Text(), "\n")
	return words != "" && first == words
}
