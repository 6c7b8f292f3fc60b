package outgoing

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/csv"
	"io"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	maxFields = 200      // of one body; beyond them only fields with new names are read
	maxNames  = 2000     // different names of fields of one body
	maxName   = 200      // bytes of a name
	maxValue  = 500      // bytes of a value
	maxText   = 32 << 10 // bytes of a text that is neither a form nor JSON
	maxBody   = 8 << 20  // bytes that are read
	maxDepth  = 200      // levels of JSON
	maxNested = 4        // encodings within each other: JSON in a form in base64
)

// Content is what the body of a request says.
type Content struct {
	Fields  []action.BodyField
	Unread  bool // Fields does not contain all of it
	Cut     bool // because it is too large
	Unknown bool // a part of it is in no form that can be read
}

// Body reads what a request sends: the fields of a form, the members of JSON by their path
// ("order.items.0.id"), or the whole text as a field without a name. It reads several JSON
// values that follow each other, parts of multipart bodies, the requests of a batch, gzip,
// and JSON and forms within values, also in base64. Their fields have the name of the value
// before their own.
func Body(contentType string, body []byte) Content {
	if len(body) == 0 {
		return Content{}
	}
	r := &bodyReader{names: map[string]bool{}}
	r.body(contentType, "", body, 0)
	r.Unread = r.Unread || r.Cut || r.Unknown
	return r.Content
}

type bodyReader struct {
	Content
	names map[string]bool // of earlier fields, with 0 for each number
}

// body reads a body, or a part of one. path is the name of the part, level the number of
// encodings around it.
func (r *bodyReader) body(contentType, path string, body []byte, level int) {
	if level > maxNested {
		r.Unknown = true
		return
	}
	if len(body) > maxBody {
		body, r.Cut = body[:maxBody], true
	}
	kind, params := kindOf(contentType)
	if action := params["action"]; action != "" && level == 0 { // of SOAP 1.2
		r.add("SOAPAction", action)
	}
	if charset := params["charset"]; charset != "" && !plainCharset.MatchString(charset) {
		r.Cut = true // its letters may be other bytes than ours
	}
	if plain, packed := r.unpack(body); packed {
		r.body(contentType, path, plain, level+1)
		return
	}
	body = toUTF8(body)
	switch text := bytes.TrimSpace(body); {
	case kind == "application/x-www-form-urlencoded":
		r.Cut = r.Cut || bytes.ContainsFunc(body, func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) }) // packed
		r.form(path, string(body), level)
	case strings.HasPrefix(kind, "multipart/"):
		r.multipart(path, body, params["boundary"], level)
	case !utf8.Valid(body):
		r.Unread, r.Unknown = true, r.Unknown || !IsMedia(contentType)
		if !IsMedia(contentType) {
			r.identifiers(path, body)
		}
	case strings.Contains(kind, "json"):
		if !r.json(path, text, level) {
			r.add(path, string(text))
			r.loose(path, string(text))
			r.Unknown = true
		}
	case kind == "application/graphql":
		r.add(path, string(text))
	case looksLikeForm(string(text)):
		r.form(path, string(text), level)
	case kind == "text/plain" && formLines.Match(text):
		r.add(path, string(text))
		r.lines(path, string(text), level)
	case separators[kind] != "":
		r.add(path, string(text))
		r.table(path, string(text), separators[kind])
	default:
		r.text(kind, path, string(text), level)
	}
}

// separators are those of the columns of tables, by their media type: CSV has semicolons too.
var separators = map[string]string{"text/csv": ",;", "application/csv": ",;", "text/tab-separated-values": "\t"}

// table reads the columns of a table that may say what is to be done with its rows.
func (r *bodyReader) table(path, text, separators string) {
	for _, separator := range separators {
		rows := csv.NewReader(strings.NewReader(text))
		rows.Comma, rows.LazyQuotes, rows.FieldsPerRecord = separator, true, -1
		names, err := rows.Read()
		for i := 0; err == nil && i < maxRows; i++ {
			var row []string
			if row, err = rows.Read(); err != nil {
				break
			}
			for column, value := range row {
				if column < len(names) && orderName.MatchString(names[column]) {
					r.add(joinPath(path, names[column]), value)
				}
			}
		}
	}
}

const maxRows = 10_000 // of a table that are read

// identifiers adds the names in bytes that nobody can read as a whole, as in MessagePack, CBOR and
// protocol buffers, with bars between them.
func (r *bodyReader) identifiers(path string, body []byte) {
	body = body[:min(len(body), maxText)]
	found := word.FindAll(body, maxNames)
	for _, run := range found {
		found = append(found, cborTexts(run)...)
	}
	if found = slices.DeleteFunc(found, func(w []byte) bool { return !operation.Match(w) }); len(found) > 0 {
		r.add(path, "||||"+string(bytes.Join(found, []byte("|"))))
	}
}

// cborTexts are the texts in a run of letters if it is a sequence of texts in CBOR, each with its
// length before it: a letter, for short ones.
func cborTexts(run []byte) (texts [][]byte) {
	for len(run) > 0 {
		length := int(run[0]) - 0x60
		if length < 1 || length > 23 || length >= len(run) {
			return nil
		}
		texts, run = append(texts, run[1:1+length]), run[1+length:]
	}
	return texts
}

var (
	word = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_.]{2,60}`)
	// operation matches a name of a method or an operation: delete, deleteItem, item.delete,
	// DeleteItem. Another word that begins with a capital letter is a text for people.
	operation = regexp.MustCompile(`^([a-z]|[A-Z][a-z0-9]*[A-Z._])`)
)

// plainCharset matches the names of charsets in which ASCII letters are ASCII, and UTF-16.
var plainCharset = regexp.MustCompile(`(?i)^"?(utf-?8|utf-?16.*|(us-)?ascii|iso-?8859.*|latin.*|windows-\d+|cp125\d|shift[-_]jis|sjis|euc-\w+|gb\w+|big5.*|koi8-\w|macintosh|x-user-defined)"?$`)

// formLines matches a text of lines with a name and a value: a form with the enctype text/plain.
var formLines = regexp.MustCompile(`^[\w.\[\]:$-]+=[^\n]*(\r?\n[\w.\[\]:$-]+=[^\n]*)*$`)

// kindOf is the media type of a Content-Type, in lower case, with its parameters.
func kindOf(contentType string) (kind string, params map[string]string) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	return kind, params
}

// IsMedia reports whether a Content-Type is one of files that servers store and do not read
// for what to do.
func IsMedia(contentType string) bool {
	kind, _ := kindOf(contentType)
	family, _, _ := strings.Cut(kind, "/")
	return family == "image" && kind != "image/svg+xml" || family == "audio" || family == "video" || family == "font" || kind == "application/pdf" || kind == "application/zip"
}

// isData reports whether a Content-Type is one of data that servers read for what to do.
func isData(contentType string) bool {
	kind, _ := kindOf(contentType)
	return strings.Contains(kind, "json") || strings.HasSuffix(kind, "xml") || strings.HasPrefix(kind, "multipart/") ||
		kind == "application/x-www-form-urlencoded" || kind == "application/graphql" || kind == "application/http"
}

// unpack decompresses gzip and zlib.
func (r *bodyReader) unpack(body []byte) (plain []byte, packed bool) {
	var reader io.Reader
	var err error
	switch {
	case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
		reader, err = gzip.NewReader(bytes.NewReader(body))
	case len(body) > 1 && body[0] == 0x78 && (int(body[0])<<8|int(body[1]))%31 == 0:
		reader, err = zlib.NewReader(bytes.NewReader(body))
	default:
		return nil, false
	}
	if err != nil {
		return nil, false
	}
	plain, err = io.ReadAll(io.LimitReader(reader, maxBody+1))
	if err != nil && body[0] == 0x78 {
		return nil, false // a text that begins with "x"
	}
	r.Unknown = r.Unknown || err != nil
	return plain, true
}

// prose are the kinds of texts that are written for people.
var prose = map[string]bool{"": true, "text/plain": true, "text/markdown": true, "text/html": true, "text/csv": true, "text/css": true, "text/xml": true, "application/xml": true, "image/svg+xml": true}

// text reads a text that says of itself to be neither JSON nor a form.
func (r *bodyReader) text(kind, path, text string, level int) {
	if start := jsonStart.FindString(text); start != "" && r.json(path, []byte(text[len(start)-1:]), level) {
		return
	}
	r.add(path, text)
	if strings.HasPrefix(text, "<") {
		return
	}
	found := 0
	if strings.HasPrefix(text, "{") || !prose[kind] {
		found = r.loose(path, text)
	}
	controls := strings.ContainsFunc(text, func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' && c != '\n' })
	if controls {
		r.identifiers(path, []byte(text))
	}
	r.Unknown = r.Unknown || controls || found > 0 || !prose[kind]
}

// jsonStart matches what messages have before JSON: the number of a message's kind, or of
// its bytes.
var jsonStart = regexp.MustCompile(`^[\d:,/-]{0,16}[{\[]`)

// add adds a field. After maxFields it leaves out fields whose name is known: a field that
// says what the request does has a name of its own.
func (r *bodyReader) add(name, value string) {
	plain := truncate(numbers.ReplaceAllString(name, "0"), maxName)
	if orderName.MatchString(plain) { // servers may take the last of several values
		plain += "=" + truncate(value, maxName)
	}
	switch seen := r.names[plain]; {
	case len(r.Fields) < maxFields:
	case seen:
		r.Unread = true
		return
	case len(r.names) >= maxNames:
		r.Unread, r.Cut = true, true
		return
	}
	r.names[plain] = true
	most := maxValue
	document := name[strings.LastIndexByte(name, '.')+1:] == "query" // of GraphQL, which is read as one
	if name == "" || document {
		most = maxText
	}
	if len(value) > most && !document {
		value = strings.Join(strings.Fields(value), " ")
	}
	r.Fields = append(r.Fields, action.BodyField{Name: truncate(name, maxName), Value: truncate(value, most)})
}

// orderName matches names of fields that may say what a request does.
var orderName = regexp.MustCompile(`(?i)(action|method|op|operation|cmd|command|do|task|verb|event|type|submit|button|commit|func|function|mode|status|state)\W*$`)

var numbers = regexp.MustCompile(`\d+`)

// truncate cuts a text to at most so many bytes, whole characters.
func truncate(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

func (r *bodyReader) form(path, text string, level int) {
	for pair := range strings.SplitSeq(text, "&") {
		r.pair(path, pair, level)
		// Some servers take a semicolon for &.
		if first, rest, more := strings.Cut(pair, ";"); more && strings.Contains(first, "=") {
			for inner := range strings.SplitSeq(rest, ";") {
				if strings.Contains(inner, "=") {
					r.pair(path, inner, level)
				}
			}
		}
	}
}

// lines reads a form with one field in each line.
func (r *bodyReader) lines(path, text string, level int) {
	for line := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\r"), "=")
		r.value(joinPath(path, name), value, level)
	}
}

func (r *bodyReader) pair(path, pair string, level int) {
	if pair == "" {
		return
	}
	name, value, _ := strings.Cut(pair, "=")
	r.value(joinPath(path, unescape(name)), unescape(value), level)
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

func looksLikeForm(text string) bool {
	name, _, pairs := strings.Cut(text, "=")
	return pairs && name != "" && !strings.ContainsAny(text, " \n<>{}")
}
