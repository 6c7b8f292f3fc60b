package extract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

const deepestXML = 100 // levels that are indented

// drawnSpaces are the namespaces whose elements a browser draws, and runs
// scripts of.
var drawnSpaces = []string{"http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML", "http://www.w3.org/1999/XSL/Transform"}

// XML writes an XML document so that it can be read: as it is where it has lines,
// and with a line for each element otherwise. It reports false where the browser
// draws something else than the document's source: what is not well-formed, has a
// style sheet, or elements of HTML, SVG or MathML.
func XML(source string) (string, bool) {
	d := xml.NewDecoder(strings.NewReader(source))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the browser has decoded it
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || drawn(token) {
			return "", false
		}
	}
	if hasLines(source) {
		return strings.TrimSpace(source), true
	}
	return indented(source), true
}

// drawn reports whether a browser makes something else of a document for a token.
func drawn(token xml.Token) bool {
	switch t := token.(type) {
	case xml.ProcInst:
		return strings.HasPrefix(t.Target, "xml-")
	case xml.StartElement:
		for _, space := range drawnSpaces {
			if t.Name.Space == space {
				return true
			}
		}
	}
	return false
}

// indented puts each element on a line, but for one that holds text alone.
func indented(source string) string {
	d := xml.NewDecoder(strings.NewReader(source))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var out bytes.Buffer
	depth, from, open := 0, int64(0), false // open: an element began, and nothing came since but text
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
			out.WriteString("\n" + strings.Repeat("  ", min(max(depth, 0), deepestXML)))
		}
		out.WriteString(raw)
		if _, starts := token.(xml.StartElement); starts {
			depth, open = depth+1, true
		}
	}
}
