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

// telling is how many letters of a secret in a row, in any form, are a leak.
const telling = 16

// stretch is how many other letters may stand between two neighbours of a
// secret that was taken apart.
const stretch = 32

// Finder looks for secrets in whatever form they may have been given. It knows
// nothing of how the product finds them, so that what the one overlooks the
// other does not.
type Finder struct {
	windows map[string]string // telling letters of a form -> what it is
	begins  [1 << 18]bool     // by how the windows begin: most places are passed by this alone
	sizes   []int             // of windows
	threads []*thread
}

// thread is a text whose letters may lie apart.
type thread struct {
	is    string
	size  int
	where [256][]int // of each letter, the places it has in the text, from 1, last first
}

func newThread(text, is string) *thread {
	t := &thread{is: is, size: len(text)}
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

// form is a way to write a text down, with how many letters of it tell.
type form struct {
	name, text string
	window     int
	apart      bool // its letters are of an alphabet so large that their order alone tells
}

// written lists the forms of a text that no decoder of views takes back.
func written(text string) []form {
	bare := strings.Map(letter, text) // signs between them tell nothing of their own
	forms := []form{
		{"raw", bare, telling, mixed(text)}, {"reversed", reversed(bare), telling, mixed(text)},
		{"lower case", strings.ToLower(bare), telling, false}, {"upper case", strings.ToUpper(bare), telling, false},
		{"hex", hex.EncodeToString([]byte(text)), 2 * telling, false},
		{"hex", strings.ToUpper(hex.EncodeToString([]byte(text))), 2 * telling, false},
	}
	for offset := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", offset) + text))
		encoded = encoded[[]int{0, 2, 3}[offset] : len(encoded)-[]int{0, 2, 3}[(offset+len(text))%3]]
		for _, is := range []string{encoded, strings.NewReplacer("+", "-", "/", "_").Replace(encoded)} {
			forms = append(forms, form{"base64", is, telling * 4 / 3, false}, form{"base64", strings.Map(letter, is), telling * 4 / 3, false})
		}
	}
	for offset := range 5 {
		encoded := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(strings.Repeat("x", offset) + text))
		encoded = encoded[min(len(encoded), (offset*8+4)/5):]
		forms = append(forms, form{"base32", encoded[:len(encoded)-1], telling * 8 / 5, false})
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
		f.threads = append(f.threads, newThread(form.text, is+" taken apart"))
	}
}

// begin is a number of the first three letters of a text.
func begin(text string) int { return (int(text[0])<<12 ^ int(text[1])<<6 ^ int(text[2])) & (1<<18 - 1) }

// In lists what of the secrets is in a text or in the bytes of a file, each
// once.
func (f *Finder) In(data []byte) []string {
	text := string(data)
	seen := read(text)
	looks := make([]func() []string, 0, 5)
	for _, view := range views(text, seen) {
		looks = append(looks, func() []string { return f.whole(view) })
	}
	looks = append(looks, func() []string { return f.apart(seen) })
	all := make([][]string, len(looks)) // what each found
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

// whole lists the secrets of which a piece stands in a text.
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

// apart lists the secrets whose letters stand in a text in their order.
func (f *Finder) apart(text string) (found []string) {
	for _, t := range f.threads {
		if t.in(text) && !slices.Contains(found, t.is) {
			found = append(found, t.is)
		}
	}
	return found
}

// in reports whether the letters of t stand in a text in their order, with at
// most stretch others between two of them.
func (t *thread) in(text string) bool {
	ends := make([]int, t.size+1) // where the newest run of so many letters ended, from 1
	for at := range len(text) {
		for _, n := range t.where[text[at]] {
			if n == 1 || ends[n-1] > 0 && at+1-ends[n-1] <= stretch {
				ends[n] = at + 1
			}
		}
		if ends[t.size] > 0 {
			return true
		}
	}
	return false
}

// views are the ways to look at a text: as it is, read, and of that the letters
// and digits only.
func views(text, seen string) []string {
	all := []string{text, strings.Map(letter, seen)}
	if seen != text {
		all = append(all, seen)
	}
	if utf8.ValidString(text) { // in a binary file nothing stands between the parts of a text
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
	// what stands between the parts of a text in HTML, JSON, snapshots and dumps
	frame   = regexp.MustCompile(`(?m)<[^<>]{0,200}>|"role": ?"\w+"|"\w+":|^ *[-+~]? ?[a-z]+ |\[e\d+\]|\b0x`)
	escaped = regexp.MustCompile(`\\u\{[0-9a-fA-F]{1,6}\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[/"'\\]`)
	percent = regexp.MustCompile(`(%[0-9a-fA-F]{2})+`)
	quoted  = regexp.MustCompile(`=\r?\n$|(=[0-9A-F]{2})+`)
)

// read takes the escapes out of a text: of JSON and JavaScript, HTML, addresses,
// and mail, four deep.
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

// replaced looks only at the lines that have what an expression begins with:
// most have not.
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

// bytesOf reads hexadecimal digits that each stand behind a sign.
func bytesOf(is, sign string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(is, sign, ""))
	if err != nil {
		return is
	}
	return string(b)
}
