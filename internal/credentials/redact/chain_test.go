package redact_test

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

// encoding is a way in which a text may be written.
type encoding struct {
	name  string
	write func(string) string
}

func each(format string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
}

func between(separator string) func(string) string {
	return func(s string) string { return strings.Join(strings.Split(s, ""), separator) }
}

// escapes and codes may be nested in one another; separated are not nested.
var (
	escapes = []encoding{
		{"url", url.QueryEscape}, {"url path", url.PathEscape}, {"percent", each("%%%02x")}, {"PERCENT", each("%%%02X")},
		{"html", html.EscapeString}, {"decimal", each("&#%d;")}, {"hexadecimal", each("&#x%x;")},
		{"json", quoted}, {"\\u", each("\\u%04x")}, {"\\x", each("\\x%02x")}, {"\\/", func(s string) string { return strings.ReplaceAll(s, "/", "\\/") }},
		{"reversed", reversed},
	}
	codes = []encoding{
		{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
		{"HEX", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
		{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
		{"base64url", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
		{"base64+1", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s)) }},
		{"base64+2", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("xy" + s + "z")) }},
	}
	separated = []encoding{
		{"blanks", between(" ")}, {"lines", between("\n")}, {"zero-width", between("\u200b")}, {"dots", between(".")},
		{"tags", func(s string) string { return "<b>" + between("</b><b>")(s) + "</b>" }},
		{"list", numbered}, {"snapshot", lined}, {"utf-16", wide}, {"fullwidth", fullwidth},
		{"hex:", each("%02x:")}, {"\\u{}", each("\\u{%x}")}, {"octal", each("\\%03o")}, {"%u", each("%%u%04x")},
		{"base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte("a" + s)) }},
		{"mime", func(s string) string { return folded(base64.StdEncoding.EncodeToString([]byte(s))) }},
	}
)

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return strings.Trim(string(b), `"`)
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func numbered(s string) string {
	var b strings.Builder
	for i, c := range s {
		fmt.Fprintf(&b, "%d. %c\n", i+1, c)
	}
	return b.String()
}

func lined(s string) string {
	var b strings.Builder
	for i, c := range s {
		fmt.Fprintf(&b, "  - listitem \"%c\" [ref=e%d]\n", c, i+1)
	}
	return b.String()
}

func wide(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	return b.String()
}

func fullwidth(s string) string {
	return strings.Map(func(r rune) rune {
		if '!' <= r && r <= '~' {
			return r + 0xff01 - '!'
		}
		return r
	}, s)
}

func folded(s string) string {
	var b strings.Builder
	for line := range slices.Chunk([]byte(s), 20) {
		b.WriteString(string(line) + "\r\n")
	}
	return b.String()
}

// shapes are secrets as sites and people make them.
func shapes(r *rand.Rand) []string {
	return []string{
		random(r, 16), random(r, 40), hex.EncodeToString([]byte(random(r, 16))),
		random(r, 8) + "-" + random(r, 4) + "-" + random(r, 12) + "7",
		random(r, 12) + "/+" + random(r, 12) + "==1",
		"p4ss&" + random(r, 10) + "<\"'>%41" + random(r, 6),
		"eyJhbGciOiJIUzI1NiJ9." + random(r, 60) + "." + random(r, 43),
	}
}

func TestNoChainOfTwoEncodingsHidesASecret(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := append(slices.Clone(escapes), codes...)
	for _, secret := range shapes(r) {
		m := redact.New(credentials.Keep(secret))
		for _, inner := range append(slices.Clone(all), encoding{"raw", func(s string) string { return s }}) {
			for _, outer := range all {
				check(t, m, outer.name+" of "+inner.name, outer.write(inner.write(secret)), secret)
			}
		}
		for _, e := range separated {
			check(t, m, e.name, e.write(secret), secret)
		}
	}
}

// check fails where a form of the secret is left, alone or inside of other text.
// Escaped punctuation may stay.
func check(t *testing.T, m *redact.Matcher, name, form, secret string) {
	t.Helper()
	words := strings.FieldsFunc(secret, func(r rune) bool { return !strings.ContainsRune(letters, r) })
	for _, text := range []string{form, "It was here: " + form + ", they said.", "{\"value\":\"" + form + "\"}", "k=" + form + "&x=1"} {
		got := m.Text(text)
		if left := longest(got, form); strings.Contains(got, form) || len(words) == 1 && left > max(10, len(form)/4) {
			t.Errorf("%s: %d of %d characters are left: %q of %q", name, left, len(form), got, text)
			return
		}
		for _, w := range words {
			if len(w) >= 4 && strings.Contains(got, w) {
				t.Errorf("%s: %q is left: %q of %q", name, w, got, text)
				return
			}
		}
	}
}

// longest is the length of the longest piece of form in text.
func longest(text, form string) (most int) {
	for i := range form {
		for i+most < len(form) && strings.Contains(text, form[i:i+most+1]) {
			most++
		}
	}
	return most
}

func FuzzChains(f *testing.F) {
	f.Add(uint64(1), byte(0), byte(1), "some text", "more")
	f.Add(uint64(2), byte(14), byte(3), "", "")
	all := append(slices.Clone(escapes), codes...)
	f.Fuzz(func(t *testing.T, seed uint64, inner, outer byte, before, after string) {
		r := rand.New(rand.NewPCG(seed, 5))
		secret := random(r, 16+int(seed%40))
		m := redact.New(credentials.Keep(secret))
		if around := before + " " + after; m.Text(around) != around {
			t.Errorf("a text without the secret was changed: %q", around)
		}
		i, o := all[int(inner)%len(all)], all[int(outer)%len(all)]
		form := o.write(i.write(secret))
		if got := m.Text(before + " " + form + " " + after); strings.Contains(got, form) {
			t.Errorf("%s of %s is left: %q in %q", o.name, i.name, form, got)
		}
	})
}
