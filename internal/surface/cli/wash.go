package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"time"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// caller is a gateway, as much as this room needs of it.
type caller interface {
	Call(ctx context.Context, c action.Call) (action.Result, error)
}

// send makes a call. For people every text of the answer is cleaned, whoever
// wrote it, so that no command can forget to; JSON is cleaned as it is
// written.
func (r *root) send(ctx context.Context, door caller, c action.Call) (action.Result, error) {
	c.Surface = "cli"
	result, err := door.Call(ctx, c)
	if err != nil || r.json {
		return result, err
	}
	wash(reflect.ValueOf(&result))
	return result, nil
}

// wash cleans every text that can be reached from v, in place.
func wash(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if inner := v.Elem(); inner.Kind() == reflect.String && v.CanSet() && v.Kind() == reflect.Interface {
			v.Set(reflect.ValueOf(clean(inner.String())))
		} else if inner.IsValid() {
			wash(inner)
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(clean(v.String()))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			wash(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // bytes are written to files, not shown
		}
		for i := range v.Len() {
			wash(v.Index(i))
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			washed := reflect.New(value.Type()).Elem()
			washed.Set(value)
			wash(washed)
			v.SetMapIndex(key, washed)
		}
	}
}

// encode writes v as JSON whose text is the same but which a terminal does not
// act on: characters that encoding/json leaves as they are although terminals
// obey them are escaped.
func encode(w io.Writer, v any) error {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(v); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, char := range text.String() {
		switch {
		case char == '\n' || !unicode.IsControl(char) && !unicode.Is(unicode.Cf, char):
			out.WriteRune(char)
		case char > 0xffff: // a surrogate pair
			high, low := 0xd800+(char-0x10000)>>10, 0xdc00+(char-0x10000)&0x3ff
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, char)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}
