package outgoing

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
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
)

// Body reads what a request sends: the fields of a form, the members of JSON by their path
// ("order.items.0.id"), or the whole text as a field without a name. unread says that not
// all of it was read, cut that this is because the body is too large.
func Body(contentType string, body []byte) (fields []action.BodyField, unread, cut bool) {
	if len(body) == 0 {
		return nil, false, false
	}
	r := &bodyReader{names: map[string]bool{}}
	if len(body) > maxBody {
		body, r.cut = body[:maxBody], true
	}
	body = toUTF8(body)
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	switch text := bytes.TrimSpace(body); {
	case kind == "application/x-www-form-urlencoded":
		r.form(string(body))
	case kind == "multipart/form-data":
		r.multipart(body, params["boundary"])
	case strings.HasSuffix(kind, "json") || looksLikeJSON(text):
		r.json(text)
	case utf8.Valid(body) && looksLikeForm(string(text)):
		r.form(string(text))
	case utf8.Valid(body):
		r.add("", string(body))
	default:
		r.unread = true
	}
	return r.fields, r.unread || r.cut, r.cut
}

// toUTF8 converts a text with the byte order mark of UTF-16, or that looks like UTF-16, to
// UTF-8, and removes the byte order mark.
func toUTF8(body []byte) []byte {
	order := binary.ByteOrder(nil)
	switch {
	case len(body)%2 != 0 && !bytes.HasPrefix(body, []byte{0xef, 0xbb, 0xbf}):
		return body
	case bytes.HasPrefix(body, []byte{0xef, 0xbb, 0xbf}):
		return body[3:]
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}), len(body) > 3 && body[0] != 0 && body[1] == 0 && body[2] != 0 && body[3] == 0:
		order = binary.LittleEndian
	case bytes.HasPrefix(body, []byte{0xfe, 0xff}), len(body) > 3 && body[0] == 0 && body[1] != 0 && body[2] == 0 && body[3] != 0:
		order = binary.BigEndian
	default:
		return body
	}
	units := make([]uint16, 0, len(body)/2)
	for ; len(body) > 1; body = body[2:] {
		units = append(units, order.Uint16(body))
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}

type bodyReader struct {
	fields []action.BodyField
	names  map[string]bool // of earlier fields, with 0 for each number
	unread bool
	cut    bool
}

// add adds a field. After maxFields it leaves out fields whose name is known: a field that
// says what the request does has a name of its own.
func (r *bodyReader) add(name, value string) {
	plain := truncate(numbers.ReplaceAllString(name, "0"), maxName)
	switch seen := r.names[plain]; {
	case len(r.fields) < maxFields:
	case seen:
		r.unread = true
		return
	case len(r.names) >= maxNames:
		r.unread, r.cut = true, true
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
	r.fields = append(r.fields, action.BodyField{Name: truncate(name, maxName), Value: truncate(value, most)})
}

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

func (r *bodyReader) form(text string) {
	for pair := range strings.SplitSeq(text, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		r.add(unescape(name), unescape(value))
	}
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

func (r *bodyReader) multipart(body []byte, boundary string) {
	if boundary == "" {
		r.unread = true
		return
	}
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := reader.NextRawPart()
		if err != nil {
			r.unread = r.unread || !errors.Is(err, io.EOF)
			return
		}
		if name := part.FileName(); name != "" {
			r.add(part.FormName(), "file "+name)
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, maxValue+1))
		r.unread = r.unread || err != nil
		r.add(part.FormName(), string(value))
	}
}

func looksLikeJSON(text []byte) bool {
	return len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid(text)
}

func looksLikeForm(text string) bool {
	name, _, pairs := strings.Cut(text, "=")
	return pairs && name != "" && !strings.ContainsAny(text, " \n<>{}")
}

func (r *bodyReader) json(text []byte) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		r.add("", string(text))
		r.unread = true
		return
	}
	r.member("", value, 0)
}

func (r *bodyReader) member(path string, value any, depth int) {
	if depth > maxDepth {
		r.unread, r.cut = true, true
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			r.member(joinPath(path, name), inner, depth+1)
		}
	case []any:
		for i, inner := range v {
			r.member(joinPath(path, strconv.Itoa(i)), inner, depth+1)
		}
	case string:
		r.add(path, v)
	case nil:
		r.add(path, "null")
	default: // a number or a boolean
		text, err := json.Marshal(v)
		r.unread = r.unread || err != nil
		r.add(path, string(text))
	}
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
