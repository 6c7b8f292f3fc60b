package leaksite

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// minLeak is how many consecutive characters of a secret, in any form, are a
// leak.
const minLeak = 16

// maxGap is how many other characters may be between two neighbours of a secret
// whose characters are spread out.
const maxGap = 32

// Finder finds secrets in any encoding. It shares no code with the product's own
// search, so that a mistake in the one does not hide a mistake in the other.
type Finder struct {
	windows map[string]string // minLeak characters of a form -> what it is
	begins  [1 << 18]bool     // whether a window begins with these characters; skips most positions
	sizes   []int             // of windows
	threads []*spread
}

// spread is a text whose characters may be spread out.
type spread struct {
	is    string
	size  int
	where [256][]int // positions of each character in the text, from 1, last first
}

func newSpread(text, is string) *spread {
	t := &spread{is: is, size: len(text)}
	for at := len(text); at > 0; at-- {
		t.where[text[at-1]] = append(t.where[text[at-1]], at)
	}
	return t
}

// Find makes a finder of some secrets.
func Find(secrets ...Canary) *Finder {
	f := &Finder{windows: map[string]string{}}
	for _, s := range secrets {
		for _, form := range written(s.Value) {
			f.add(form, s.Kind)
		}
	}
	return f
}

// form is an encoding of a text, with the number of its characters that are a
// leak.
type form struct {
	name, text string
	window     int
	apart      bool // its alphabet is so large that the order of the characters alone is evidence
}

// written lists the encodings of a text that views does not decode.
func written(text string) []form {
	bare := strings.Map(letter, text) // punctuation is not significant
	forms := []form{
		{"raw", bare, minLeak, mixed(text)}, {"reversed", reversed(bare), minLeak, mixed(text)},
		{"lower case", strings.ToLower(bare), minLeak, false}, {"upper case", strings.ToUpper(bare), minLeak, false},
		{"hex", hex.EncodeToString([]byte(text)), 2 * minLeak, false},
		{"hex", strings.ToUpper(hex.EncodeToString([]byte(text))), 2 * minLeak, false},
	}
	for offset := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", offset) + text))
		encoded = encoded[[]int{0, 2, 3}[offset] : len(encoded)-[]int{0, 2, 3}[(offset+len(text))%3]]
		for _, is := range []string{encoded, strings.NewReplacer("+", "-", "/", "_").Replace(encoded)} {
			forms = append(forms, form{"base64", is, minLeak * 4 / 3, false}, form{"base64", strings.Map(letter, is), minLeak * 4 / 3, false})
		}
	}
	for offset := range 5 {
		encoded := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(strings.Repeat("x", offset) + text))
		encoded = encoded[min(len(encoded), (offset*8+4)/5):]
		forms = append(forms, form{"base32", encoded[:len(encoded)-1], minLeak * 8 / 5, false})
	}
	return forms
}

// mixed reports whether a text has capitals and small letters.
func mixed(text string) bool { return strings.ToLower(text) != text && strings.ToUpper(text) != text }

func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

func (f *Finder) add(form form, kind string) {
	is := kind + " (" + form.name + ")"
	if !slices.Contains(f.sizes, form.window) {
		f.sizes = append(f.sizes, form.window)
	}
	for at := 0; at+form.window <= len(form.text); at++ {
		f.windows[form.text[at:at+form.window]] = is
		f.begins[begin(form.text[at:])] = true
	}
	if form.apart {
		f.threads = append(f.threads, newSpread(form.text, is+" taken apart"))
	}
}

// begin hashes the first three characters of a text.
func begin(text string) int { return (int(text[0])<<12 ^ int(text[1])<<6 ^ int(text[2])) & (1<<18 - 1) }

// In lists the secrets that are in a text or in the bytes of a file, each once.
func (f *Finder) In(data []byte) []string {
	text := string(data)
	seen := read(text)
	looks := make([]func() []string, 0, 5)
	for _, view := range views(text, seen) {
		looks = append(looks, func() []string { return f.whole(view) })
	}
	looks = append(looks, func() []string { return f.apart(seen) })
	all := make([][]string, len(looks)) // results of each
	var looking sync.WaitGroup
	for i, look := range looks {
		looking.Go(func() { all[i] = look() })
	}
	looking.Wait()
	var found []string
	for _, is := range slices.Concat(all...) {
		if !slices.Contains(found, is) {
			found = append(found, is)
		}
	}
	return found
}

// whole lists the secrets of which a piece is in a text.
func (f *Finder) whole(view string) (found []string) {
	for at := 0; at+3 <= len(view); at++ {
		if !f.begins[begin(view[at:])] {
			continue
		}
		for _, size := range f.sizes {
			if at+size > len(view) {
				continue
			}
			if is, bad := f.windows[view[at:at+size]]; bad && !slices.Contains(found, is) {
				found = append(found, is)
			}
		}
	}
	return found
}

// apart lists the secrets whose characters are in a text in their order.
func (f *Finder) apart(text string) (found []string) {
	for _, t := range f.threads {
		if t.in(text) && !slices.Contains(found, t.is) {
			found = append(found, t.is)
		}
	}
	return found
}

// in reports whether the characters of t are in a text in their order, with at
// most maxGap others between two of them.
func (t *spread) in(text string) bool {
	ends := make([]int, t.size+1) // end of the latest run with this many characters, from 1
	for at := range len(text) {
		for _, n := range t.where[text[at]] {
			if n == 1 || ends[n-1] > 0 && at+1-ends[n-1] <= maxGap {
				ends[n] = at + 1
			}
		}
		if ends[t.size] > 0 {
			return true
		}
	}
	return false
}

// views returns a text as it is, decoded, and with only the letters and digits of
// the decoded text.
func views(text, seen string) []string {
	all := []string{text, strings.Map(letter, seen)}
	if seen != text {
		all = append(all, seen)
	}
	if utf8.ValidString(text) { // a binary file has no markup between the parts of a text
		all = append(all, strings.Map(letter, frame.ReplaceAllString(seen, "")))
	}
	return all
}

func letter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

var (
	// what separates the parts of a text in HTML, JSON, snapshots and dumps
	frame   = regexp.MustCompile(`(?m)<[^<>]{0,200}>|"role": ?"\w+"|"\w+":|^ *[-+~]? ?[a-z]+ |\[e\d+\]|\b0x`)
	escaped = regexp.MustCompile(`\\u\{[0-9a-fA-F]{1,6}\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[/"'\\]`)
	percent = regexp.MustCompile(`(%[0-9a-fA-F]{2})+`)
	quoted  = regexp.MustCompile(`=\r?\n$|(=[0-9A-F]{2})+`)
)

// read decodes the escapes of JSON, JavaScript, HTML, addresses and mail in a
// text, up to four levels deep.
func read(text string) string {
	for range 4 {
		before := text
		text = replaced(text, `\`, escaped, unescape)
		text = html.UnescapeString(text)
		text = replaced(text, "%", percent, func(is string) string { return bytesOf(is, "%") })
		text = replaced(text, "=", quoted, func(is string) string { return bytesOf(strings.TrimLeft(is, "=\r\n"), "=") })
		if text == before {
			break
		}
	}
	return text
}

// replaced applies an expression only to lines that contain its first characters.
// Most lines do not.
func replaced(text, begins string, is *regexp.Regexp, with func(string) string) string {
	if !strings.Contains(text, begins) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, begins) {
			line = is.ReplaceAllStringFunc(line, with)
		}
		b.WriteString(line)
	}
	return b.String()
}

func unescape(is string) string {
	digits := strings.Trim(is[min(2, len(is)):], "{}")
	code, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || digits == "" {
		return is[1:]
	}
	return string(rune(code))
}

// bytesOf reads hexadecimal digits, each pair after sign.
func bytesOf(is, sign string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(is, sign, ""))
	if err != nil {
		return is
	}
	return string(b)
}
