package redact

import (
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"slices"
)

// How long a secret, or a piece of one, must be to be searched for.
// docs/credentials.md, "Redaction", has the figures behind the choice.
const (
	minSecret       = 4  // bytes: a shorter text is no secret
	minLoose        = 8  // letters and digits, one digit at least, of a secret that is searched loosely
	minLooseLetters = 12 // the same of a secret without digits
	minPiece        = 16 // letters and digits of a piece of a longer secret that is hidden
	minUnbounded    = 6  // bytes: a shorter secret, or one of letters alone, must not be part of a word
)

// formSet collects the forms of secrets. A loose form is compared by letters and
// digits only, and in pieces; an exact form byte for byte, and whole.
type formSet struct {
	loose, exact []form
	short        [][]byte // letters and digits of the secrets that are searched exactly
	seen         map[string]bool
}

// addSecret adds the forms of a secret, and, where the secret has escapes, those
// of the text that they stand for.
func (all *formSet) addSecret(secret string) {
	text := []byte(secret)
	letters := alnum(text)
	if len(letters) < minLooseLetters && (len(letters) < minLoose || !bytes.ContainsFunc(letters, isDigit)) {
		if len(text) >= minSecret {
			all.addExactForms(text)
			if len(letters) >= minSecret {
				all.short = append(all.short, letters)
			}
		}
		return
	}
	all.addLooseForms(text, letters)
	if p := unescape(text); p != nil {
		all.addLooseForms(text, alnum(p.text))
	}
}

// addLooseForms adds the forms of a secret whose letters and digits are given.
func (all *formSet) addLooseForms(text, letters []byte) {
	plain := func(b []byte) {
		all.addLoose(form{text: b, least: minPiece})
		all.addLoose(form{text: reversed(b), least: minPiece})
	}
	encoded := func(b []byte, size int) { // size is the number of its characters for 8 bytes
		b = alnum(b)
		all.addLoose(form{text: b, least: minPiece * size / 8})
		all.addLoose(form{text: reversed(b), least: minPiece * size / 8})
	}
	plain(letters)
	for _, escaped := range []string{url.QueryEscape(string(text)), url.PathEscape(string(text)), html.EscapeString(string(text))} {
		if b := alnum([]byte(escaped)); !bytes.Equal(b, letters) {
			all.addLoose(form{text: reversed(b), least: minPiece})
		}
	}
	encoded([]byte(hex.EncodeToString(text)), 16)
	for offset := range 3 {
		encoded(base64Core(text, offset, base64.RawStdEncoding), 11)
	}
	for offset := range 5 {
		encoded(base32Core(text, offset), 13)
	}
}

// addExactForms adds the forms of a short secret.
func (all *formSet) addExactForms(text []byte) {
	bounded := len(text) < minUnbounded || !bytes.ContainsFunc(text, func(r rune) bool { return r < 'A' || r > 'z' })
	all.addExact(form{text: text, bounded: bounded})
	all.addExact(form{text: reversed(text), bounded: bounded})
	digits := []byte(hex.EncodeToString(text))
	all.addExact(form{text: digits})
	all.addExact(form{text: bytes.ToUpper(digits)})
	for offset := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all.addExact(form{text: base64Core(text, offset, encoding)})
		}
	}
}

func (all *formSet) addLoose(f form) {
	if len(f.text) > longForm {
		f.least = max(f.least, longFormStep+gramSize+gramStride)
	}
	if len(f.text) >= gramSize+gramStride-1 && all.isNew(f) {
		all.loose = append(all.loose, f)
	}
}

func (all *formSet) addExact(f form) {
	if len(f.text) >= minSecret && all.isNew(f) {
		all.exact = append(all.exact, f)
	}
}

// isNew reports whether a form was not added before, and notes it.
func (all *formSet) isNew(f form) bool {
	key := string(f.text)
	if f.least == 0 {
		key = "exact " + key
	}
	if all.seen[key] {
		return false
	}
	if all.seen == nil {
		all.seen = map[string]bool{}
	}
	all.seen[key] = true
	return true
}

// base64Core is the part of a text's base64 that does not depend on the text
// around it, where the text begins offset bytes after a group of three.
func base64Core(text []byte, offset int, encoding *base64.Encoding) []byte {
	b := []byte(encoding.EncodeToString(append(make([]byte, offset), text...)))
	bits := (len(text) + offset) * 8
	return b[(offset*8+5)/6 : bits/6]
}

// base32Core is the same for base32, whose groups are of five bytes.
func base32Core(text []byte, offset int) []byte {
	b := []byte(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append(make([]byte, offset), text...)))
	bits := (len(text) + offset) * 8
	return b[(offset*8+4)/5 : bits/5]
}

// alnum returns the letters and digits of a text, in lower case.
func alnum(text []byte) []byte {
	s := fold(text, &foldAlnum)
	defer s.release()
	return bytes.Clone(s.text)
}

// reversed returns the bytes of a text in reverse order.
func reversed(text []byte) []byte {
	b := bytes.Clone(text)
	slices.Reverse(b)
	return b
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
