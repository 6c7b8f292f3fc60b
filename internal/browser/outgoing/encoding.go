package outgoing

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

var errDeep = errors.New("too many levels")

// json reads JSON values that follow each other. It reports whether it could read the first;
// what follows and cannot be read is unknown.
func (r *bodyReader) json(path string, text []byte, level int) bool {
	text = bytes.ReplaceAll(text, []byte{0x1e}, []byte{'\n'}) // separates JSON text sequences (RFC 7464)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	for read := 0; ; read++ {
		switch err := r.next(decoder, path, 0, level); {
		case err == nil:
		case errors.Is(err, io.EOF) && read > 0:
			return true
		case errors.Is(err, errDeep):
			r.Cut = true
			return true
		case read > 0:
			r.loose(path, string(text))
			r.Unknown = true
			return true
		default:
			return false
		}
	}
}

// next reads one value of JSON. Of members with the same name it reads all, because servers
// take the first or the last.
func (r *bodyReader) next(decoder *json.Decoder, path string, depth, level int) error {
	if depth > maxDepth {
		return errDeep
	}
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		for i := 0; decoder.More(); i++ {
			name := strconv.Itoa(i)
			if v == '{' {
				key, err := decoder.Token()
				if err != nil {
					return err
				}
				name, _ = key.(string)
			}
			if err := r.next(decoder, joinPath(path, name), depth+1, level); err != nil {
				return unexpected(err)
			}
		}
		_, err = decoder.Token()
		return unexpected(err)
	case string:
		r.value(path, v, level)
	case json.Number:
		r.add(path, v.String())
	case bool:
		r.add(path, strconv.FormatBool(v))
	case nil:
		r.add(path, "null")
	}
	return nil
}

// unexpected makes the end of the text within a value an error of its own.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

var (
	comments  = regexp.MustCompile(`(?s)/\*.*?\*/|(?m://[^\n"']*$)`)
	looseText = regexp.MustCompile(`["']?([\w$.-]{1,80})["']?\s*[:=]\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,;&{}\[\]\s'"]+))`)
)

// loose reads pairs of names and values from a text that only some servers can read: JSON with
// comments, with single quotes or with names without quotes. It returns their number.
func (r *bodyReader) loose(path, text string) int {
	found := looseText.FindAllStringSubmatch(comments.ReplaceAllString(truncate(text, maxText), " "), maxFields)
	for _, m := range found {
		value := m[2] + m[3] + m[4]
		if plain, err := strconv.Unquote(`"` + value + `"`); err == nil {
			value = plain
		}
		r.add(joinPath(path, m[1]), value)
	}
	return len(found)
}

// value adds a field, and the fields within its value.
func (r *bodyReader) value(path, value string, level int) {
	r.add(path, value)
	r.within(path, strings.TrimSpace(value), level+1)
}

var (
	formStart  = regexp.MustCompile(`^[\w.\[\]-]{1,80}=`)
	encoded    = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	base64Text = regexp.MustCompile(`^[A-Za-z0-9+/_-]{12,}={0,2}$`)
	dataURL    = regexp.MustCompile(`^data:([\w/+.-]*)[^,]{0,100};base64,`)
)

// within reads the fields in a value: JSON, a form, or either of them encoded.
func (r *bodyReader) within(path, text string, level int) {
	if len(text) < 4 {
		return
	}
	isJSON := (text[0] == '{' || text[0] == '[' || text[0] == '"') && json.Valid([]byte(text))
	switch {
	case base64Text.MatchString(text) && r.base64(path, text, level):
	case level > maxNested:
		r.Unknown = r.Unknown || isJSON
	case isJSON:
		r.json(path, []byte(text), level)
	case text[0] == '{':
		r.loose(path, text)
	case formStart.MatchString(text) && looksLikeForm(text):
		r.form(path, text, level)
	case dataURL.MatchString(text):
		if kind := dataURL.FindStringSubmatch(text)[1]; !IsMedia(kind) {
			r.base64(path, text[strings.IndexByte(text, ',')+1:], level)
		}
	case encoded.MatchString(text):
		if plain, err := url.QueryUnescape(text); err == nil {
			r.within(path, strings.TrimSpace(plain), level+1)
		}
	}
}

// base64 reads the fields of a text in base64, and reports whether it is one. Most texts that
// look like base64 are keys.
func (r *bodyReader) base64(path, text string, level int) bool {
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	plain, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	if unpacked, packed := r.unpack(plain); packed {
		plain = unpacked
	}
	if plain = bytes.TrimSpace(toUTF8(plain)); !utf8.Valid(plain) {
		return false
	}
	r.within(path, string(plain), level+1)
	return true
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
