package outgoing

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	mostFields = 200     // of one body; more are counted as unread
	mostName   = 200     // bytes of a name
	mostValue  = 500     // bytes of a value
	mostBody   = 1 << 20 // bytes that are read
	mostDepth  = 12      // levels of a JSON document
)

// Body reads what a request sends: the fields of a form, the members of a JSON
// document by their path ("order.items.0.id"), or the whole text as a field
// without a name. unread says that there is more than was read.
func Body(contentType string, body []byte) (fields []action.BodyField, unread bool) {
	if len(body) == 0 {
		return nil, false
	}
	r := &bodyReader{}
	if len(body) > mostBody {
		body, r.unread = body[:mostBody], true
	}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	switch text := bytes.TrimSpace(body); {
	case kind == "application/x-www-form-urlencoded":
		r.form(string(body))
	case kind == "multipart/form-data":
		r.parts(body, params["boundary"])
	case strings.HasSuffix(kind, "json") || looksLikeJSON(text):
		r.document(text)
	case utf8.Valid(body) && looksLikeForm(string(text)):
		r.form(string(text))
	case utf8.Valid(body):
		r.add("", string(body))
	default:
		r.unread = true
	}
	return r.fields, r.unread
}

type bodyReader struct {
	fields []action.BodyField
	unread bool
}

func (r *bodyReader) add(name, value string) {
	if len(r.fields) >= mostFields {
		r.unread = true
		return
	}
	r.fields = append(r.fields, action.BodyField{Name: short(name, mostName), Value: short(value, mostValue)})
}

// short is a text of at most so many bytes, whole characters.
func short(text string, most int) string {
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
		r.add(unescaped(name), unescaped(value))
	}
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

func (r *bodyReader) parts(body []byte, boundary string) {
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
		value, err := io.ReadAll(io.LimitReader(part, mostValue+1))
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

func (r *bodyReader) document(text []byte) {
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
	if depth > mostDepth {
		r.unread = true
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			r.member(joined(path, name), inner, depth+1)
		}
	case []any:
		for i, inner := range v {
			r.member(joined(path, strconv.Itoa(i)), inner, depth+1)
		}
	case string:
		r.add(path, v)
	case nil:
		r.add(path, "null")
	default: // a number or a truth value
		text, err := json.Marshal(v)
		r.unread = r.unread || err != nil
		r.add(path, string(text))
	}
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
