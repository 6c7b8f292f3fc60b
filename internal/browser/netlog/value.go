package netlog

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

// value is a value of a page as the protocol describes it (Runtime.RemoteObject).
type value struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Class       string          `json:"className"`
	Value       json.RawMessage `json:"value"`
	Special     string          `json:"unserializableValue"` // 1n, NaN, -0, Infinity
	Description string          `json:"description"`
	Preview     *preview        `json:"preview"`
}

// preview is the part of an object that the protocol sends (Runtime.ObjectPreview).
type preview struct {
	Type        string     `json:"type"`
	Subtype     string     `json:"subtype"`
	Description string     `json:"description"`
	Overflow    bool       `json:"overflow"`
	Properties  []property `json:"properties"`
	Entries     []struct {
		Key   *preview `json:"key"`
		Value preview  `json:"value"`
	} `json:"entries"`
}

type property struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Value   string   `json:"value"`
	Preview *preview `json:"valuePreview"`
}

// text returns a value of any type as the console shows it.
func (v value) text() string {
	switch {
	case v.Type == "string":
		var s string
		_ = json.Unmarshal(v.Value, &s) // it is a string, or shows as an empty one
		return pagetext.Brief(s)
	case v.Type == "undefined", v.Subtype == "null":
		return cmp.Or(v.Subtype, v.Type)
	case v.Special != "":
		return v.Special
	case v.Type == "number", v.Type == "boolean":
		return string(v.Value)
	case v.Type == "function":
		line, _, more := strings.Cut(v.Description, "\n")
		if more {
			line += " …"
		}
		return pagetext.Brief(line)
	case v.Preview != nil && v.Preview.composed():
		return pagetext.Brief(v.Preview.text())
	}
	return pagetext.Brief(cmp.Or(v.Description, v.Class, v.Type))
}

// composed reports whether the properties of a preview say more than its
// description. Those of errors, dates, patterns and nodes do not.
func (p *preview) composed() bool {
	switch p.Subtype {
	case "", "array", "typedarray", "map", "set", "weakmap", "weakset", "iterator", "generator", "promise", "proxy":
		return p.Type == "object"
	}
	return false
}

func (p *preview) text() string {
	var parts []string
	for _, e := range p.Entries {
		text := e.Value.inner()
		if e.Key != nil {
			text = e.Key.inner() + " => " + text
		}
		parts = append(parts, text)
	}
	isList := p.Subtype == "array" || p.Subtype == "typedarray"
	for _, q := range p.Properties {
		switch {
		case isList && isIndex(q.Name):
			parts = append(parts, q.text())
		case len(p.Entries) == 0 || q.Name != "size":
			parts = append(parts, q.Name+": "+q.text())
		}
	}
	if p.Overflow {
		parts = append(parts, "…")
	}
	body := strings.Join(parts, ", ")
	switch {
	case isList && strings.HasPrefix(p.Description, "Array("):
		return "[" + body + "]"
	case isList:
		return p.Description + " [" + body + "]"
	case p.Description == "Object" || p.Description == "":
		return "{" + body + "}"
	}
	return p.Description + " {" + body + "}"
}

// inner returns a preview that is part of another: its strings are quoted.
func (p *preview) inner() string {
	if p.Type == "string" {
		return `"` + p.Description + `"`
	}
	if p.composed() && len(p.Properties)+len(p.Entries) > 0 {
		return p.text()
	}
	return p.Description
}

func (q property) text() string {
	switch {
	case q.Preview != nil:
		return q.Preview.inner()
	case q.Type == "string":
		return `"` + q.Value + `"`
	case q.Type == "function":
		return "function"
	case q.Type == "accessor":
		return "(getter)"
	}
	return cmp.Or(q.Value, q.Type)
}

func isIndex(name string) bool {
	return name != "" && strings.Trim(name, "0123456789") == ""
}

// formatted joins the arguments of a console call as the console does. A first
// argument that is text may have format specifiers for the others
// (console.spec.whatwg.org, Formatter).
func formatted(args []value) string {
	const most = 100 // arguments that are shown
	args = args[:min(len(args), most)]
	var out strings.Builder
	if len(args) > 0 && args[0].Type == "string" {
		text, rest := expanded(args[0].text(), args[1:])
		out.WriteString(text)
		args = rest
		if len(args) > 0 {
			out.WriteByte(' ')
		}
	}
	for i, a := range args {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(a.text())
	}
	return pagetext.Brief(out.String())
}

// expanded replaces the format specifiers of a text, and returns it with the
// arguments that are left.
func expanded(format string, args []value) (string, []value) {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(format, "%")
		out.WriteString(before)
		if !found {
			return out.String(), args
		}
		format = after
		switch {
		case strings.HasPrefix(after, "%"):
			out.WriteByte('%')
			format = after[1:]
		case after == "" || !strings.Contains("sdifoOc", after[:1]) || len(args) == 0:
			out.WriteByte('%')
		default:
			if after[0] != 'c' { // a style is not shown
				out.WriteString(args[0].text())
			}
			args, format = args[1:], after[1:]
		}
	}
}
