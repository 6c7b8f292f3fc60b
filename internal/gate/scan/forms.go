package scan

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const mostNested = 3 // times that a text is decoded which was encoded more than once

// forms are the ways to read a text: as it is, without letters that nobody
// sees, with percent-encoding decoded, and with what it is called before it.
func forms(t Text, size int) []string {
	var all []string
	for _, part := range ends(t.Value, size) {
		part = visible(part)
		all = append(all, part)
		for range mostNested {
			decoded := decode(part)
			if decoded == part {
				break
			}
			part = decoded
			all = append(all, part)
		}
		if text, secret := labelled(t.Label, part); secret {
			all = append(all, text)
		}
	}
	return all
}

// ends are a text, or the two ends of one that is longer than both, each of
// size bytes.
func ends(text string, size int) []string {
	if len(text) <= 2*size {
		return []string{text}
	}
	return []string{text[:size], text[len(text)-size:]}
}

// visible is a text in the letters that rules are written in: full width and
// the like made plain, what has no shape left out.
func visible(text string) string {
	if isASCII(text) {
		return text
	}
	text = norm.NFKC.String(text)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// decode decodes percent-encoding, where there is any that is complete, and the
// plus signs of a query; the rest stays.
func decode(text string) string {
	if !strings.Contains(text, "%") {
		if strings.Contains(text, "://") {
			return strings.ReplaceAll(text, "+", " ")
		}
		return text
	}
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if plain, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(plain)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
