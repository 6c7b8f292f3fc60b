package redact

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	unpacked = 64 << 20 // bytes of all that is in an archive; more is not looked through
	packings = 3        // archives within archives
)

// File is a file without the secrets in its name and content. A text is
// redacted, JSON stays JSON. What is no text, such as a picture or a program, and
// has a secret, and an archive with one in it (zip, gzip), or too large or too
// broken to tell, is ErrFailed.
func (m *Matcher) File(name string, content []byte) (string, []byte, error) {
	if m.none() {
		return name, content, nil
	}
	name = m.Text(name)
	if utf8.Valid(content) {
		spans, err := m.find(content)
		switch {
		case err != nil:
			return "", nil, fmt.Errorf("%w: a file", err)
		case len(spans) == 0:
			return name, content, nil
		case json.Valid(content):
			return name, m.JSON(content), nil
		}
		return name, without(content, spans), nil
	}
	left := int64(unpacked)
	if m.inBinary(content) || m.packed(content, &left, 0) {
		return "", nil, fmt.Errorf("%w: a file that is no text has one", ErrFailed)
	}
	return name, content, nil
}

// packed reports whether an archive has a secret, or may have one.
func (m *Matcher) packed(content []byte, left *int64, depth int) bool {
	switch {
	case depth == packings:
		return archive(content)
	case bytes.HasPrefix(content, []byte("\x1f\x8b")):
		r, err := gzip.NewReader(bytes.NewReader(content))
		return err == nil && m.unpacked(r, left, depth)
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return true
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil || m.Has([]byte(f.Name)) || m.unpacked(r, left, depth) {
				return true
			}
			_ = r.Close()
		}
	}
	return false
}

func archive(content []byte) bool {
	return bytes.HasPrefix(content, []byte("\x1f\x8b")) || bytes.HasPrefix(content, []byte("PK\x03\x04"))
}

// unpacked reports the same of what is read from an archive.
func (m *Matcher) unpacked(r io.Reader, left *int64, depth int) bool {
	inner, err := io.ReadAll(io.LimitReader(r, *left+1))
	*left -= int64(len(inner))
	if err != nil || *left < 0 {
		return true
	}
	if utf8.Valid(inner) {
		return m.Has(inner)
	}
	return m.inBinary(inner) || m.packed(inner, left, depth+1)
}
