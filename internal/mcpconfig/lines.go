package mcpconfig

import (
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml"
)

// addTOML appends a table.
func (c Client) addTOML(text string, command Command) (string, error) {
	if regexp.MustCompile(`(?m)^[ \t]*` + c.Key + `[ \t]*=`).MatchString(text) {
		return "", errShape // an inline table cannot be extended
	}
	text, err := c.removeTOML(text, command.Name)
	if err != nil {
		return "", err
	}
	lines := []string{"[" + c.Key + "." + command.Name + "]"}
	for _, f := range c.shape(command) {
		if set, is := f.value.(variables); is {
			lines = append(lines, f.name+" = "+set.object(" = "))
			continue
		}
		lines = append(lines, f.name+" = "+literal(f.value))
	}
	return apart(text) + strings.Join(lines, "\n") + "\n", nil
}

// apart returns the text, with an empty line after it if it is not empty.
func apart(text string) string {
	if text == "" {
		return ""
	}
	return strings.TrimSuffix(text, "\n") + "\n\n"
}

var table = regexp.MustCompile(`^\s*\[`)

// removeTOML removes the table of an entry and its sub-tables, with the empty
// line before it.
func (c Client) removeTOML(text, name string) (string, error) {
	ours := regexp.MustCompile(`^\s*\[\s*` + c.Key + `\s*\.\s*(?:"` + regexp.QuoteMeta(name) + `"|` + regexp.QuoteMeta(name) + `)\s*(?:\.[^\]]*)?\]\s*(?:#.*)?$`)
	var kept []string
	within := false
	for _, line := range strings.SplitAfter(text, "\n") {
		if bare := strings.TrimRight(line, "\r\n"); table.MatchString(bare) {
			begins := ours.MatchString(bare)
			if begins && !within {
				kept = closed(kept)
			}
			if !begins && within {
				kept = append(kept, "\n")
			}
			within = begins
		}
		if !within {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, ""), nil
}

// closed returns lines without an empty one at the end.
func closed(lines []string) []string {
	if n := len(lines); n > 0 && strings.TrimSpace(lines[n-1]) == "" {
		return lines[:n-1]
	}
	return lines
}

func readTOML(text string) (map[string]any, error) {
	all := map[string]any{}
	_, err := toml.Decode(text, &all)
	return all, err
}

// addYAML inserts the entry as the first one below its key.
func (c Client) addYAML(text string, command Command) (string, error) {
	text, err := c.removeYAML(text, command.Name)
	if err != nil {
		return "", err
	}
	top := regexp.MustCompile(`(?m)^` + c.Key + `:[ \t]*(?:\{\s*\}[ \t]*)?(#.*)?\r?\n?`)
	at := top.FindStringIndex(text)
	if at == nil {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += c.Key + ":\n"
		at = top.FindStringIndex(text)
	}
	indent := "  "
	if m := regexp.MustCompile(`^([ \t]+)\S`).FindStringSubmatch(text[at[1]:]); m != nil {
		indent = m[1]
	}
	lines := indent + command.Name + ":\n"
	for _, f := range c.shape(command) {
		lines += indent + indent + f.name + ": " + literal(f.value) + "\n"
	}
	head := strings.TrimRight(strings.Replace(text[at[0]:at[1]], "{}", "", 1), " \t\r\n") + "\n"
	return text[:at[0]] + head + lines + text[at[1]:], nil
}

// removeYAML removes the lines of an entry: its name and all lines that are
// indented more.
func (c Client) removeYAML(text, name string) (string, error) {
	ours := regexp.MustCompile(`^([ \t]+)(?:"` + regexp.QuoteMeta(name) + `"|` + regexp.QuoteMeta(name) + `):\s*(?:#.*)?$`)
	var kept []string
	group, depth := false, -1
	for _, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimRight(line, " \t\r\n")
		indent := len(bare) - len(strings.TrimLeft(bare, " \t"))
		if bare != "" && indent == 0 && !strings.HasPrefix(bare, "#") {
			group = strings.HasPrefix(bare, c.Key+":")
		}
		if depth >= 0 && bare != "" && indent <= depth {
			depth = -1
		}
		if m := ours.FindStringSubmatch(bare); group && depth < 0 && m != nil {
			depth = len(m[1])
		}
		if depth < 0 {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, ""), nil
}

func readYAML(text string) (map[string]any, error) {
	all := map[string]any{}
	if strings.TrimSpace(text) == "" {
		return all, nil
	}
	return all, yaml.Unmarshal([]byte(text), &all)
}
