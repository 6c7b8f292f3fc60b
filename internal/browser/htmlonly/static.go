// Package htmlonly reads pages that need no browser: those of which it is certain
// that a browser would show every word, where, and in which order. It knows
// little and doubts everything else: what it does not know makes a page one for
// the browser. It is pure: bytes in, text out.
package htmlonly

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

const (
	mostSource = 512 << 10 // bytes of a page; more is for the browser
	mostDepth  = 200       // elements inside elements; Chromium flattens what is deeper than 512
	mostOutput = 1 << 20   // bytes of text or markup
	mostLeads  = 2000
	mostLead   = 8192 // bytes of an address
	mostTitle  = 1024 // bytes
)

// Page is a page that needs no browser. Open makes it; Style must have said
// yes before it is read.
type Page struct {
	root     *html.Node
	body     *html.Node
	base     *url.Url
	sheets   []string // of its own, in <style>
	linked   []string
	inline   []styled
	looks    map[*html.Node]*look
	rules    map[string]rule // by their selectors
	front    []colour
	ground   []colour
	styled   bool
	standard bool // not in quirks mode
}

// styled is an element with a style attribute.
type styled struct {
	node *html.Node
	text string
}

// Open parses a page. It reports false for one that needs a browser, as far as
// its HTML tells: scripts, frames, elements and attributes that are not known
// to leave the text alone, and bytes that a browser may read otherwise.
func Open(source []byte, contentType, address string) (*Page, bool) {
	if len(source) > mostSource {
		return nil, false
	}
	text, ok := decode(source, contentType)
	if !ok || !sober(text) {
		return nil, false
	}
	base, err := parser.Parse(address)
	if err != nil {
		return nil, false
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, false
	}
	p := &Page{root: root, base: base, looks: map[*html.Node]*look{}, rules: map[string]rule{}}
	if !p.inspect(root, 0) || p.body == nil {
		return nil, false
	}
	return p, true
}

var parser = url.NewParser()

// decode makes UTF-8 of what is said to be UTF-8, Windows-1252 or plain ASCII.
// Where a page does not say, Chromium guesses.
func decode(source []byte, contentType string) (string, bool) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "text/html" || len(params) > 1 || len(params) == 1 && params["charset"] == "" {
		return "", false
	}
	if bytes.HasPrefix(source, []byte("\xef\xbb\xbf")) {
		source = source[3:]
		contentType = "text/html; charset=utf-8"
	}
	encoding, name, certain := charset.DetermineEncoding(source, contentType)
	switch {
	case !certain && !saysUTF8(source) && !(isASCII(source) && !bytes.Contains(source, []byte("charset")) && !bytes.Contains(source, []byte("~{"))):
		return "", false // a declaration that we do not read, or none at all
	case !certain || name == "utf-8":
		return string(source), utf8.Valid(source)
	case name == "windows-1252":
		plain, err := encoding.NewDecoder().Bytes(source)
		return string(plain), err == nil
	}
	return "", false
}

var declaration = regexp.MustCompile(`(?is)^[^-]*?<meta[^>-]*\bcharset\s*=\s*["']?\s*(utf-8)?`)

// saysUTF8 reports whether the first declaration of a page is that it is UTF-8.
func saysUTF8(source []byte) bool {
	m := declaration.FindSubmatch(source[:min(len(source), 1024)]) // where browsers look for it (HTML 13.2.3.2)
	return m != nil && len(m[1]) > 0 && bytes.Count(bytes.ToLower(m[0]), []byte("charset")) == 1
}

func isASCII(source []byte) bool {
	for _, c := range source {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// strange are characters that are taken out of text, or change what others look
// like: control characters, joiners, marks of direction, what has no width.
var strange = regexp.MustCompile(`[\x00-\x08\x0b\x0e-\x1f\x7f-\x{9f}\x{ad}\x{34f}\x{590}-\x{8ff}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{205f}-\x{206f}\x{2800}\x{3164}\x{d7b0}-\x{d7ff}\x{e000}-\x{fdff}\x{fe00}-\x{fe0f}\x{fe70}-\x{feff}\x{ffa0}\x{fff0}-\x{ffff}\x{10000}-\x{1f2ff}\x{20000}-\x{10ffff}]`)

func clear(text string) bool { return !strange.MatchString(text) }

// sober looks at the tags as they are written, as the parser leaves some out:
// in a select they differ between parsers.
func sober(text string) bool {
	z := html.NewTokenizer(strings.NewReader(text))
	selecting := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return clear(text)
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if _, known := tags[tag]; !known && !svgTags[tag] {
				return false
			}
			if selecting && tag != "option" && tag != "optgroup" {
				return false
			}
			selecting = selecting || tag == "select"
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "select" {
				selecting = false
			}
		}
	}
}

// Kinds of elements, by what Chromium's own style sheet makes of them.
const (
	inline  = iota + 1
	block   // a line of its own
	cell    // of a table
	silent  // not shown
	field   // has a value, which is not read
	picture // no text in it
)

var tags = tagKinds(map[int]string{
	inline: "a abbr acronym b big bdi cite code data del dfn em font i img ins kbd label map mark output picture q s samp small span strike strong sub sup time tt u var wbr br button",
	block: "html body address article aside blockquote center div fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section ul " +
		"table thead tbody tfoot tr",
	cell:    "td th",
	silent:  "head title meta link script style noscript source col colgroup area datalist",
	field:   "input textarea select option optgroup meter progress",
	picture: "svg",
})

var svgTags = wordSet("g path rect circle ellipse line polyline polygon defs use symbol lineargradient radialgradient stop clippath")

func tagKinds(lists map[int]string) map[string]int {
	kinds := map[string]int{}
	for kind, list := range lists {
		for tag := range strings.FieldsSeq(list) {
			kinds[tag] = kind
		}
	}
	return kinds
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
