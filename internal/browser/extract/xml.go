package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

const maxXMLDepth = 100 // levels that are indented

// renderedNamespaces are the namespaces whose elements a browser renders, with their
// scripts.
var renderedNamespaces = []string{"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/XSL/Transform"}

// XML formats an XML document for people: each element gets a line, unless the
// document has lines already. It returns false for a document that the browser
// does not show as source: one that is not well-formed, has a style sheet, or
// contains elements of HTML, SVG or MathML.
func XML(source string) (string, bool) {
	d := xml.NewDecoder(strings.NewReader(source))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the browser has decoded it
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || rendered(token) {
			return "", false
		}
	}
	if hasLines(source) {
		return strings.TrimSpace(source), true
	}
	return indented(source), true
}

// rendered reports whether the browser does not show a document with this token
// as source.
func rendered(token xml.Token) bool {
	switch t := token.(type) {
	case xml.ProcInst:
		return strings.HasPrefix(t.Target, "xml-")
	case xml.StartElement:
		for _, space := range renderedNamespaces {
			if t.Name.Space == space {
				return true
			}
		}
	}
	return false
}

// indented puts each element on a line of its own, except the end of an element that
// has only text.
func indented(source string) string {
	d := xml.NewDecoder(strings.NewReader(source))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var out bytes.Buffer
	depth, from, open := 0, int64(0), false // open: only text came since the last start of an element
	for {
		token, err := d.RawToken()
		if err != nil {
			return strings.TrimSpace(out.String())
		}
		raw := source[from:d.InputOffset()]
		from = d.InputOffset()
		begin := true
		switch token.(type) {
		case xml.CharData:
			if strings.TrimSpace(raw) == "" {
				continue
			}
			begin = false
		case xml.EndElement:
			depth--
			begin, open = !open, false
		}
		if begin && raw != "" {
			out.WriteString("\n" + strings.Repeat("  ", min(max(depth, 0), maxXMLDepth)))
		}
		out.WriteString(raw)
		if _, starts := token.(xml.StartElement); starts {
			depth, open = depth+1, true
		}
	}
}
