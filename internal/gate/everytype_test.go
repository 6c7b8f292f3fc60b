package gate_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

// TestEveryTypeOfAnswerIsRedacted puts a secret into every text of every type of
// answer, record and question.
func TestEveryTypeOfAnswerIsRedacted(t *testing.T) {
	m := redact.New(credentials.Keep(canary))
	shown := []any{&action.Result{}, &action.Record{}, &action.Event{}, &action.Question{}, &action.File{}, &action.RunEntry{}, &action.Run{}}
	for _, v := range action.Verbs {
		if v.NewData != nil {
			shown = append(shown, v.NewData())
		}
	}
	looked := 0
	for _, data := range shown {
		texts := fill(reflect.ValueOf(data).Elem(), 0)
		if texts == 0 {
			continue
		}
		looked++
		before := text(t, data)
		clean, err := redact.Value(m, action.Result{Data: data})
		if err != nil {
			t.Errorf("%T: %v", data, err)
			continue
		}
		hides(t, reflect.TypeOf(data).String(), text(t, clean))
		if left := count(reflect.ValueOf(clean.Data), 0); left > 0 {
			t.Errorf("%T: %d of %d texts have the secret", data, left, texts)
		}
		if text(t, data) != before {
			t.Errorf("%T was changed itself", data)
		}
	}
	if looked < len(action.Verbs)/2 {
		t.Errorf("only %d types have texts", looked)
	}
}

const deepestFill = 6 // bounds recursive types

// fill sets every text of a value to the canary, and returns how many texts there
// are.
func fill(v reflect.Value, depth int) (texts int) {
	if depth > deepestFill || !v.CanSet() {
		return 0
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("a " + canary)
		return 1
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), depth+1)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(map[string]any{canary: []any{canary}}))
			return 2
		}
	case reflect.Struct:
		for i := range v.NumField() {
			texts += fill(v.Field(i), depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`"` + canary + `"`))
			return 1
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		return fill(v.Index(0), depth+1) + fill(v.Index(1), depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		texts = fill(key, depth+1) + fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
	return texts
}

// count returns how many texts of a value contain the canary.
func count(v reflect.Value, depth int) (n int) {
	switch v.Kind() {
	case reflect.String:
		if strings.Contains(v.String(), canary) {
			return 1
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return count(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += count(v.Field(i), depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			n += count(reflect.ValueOf(string(v.Bytes())), depth)
			break
		}
		for i := range v.Len() {
			n += count(v.Index(i), depth+1)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			n += count(key, depth+1) + count(v.MapIndex(key), depth+1)
		}
	}
	return n
}
