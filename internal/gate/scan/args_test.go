package scan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// fill puts a different text into every field for text in a value, and calls filled with the
// names of the struct and the field.
func fill(v reflect.Value, at string, filled func(at, text string)) {
	text := fmt.Sprintf("text-%s-", at)
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), at, filled)
	case reflect.String:
		v.SetString(text)
		filled(at, text)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), v.Type().Name()+"."+f.Name, filled)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(text))
			filled(at, text)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), at, filled)
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, at, filled)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(at+"-name").Convert(v.Type().Key()), value)
		filled(at, at+"-name")
	}
}

func TestEveryTextOfEveryVerbIsScannedOrListed(t *testing.T) {
	seen := map[string]bool{}
	for _, verb := range action.Verbs {
		args := verb.NewArgs()
		want := map[string]string{}
		fill(reflect.ValueOf(args).Elem(), verb.Name, func(at, text string) { want[text] = at })
		// Of two fields with one name in JSON the outer one is filled in.
		shown := SentTexts(args)
		for text, at := range want {
			found := slices.ContainsFunc(shown, func(s Text) bool { return s.Value == text })
			_, listed := lookupOnly[at]
			seen[at] = true
			if found == listed && !hiddenByOuter(reflect.TypeOf(args), at) {
				t.Errorf("%s of %s: looked through %t, listed as not sent %t", at, verb.Name, found, listed)
			}
		}
	}
	for at := range lookupOnly {
		if !seen[at] {
			t.Errorf("%s is listed as not sent, and no verb has it", at)
		}
	}
}

// hiddenByOuter reports whether the field at is hidden by one of the same name
// in JSON of the struct that embeds it, as the text of a locator is by the text
// to type.
func hiddenByOuter(t reflect.Type, at string) bool {
	for _, f := range action.Fields(t) {
		if fieldOwner(t.Elem(), f) == at {
			return false
		}
	}
	return strings.HasPrefix(at, "Locator.")
}

func TestTextsHaveTheirFieldLabelAndFile(t *testing.T) {
	dark := "dark"
	got := SentTexts(&action.CookieSet{Cookies: []action.NewCookie{{Name: "theme", Value: &dark}}})
	want := []Text{{Field: "cookies.0.name", Value: "theme"}, {Field: "cookies.0.value", Label: "theme", Value: "dark"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	got = SentTexts(&action.Upload{Files: []action.NewFile{{Name: "a.txt", Bytes: []byte("x")}}})
	want = []Text{{Field: "files.0.name", Value: "a.txt"}, {Field: "files.0.bytes", File: "a.txt", Value: "x"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	for _, args := range []any{nil, (*action.Goto)(nil), &action.None{}, 5, struct{ a string }{"x"}} {
		if got := SentTexts(args); len(got) > 0 {
			t.Errorf("%+v has %+v", args, got)
		}
	}
	if got := SentTexts(map[string]any{"text": []any{"a", [2]byte{'b', 'c'}}}); len(got) != 3 || got[2].Value != "bc" {
		t.Errorf("got %+v", got)
	}
}
