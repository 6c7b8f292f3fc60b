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

// What of a secret counts, in letters and digits. docs/credentials.md
// "Redaction" has the figures behind the choice.
const (
	shortest   = 4  // bytes: below it nothing is a secret
	loose      = 8  // from here on, with a digit in it, it is found in parts and apart
	looseWords = 12 // likewise, of letters alone
	leastPiece = 16 // of a longer secret, each piece of so many counts
	alone      = 6  // shorter than this, or of letters alone, it must stand by itself
)

// book of forms: those that are found loosely, and those as they are.
type forms struct {
	loose, exact []form
	short        [][]byte // letters and digits of secrets that are found as they are
	seen         map[string]bool
}

// of adds the ways in which a secret may be written, and in which it reads where
// it has escapes itself.
func (all *forms) of(secret string) {
	text := []byte(secret)
	bare := bareOf(text)
	if len(bare) < looseWords && (len(bare) < loose || !bytes.ContainsFunc(bare, isDigit)) {
		if len(text) >= shortest {
			all.asIs(text)
			if len(bare) >= shortest {
				all.short = append(all.short, bare)
			}
		}
		return
	}
	all.apart(text, bare)
	if p := unescape(text); p != nil {
		all.apart(text, bareOf(p.text))
	}
}

// apart adds the forms of a secret that is long enough to be found without
// what stands between its letters, and in pieces.
func (all *forms) apart(text, bare []byte) {
	plain := func(b []byte) {
		all.add(form{text: b, least: leastPiece})
		all.add(form{text: turned(b), least: leastPiece})
	}
	coded := func(b []byte, size int) { // of size letters for each 8 bytes
		b = bareOf(b)
		all.add(form{text: b, least: leastPiece * size / 8})
		all.add(form{text: turned(b), least: leastPiece * size / 8})
	}
	plain(bare)
	for _, escaped := range []string{url.QueryEscape(string(text)), url.PathEscape(string(text)), html.EscapeString(string(text))} {
		if b := bareOf([]byte(escaped)); !bytes.Equal(b, bare) {
			all.add(form{text: turned(b), least: leastPiece})
		}
	}
	coded([]byte(hex.EncodeToString(text)), 16)
	for offset := range 3 {
		coded(base64Of(text, offset, base64.RawStdEncoding), 11)
	}
	for offset := range 5 {
		coded(base32Of(text, offset), 13)
	}
}

// asIs adds the forms of a short secret, each of which must be there letter by
// letter.
func (all *forms) asIs(text []byte) {
	bounded := len(text) < alone || !bytes.ContainsFunc(text, func(r rune) bool { return r < 'A' || r > 'z' })
	all.whole(form{text: text, bounded: bounded})
	all.whole(form{text: turned(text), bounded: bounded})
	digits := []byte(hex.EncodeToString(text))
	all.whole(form{text: digits})
	all.whole(form{text: bytes.ToUpper(digits)})
	for offset := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all.whole(form{text: base64Of(text, offset, encoding)})
		}
	}
}

func (all *forms) add(f form) {
	if len(f.text) > sparse {
		f.least = max(f.least, thinned+gram+stride)
	}
	if len(f.text) >= gram+stride-1 && all.fresh(f) {
		all.loose = append(all.loose, f)
	}
}

func (all *forms) whole(f form) {
	if len(f.text) >= shortest && all.fresh(f) {
		all.exact = append(all.exact, f)
	}
}

// fresh reports whether a form is there for the first time.
func (all *forms) fresh(f form) bool {
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

// base64Of is what of a text's base64 does not depend on what is around it, for
// a text that begins offset bytes after a group of three.
func base64Of(text []byte, offset int, encoding *base64.Encoding) []byte {
	b := []byte(encoding.EncodeToString(append(make([]byte, offset), text...)))
	bits := (len(text) + offset) * 8
	return b[(offset*8+5)/6 : bits/6]
}

// base32Of is the same of base32, whose groups are of five bytes.
func base32Of(text []byte, offset int) []byte {
	b := []byte(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append(make([]byte, offset), text...)))
	bits := (len(text) + offset) * 8
	return b[(offset*8+4)/5 : bits/5]
}

// bareOf is a text without what is neither letter nor digit, in lower case.
func bareOf(text []byte) []byte {
	s := read(text, &loosely)
	defer s.release()
	return bytes.Clone(s.text)
}

// turned is a text backwards.
func turned(text []byte) []byte {
	b := bytes.Clone(text)
	slices.Reverse(b)
	return b
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
