package extract

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	lineWidth    = 100 // bytes of a line; a longer value gets a line for each of its parts
	maxJSONDepth = 100 // levels that are broken into lines
)

// JSON formats JSON for people: an object or array that is longer than a line gets a
// line for each of its parts. Order, names and numbers do not change. Text that has
// short lines already, or is not JSON, is returned unchanged.
func JSON(text string) string {
	if hasLines(text) {
		return text
	}
	value := jsontext.Value(text)
	if !value.IsValid(jsontext.AllowDuplicateNames(true)) {
		return text
	}
	if err := value.Compact(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)); err != nil {
		return text
	}
	var w jsonWriter
	w.value(value, 0)
	return w.out.String()
}

// hasLines reports whether a text has more than one line and no long ones.
func hasLines(text string) bool {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	return longest <= 4*lineWidth && strings.Contains(strings.TrimSpace(text), "\n")
}

type jsonWriter struct{ out strings.Builder }

// value writes a value, which is given in compact form.
func (w *jsonWriter) value(value jsontext.Value, depth int) {
	kind := value.Kind()
	switch {
	case kind != '{' && kind != '[' || len(value) <= 2 || depth >= maxJSONDepth:
		w.out.Write(value)
	case len(value)+2*depth <= lineWidth:
		w.inline(value)
	default:
		w.parts(value, depth)
	}
}

// inline writes a value on one line, with spaces after commas and colons.
func (w *jsonWriter) inline(value jsontext.Value) {
	spaced := value.Clone()
	if err := spaced.Format(jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)); err != nil {
		spaced = value
	}
	w.out.Write(spaced)
}

// parts writes an object or an array with one line for each of its parts.
func (w *jsonWriter) parts(value jsontext.Value, depth int) {
	d := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	opening, err := d.ReadToken()
	if err != nil {
		w.out.Write(value)
		return
	}
	object := opening.Kind() == '{'
	w.out.WriteByte(value[0])
	indent := "\n" + strings.Repeat("  ", depth+1)
	for first := true; d.PeekKind() != '}' && d.PeekKind() != ']'; first = false {
		part, err := d.ReadValue()
		if err != nil {
			break
		}
		if !first {
			w.out.WriteByte(',')
		}
		w.out.WriteString(indent)
		if object {
			w.out.Write(part)
			w.out.WriteString(": ")
			if part, err = d.ReadValue(); err != nil {
				break
			}
		}
		w.value(part, depth+1)
	}
	w.out.WriteString("\n" + strings.Repeat("  ", depth))
	w.out.WriteByte(value[len(value)-1])
}
