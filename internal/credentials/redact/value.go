package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// ErrFailed is returned for a value that could not be searched for secrets. No
// part of it may leave the gateway.
var ErrFailed = errors.New("a value could not be looked through for secrets")

const maxDepth = 200 // levels; a deeper value, or one that contains itself, is ErrFailed

// Value returns a copy of v without the secrets in its texts: in fields, elements
// and keys, however deep, also where a secret is split between two of them. Where v
// has no secret it is v itself. A value that cannot be searched, or has bytes that
// are no text and have a secret, is ErrFailed.
func Value[T any](m *Matcher, v T) (_ T, err error) {
	if m.none() {
		return v, nil
	}
	var zero T
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("%w: %T", ErrFailed, v)
		}
	}()
	w := walk{}
	value := reflect.ValueOf(&v).Elem()
	w.visit(value, 0)
	if w.spans, err = m.find(w.all); err != nil {
		return zero, err
	}
	for _, b := range w.binary {
		if m.inBinary(b) {
			return zero, fmt.Errorf("%w: bytes of a %T have one", ErrFailed, v)
		}
	}
	if len(w.spans) == 0 {
		return v, nil
	}
	w.writes = true
	w.at = 0
	clean, _ := w.visit(value, 0).Interface().(T)
	return clean, nil
}

// walk visits the texts of a value twice, in the same order. First it collects
// them, because a secret may be split between several; then it copies the value
// without the secrets.
type walk struct {
	all    []byte   // every text, with a line break behind it
	binary [][]byte // bytes that are no text
	spans  []Span   // where all has secrets
	at     int      // where in all the next text begins
	writes bool     // this is the second visit
}

// collect visits the texts of a value for the first time.
func (w *walk) collect(v any) { w.visit(reflect.ValueOf(&v).Elem(), 0) }

// visit returns a copy of v on the second visit, and v on the first.
func (w *walk) visit(v reflect.Value, depth int) reflect.Value {
	if depth > maxDepth {
		panic(ErrFailed)
	}
	switch v.Kind() {
	case reflect.String:
		return w.string(v)
	case reflect.Pointer:
		return w.pointer(v, depth)
	case reflect.Interface:
		return w.any(v, depth)
	case reflect.Struct:
		return w.fields(v, depth)
	case reflect.Map:
		return w.entries(v, depth)
	case reflect.Slice, reflect.Array:
		return w.elements(v, depth)
	}
	return v
}

// text collects a text, or returns it without its secrets.
func (w *walk) text(text []byte) (clean []byte) {
	start := w.at
	w.at += len(text) + 1
	if !w.writes {
		w.all = append(append(w.all, text...), '\n')
		return text
	}
	return replaceSpans(text, w.within(start, start+len(text)))
}

// within returns the spans of a part of all, counted from the part's beginning.
func (w *walk) within(start, end int) (spans []Span) {
	i, _ := slices.BinarySearchFunc(w.spans, start, func(s Span, at int) int { return s.End - at })
	for ; i < len(w.spans) && w.spans[i].Start < end; i++ {
		s := Span{max(w.spans[i].Start, start) - start, min(w.spans[i].End, end) - start}
		if s.Start < s.End {
			spans = append(spans, s)
		}
	}
	return spans
}

func (w *walk) string(v reflect.Value) reflect.Value {
	text := w.text([]byte(v.String()))
	if !w.writes {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.SetString(string(text))
	return out
}

func (w *walk) pointer(v reflect.Value, depth int) reflect.Value {
	if v.IsNil() {
		return v
	}
	inner := w.visit(v.Elem(), depth+1)
	if !w.writes {
		return v
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(inner)
	return out
}

// any visits what is in an interface. A number with a secret becomes a text.
func (w *walk) any(v reflect.Value, depth int) reflect.Value {
	if v.IsNil() {
		return v
	}
	out := v
	switch number := v.Interface().(type) {
	case json.Number:
		if clean := w.text([]byte(number)); string(clean) != string(number) {
			out = reflect.ValueOf(string(clean))
		}
	case float64:
		digits := strconv.FormatFloat(number, 'f', -1, 64)
		if clean := w.text([]byte(digits)); string(clean) != digits {
			out = reflect.ValueOf(string(clean))
		}
	default:
		out = w.visit(v.Elem(), depth+1)
	}
	if !w.writes {
		return v
	}
	boxed := reflect.New(v.Type()).Elem()
	boxed.Set(out)
	return boxed
}

// fields visits the exported fields: no output shows the others.
func (w *walk) fields(v reflect.Value, depth int) reflect.Value {
	out := v
	if w.writes {
		out = reflect.New(v.Type()).Elem()
		out.Set(v)
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			if inner := w.visit(v.Field(i), depth+1); w.writes {
				out.Field(i).Set(inner)
			}
		}
	}
	return out
}

func (w *walk) entries(v reflect.Value, depth int) reflect.Value {
	if v.IsNil() {
		return v
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x < y {
			return -1
		}
		return 1
	})
	out := v
	if w.writes {
		out = reflect.MakeMapWithSize(v.Type(), len(keys))
	}
	for _, key := range keys {
		name, value := w.visit(key, depth+1), w.visit(v.MapIndex(key), depth+1)
		if w.writes {
			out.SetMapIndex(name, value)
		}
	}
	return out
}

func (w *walk) elements(v reflect.Value, depth int) reflect.Value {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return v
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		return w.bytes(v)
	}
	out := v
	if w.writes {
		out = reflect.New(v.Type()).Elem()
		if v.Kind() == reflect.Slice {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
	}
	for i := range v.Len() {
		if inner := w.visit(v.Index(i), depth+1); w.writes {
			out.Index(i).Set(inner)
		}
	}
	return out
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// bytes visits a text in bytes. JSON stays valid JSON.
func (w *walk) bytes(v reflect.Value) reflect.Value {
	text := v.Bytes()
	if !utf8.Valid(text) {
		if !w.writes {
			w.binary = append(w.binary, text)
		}
		return v
	}
	start := w.at
	clean := w.text(text)
	if !w.writes {
		return v
	}
	if !bytes.Equal(clean, text) && (v.Type() == rawMessage || json.Valid(text)) {
		clean = jsonOrMark(text, w.within(start, start+len(text)))
	}
	out := reflect.New(v.Type()).Elem()
	out.SetBytes(clean)
	return out
}
