package scan

import (
	"reflect"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// unsent are the arguments that only look something up: in the page, where it
// does not learn of it, or in what the gateway keeps. An agent may look for what
// it was shown. All other text is looked through, also that of verbs to come.
var unsent = map[string]string{
	"Locator.Ref": "names an element", "Locator.Selector": "names an element", "Locator.Role": "names an element",
	"Locator.Name": "names an element", "Locator.Text": "names an element",
	"TakeSnapshot.Ref": "names an element", "TakeScreenshot.Ref": "names an element", "TakeScreenshot.Selector": "names an element",
	"Content.Selector": "names an element", "Scrape.Selectors": "names elements",
	"Find.Text": "is searched for", "Find.Regex": "is searched for", "Find.Name": "is searched for", "Find.Role": "is searched for",
	"Find.Selector":    "names an element",
	"WaitFor.TextGone": "is waited for", "WaitFor.URL": "is waited for",
	"ReadNetwork.Pattern": "is searched for",
}

// AllTexts lists all texts in the arguments of a call, those that only look
// something up included.
func AllTexts(args any) []Text { return textsIn(reflect.ValueOf(args), Text{every: true}) }

// SentTexts lists the texts in the arguments of a call, content of files included.
func SentTexts(args any) []Text {
	return textsIn(reflect.ValueOf(args), Text{})
}

// textsIn lists the texts in a value; at says where that stands.
func textsIn(v reflect.Value, at Text) []Text {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return textsIn(v.Elem(), at)
	case reflect.String:
		return one(at, v.String())
	case reflect.Struct:
		return textsOfFields(v, at)
	case reflect.Map:
		return textsOfMap(v, at)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return one(at, string(bytesOf(v)))
		}
		var all []Text
		for i := range v.Len() {
			all = append(all, textsIn(v.Index(i), at.inField(strconv.Itoa(i)))...)
		}
		return all
	}
	return nil
}

func one(at Text, value string) []Text {
	if value == "" {
		return nil
	}
	at.Value = value
	return []Text{at}
}

func bytesOf(v reflect.Value) []byte {
	if v.Kind() == reflect.Slice {
		return v.Bytes()
	}
	b := make([]byte, v.Len())
	reflect.Copy(reflect.ValueOf(b), v)
	return b
}

// textsOfFields lists those of a struct. Its field "name" is what its bytes are
// called, if it has any, or else its other fields.
func textsOfFields(v reflect.Value, at Text) []Text {
	var all []Text
	name := ""
	fields := action.Fields(v.Type())
	for _, f := range fields {
		if f.Name == "name" && f.Type.Kind() == reflect.String {
			name = v.FieldByIndex(f.Index).String()
		}
	}
	for _, f := range fields {
		if _, skip := unsent[fieldOwner(v.Type(), f)]; skip && !at.every {
			continue
		}
		part := at.inField(f.Name)
		switch {
		case f.Name == "name":
		case f.Type == reflect.TypeFor[[]byte]():
			part.File = name
		default:
			part.Label = name
		}
		all = append(all, textsIn(v.FieldByIndex(f.Index), part)...)
	}
	return all
}

// fieldOwner names a field by the struct that it is written in.
func fieldOwner(t reflect.Type, f action.Field) string {
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
	}
	return t.Name() + "." + t.Field(f.Index[len(f.Index)-1]).Name
}

// textsOfMap lists the names and the values, which the names are labels of.
func textsOfMap(v reflect.Value, at Text) []Text {
	var all []Text
	for entries := v.MapRange(); entries.Next(); {
		name := ""
		if entries.Key().Kind() == reflect.String {
			name = entries.Key().String()
			all = append(all, one(at, name)...)
		}
		part := at
		part.Label = name
		all = append(all, textsIn(entries.Value(), part)...)
	}
	return all
}

// inField is where a part of the value at t stands. Names in maps are the
// caller's, and never part of it.
func (t Text) inField(name string) Text {
	if t.Field != "" {
		name = t.Field + "." + name
	}
	t.Field = name
	return t
}
