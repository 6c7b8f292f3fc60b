package mcpconfig

import (
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"
)

// addJSON inserts the entry at a position that the syntax tree gives. All other
// text, including comments and spaces, is kept as it is.
func (c Client) addJSON(text string, command Command) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	root, err := parsed(text)
	if err != nil {
		return "", err
	}
	unit := indentOf(text)
	group := root.member(c.Key)
	if group == nil {
		whole := `"` + c.Key + `": {` + "\n" + unit + unit + entryOf(c, command, unit) + "\n" + unit + "}"
		return root.insert(text, whole, unit, ""), nil
	}
	entries, err := group.object()
	if err != nil {
		return "", err
	}
	if there := entries.member(command.Name); there != nil {
		old, made := text[there.value.StartOffset:there.value.EndOffset], fieldsOf(c, command, unit)
		if equalJSON(old, made) {
			return text, nil
		}
		return text[:there.value.StartOffset] + made + text[there.value.EndOffset:], nil
	}
	return entries.insert(text, entryOf(c, command, unit), unit+unit, unit), nil
}

func (c Client) removeJSON(text, name string) (string, error) {
	root, err := parsed(text)
	if err != nil {
		return "", err
	}
	group := root.member(c.Key)
	if group == nil {
		return text, nil
	}
	entries, err := group.object()
	if err != nil {
		return "", err
	}
	return entries.cut(text, name), nil
}

// object is an object of a JSON text, with the positions of its parts.
type object struct {
	start, end int // offsets of its braces
	members    []member
}

type member struct {
	name       string
	start      int // offset of the name
	value      hujson.Value
	comma, gap int // begin and end of the separator before the next member; equal if there is no comma
}

func parsed(text string) (*object, error) {
	root, err := hujson.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return objectOf(root)
}

func objectOf(v hujson.Value) (*object, error) {
	o, is := v.Value.(*hujson.Object)
	if !is {
		return nil, errShape
	}
	out := &object{start: v.StartOffset, end: v.EndOffset}
	for i, m := range o.Members {
		name, _ := m.Name.Value.(hujson.Literal)
		at := m.Value.EndOffset + len(m.Value.AfterExtra)
		next := member{name: name.String(), start: m.Name.StartOffset, value: m.Value, comma: at, gap: at}
		if i < len(o.Members)-1 || o.AfterExtra != nil && m.Value.AfterExtra != nil {
			next.gap++
		}
		out.members = append(out.members, next)
	}
	return out, nil
}

// member returns the member with this name; the last one if there are several, as
// JSON readers do.
func (o *object) member(name string) *member {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].name == name {
			return &o.members[i]
		}
	}
	return nil
}

func (m *member) object() (*object, error) { return objectOf(m.value) }

// insert adds a member at the end of an object, on its own line. Text behind the
// last member, such as a comment, stays behind that one.
func (o *object) insert(text, whole, indent, closing string) string {
	from, comma, trailing := o.start+1, "", ""
	if n := len(o.members); n > 0 {
		last := o.members[n-1]
		from, comma = last.value.EndOffset, ","
		if strings.HasPrefix(text[last.comma:], ",") {
			comma, trailing = "", ","
		}
	}
	tail := text[from : o.end-1]
	kept := strings.TrimRight(tail, " \t\r\n")
	end := tail[len(kept):]
	if !strings.Contains(end, "\n") {
		end = "\n" + closing
	}
	return text[:from] + comma + kept + "\n" + indent + whole + trailing + end + text[o.end-1:]
}

// cut removes the members with this name.
func (o *object) cut(text, name string) string {
	for i := len(o.members) - 1; i >= 0; i-- {
		m := o.members[i]
		if m.name != name {
			continue
		}
		last := i == len(o.members)-1
		switch commaBehind := strings.HasPrefix(text[m.comma:], ","); {
		case !last:
			text = text[:m.start] + strings.TrimLeft(text[m.comma+1:], " \t\r\n")
		case commaBehind:
			text = strings.TrimRight(text[:m.start], " \t\r\n") + text[m.comma+1:]
		case i > 0:
			before := o.members[i-1]
			rest := text[m.value.EndOffset:]
			if !strings.Contains(text[o.start:before.comma], "\n") { // it was on one line
				rest = strings.TrimLeft(rest, " \t\r\n")
			}
			text = text[:before.comma] + strings.TrimRight(text[before.comma+1:m.start], " \t\r\n") + rest
		default:
			text = strings.TrimRight(text[:m.start], " \t\r\n") + strings.TrimLeft(text[m.value.EndOffset:], " \t\r\n")
		}
	}
	return text
}

// indentOf returns the indentation of a text: that of its first indented name.
func indentOf(text string) string {
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimLeft(line, " \t"); trimmed != line && strings.HasPrefix(trimmed, `"`) {
			return line[:len(line)-len(trimmed)]
		}
	}
	return "  "
}

func entryOf(c Client, command Command, unit string) string {
	return literal(command.Name) + ": " + fieldsOf(c, command, unit)
}

func fieldsOf(c Client, command Command, unit string) string {
	var lines []string
	for _, f := range c.shape(command) {
		lines = append(lines, strings.Repeat(unit, 3)+literal(f.name)+": "+literal(f.value))
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n" + strings.Repeat(unit, 2) + "}"
}

// literal returns a value as JSON, which is valid in TOML and YAML too.
func literal(v any) string {
	if set, is := v.(variables); is {
		return set.object(": ")
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail for strings, lists of strings, numbers and booleans
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), `","`, `", "`), "\n")
}

// object writes variables in braces. sign separates name and value: YAML accepts
// JSON's, TOML has another.
func (all variables) object(sign string) string {
	pairs := make([]string, len(all))
	for i, v := range all {
		pairs[i] = literal(v.Name) + sign + literal(v.Value)
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

func equalJSON(a, b string) bool {
	one, err := hujson.Minimize([]byte(a))
	other, wrong := hujson.Minimize([]byte(b))
	return err == nil && wrong == nil && string(one) == string(other)
}

func readJSON(text string) (map[string]any, error) {
	all := map[string]any{}
	if strings.TrimSpace(text) == "" {
		return all, nil
	}
	plain, err := hujson.Standardize([]byte(text))
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(plain, &all)
}
