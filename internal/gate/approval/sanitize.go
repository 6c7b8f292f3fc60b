package approval

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const maxShown = 200 // characters of a text from the page that people are shown

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
		*text = untrusted.Record(*text, maxShown)
	}
	return &c
}

// sanitizeRequest is a request as people are shown it, with sanitized text.
func sanitizeRequest(h *action.Held) *action.Held {
	if h == nil {
		return nil
	}
	out := *h
	out.Method, out.URL, out.Host = untrusted.Record(h.Method, maxShown), untrusted.Record(h.URL, 2*maxShown), untrusted.Record(h.Host, maxShown)
	out.From, out.Cause = untrusted.Record(h.From, 2*maxShown), untrusted.Record(h.Cause, 2*maxShown)
	out.Fields = make([]action.BodyField, 0, len(h.Fields))
	for _, f := range h.Fields {
		out.Fields = append(out.Fields, action.BodyField{Name: untrusted.Record(f.Name, maxShown), Value: untrusted.Record(f.Value, maxShown)})
	}
	return &out
}
