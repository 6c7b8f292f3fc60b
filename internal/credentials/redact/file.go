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
	maxUnpacked      = 64 << 20 // bytes of all that is in an archive; a larger archive does not leave
	maxNestedArchive = 3        // levels
)

// File returns a file's name and content without their secrets. JSON stays valid
// JSON. It returns ErrFailed for content that is no text and has a secret, such as a
// picture, and for an archive (zip, gzip) that has one, or is too large or too
// broken to be searched.
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
			return name, jsonOrMark(content, spans), nil
		}
		return name, replaceSpans(content, spans), nil
	}
	if m.hasBinary(content) {
		return "", nil, fmt.Errorf("%w: a file that is no text has one", ErrFailed)
	}
	return name, content, nil
}

// hasBinary reports whether bytes that are no text have a secret, or may have one:
// as they are, or unpacked where they are an archive.
func (m *Matcher) hasBinary(content []byte) bool {
	left := int64(maxUnpacked)
	return m.inBinary(content) || m.inArchive(content, &left, 0)
}

// inBinary reports whether a secret is in bytes that are no text, as it is or
// encoded. Secrets of four or five bytes are not searched: they occur by chance.
func (m *Matcher) inBinary(b []byte) (found bool) {
	if m.none() || len(b) == 0 {
		return false
	}
	if len(b) > maxText {
		return true
	}
	defer func() {
		if recover() != nil {
			found = true
		}
	}()
	for _, search := range []struct {
		in    *index
		table *[256]byte
	}{{m.loose, &foldASCIIAlnum}, {m.exact, &foldNUL}} {
		if search.in == nil {
			continue
		}
		s := newFolded(len(b), search.table)
		s.addASCII(b, 0)
		search.in.find(s, func(_ *form, from, to int) { found = found || to-from >= minUnbounded })
		s.release()
	}
	return found
}

// inArchive reports whether an archive has a secret, or may have one. left is the
// number of bytes that may still be unpacked.
func (m *Matcher) inArchive(content []byte, left *int64, depth int) bool {
	switch {
	case depth == maxNestedArchive:
		return isArchive(content)
	case bytes.HasPrefix(content, []byte("\x1f\x8b")):
		r, err := gzip.NewReader(bytes.NewReader(content))
		return err == nil && m.inUnpacked(r, left, depth)
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return true
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil || m.Has([]byte(f.Name)) || m.inUnpacked(r, left, depth) {
				return true
			}
			_ = r.Close()
		}
	}
	return false
}

func isArchive(content []byte) bool {
	return bytes.HasPrefix(content, []byte("\x1f\x8b")) || bytes.HasPrefix(content, []byte("PK\x03\x04"))
}

// inUnpacked is inArchive for what is read from an archive.
func (m *Matcher) inUnpacked(r io.Reader, left *int64, depth int) bool {
	inner, err := io.ReadAll(io.LimitReader(r, *left+1))
	*left -= int64(len(inner))
	if err != nil || *left < 0 {
		return true
	}
	if utf8.Valid(inner) {
		return m.Has(inner)
	}
	return m.inBinary(inner) || m.inArchive(inner, left, depth+1)
}
