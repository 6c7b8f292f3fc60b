package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const maxShown = 200 // characters of a text from the page that people are shown

// Sanitize makes text from a page or a caller safe to show to people and to
// print: control, bidirectional, zero-width and other invisible characters,
// line separators, and bytes that are no UTF-8 become visible escapes, \u{202e},
// and no more than most characters are kept: of more it says how many.
func Sanitize(text string, most int) string {
	var b strings.Builder
	kept := 0
	for len(text) > 0 {
		if kept == most {
			fmt.Fprintf(&b, "… (%d more)", utf8.RuneCountInString(text))
			break
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case isInvisible(r):
			fmt.Fprintf(&b, `\u{%04x}`, r)
		default:
			b.WriteRune(r)
		}
		text = text[size:]
		kept++
	}
	return b.String()
}

// isInvisible reports whether r shows nothing, or changes how other text shows.
func isInvisible(r rune) bool {
	if r == ' ' {
		return false
	}
	return unicode.IsControl(r) || r == 0x2800 || // blank Braille
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// sanitizeElement is a copy of e that is safe to show.
func sanitizeElement(e *action.Element) *action.Element {
	if e == nil {
		return nil
	}
	c := *e
	for _, text := range []*string{
		&c.Role, &c.Name, &c.Tag, &c.Type, &c.Autocomplete, &c.Ref, &c.Label, &c.FieldName, &c.Placeholder,
		&c.FrameURL, &c.LinkURL, &c.FormAction, &c.FormMethod, &c.SubmitName,
	} {
		*text = Sanitize(*text, maxShown)
	}
	return &c
}

// sanitizeRequest is a request as people are shown it, with sanitized text.
func sanitizeRequest(h *action.Held) *action.Held {
	if h == nil {
		return nil
	}
	out := *h
	out.Method, out.URL, out.Host = Sanitize(h.Method, maxShown), Sanitize(h.URL, 2*maxShown), Sanitize(h.Host, maxShown)
	out.From, out.Cause = Sanitize(h.From, 2*maxShown), Sanitize(h.Cause, 2*maxShown)
	out.Fields = make([]action.BodyField, 0, len(h.Fields))
	for _, f := range h.Fields {
		out.Fields = append(out.Fields, action.BodyField{Name: Sanitize(f.Name, maxShown), Value: Sanitize(f.Value, maxShown)})
	}
	return &out
}
