package scan

import (
	"reflect"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// lookupOnly are the arguments that only look something up, in what the gateway has or
// in the page, which does not learn of it. An agent may look for what it was shown. All
// other texts are scanned, also those of verbs that do not exist yet.
var lookupOnly = map[string]string{
	"Locator.Ref": "names an element", "Locator.Selector": "names an element", "Locator.Role": "names an element",
	"Locator.Name": "names an element", "Locator.Text": "names an element",
	"TakeSnapshot.Ref": "names an element", "TakeScreenshot.Ref": "names an element", "TakeScreenshot.Selector": "names an element",
	"Content.Selector": "names an element", "Scrape.Selectors": "names elements",
	"Find.Text": "is searched for", "Find.Regex": "is searched for", "Find.Name": "is searched for", "Find.Role": "is searched for",
	"Find.Selector":    "names an element",
	"WaitFor.TextGone": "is waited for", "WaitFor.URL": "is waited for",
	"ReadNetwork.Pattern": "is searched for",
}

// AllTexts returns all texts in the arguments of a call, also those that only look
// something up.
func AllTexts(args any) []Text { return textsIn(reflect.ValueOf(args), Text{every: true}) }

// SentTexts returns the texts in the arguments of a call that are sent to the page,
// with the content of files.
func SentTexts(args any) []Text {
	return textsIn(reflect.ValueOf(args), Text{})
}

// textsIn returns the texts in a value; at has the field that the value is in.
func textsIn(v reflect.Value, at Text) []Text {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return textsIn(v.Elem(), at)
	case reflect.String:
		return textAt(at, v.String())
	case reflect.Struct:
		return textsOfFields(v, at)
	case reflect.Map:
		return textsOfMap(v, at)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return textAt(at, string(bytesOf(v)))
		}
		var all []Text
		for i := range v.Len() {
			all = append(all, textsIn(v.Index(i), at.inField(strconv.Itoa(i)))...)
		}
		return all
	}
	return nil
}

func textAt(at Text, value string) []Text {
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

// textsOfFields returns the texts of a struct. Its field "name" is the file name of its
// bytes, and the label of its other fields.
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
		if _, skip := lookupOnly[fieldOwner(v.Type(), f)]; skip && !at.every {
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

// fieldOwner is a field's name with that of the struct that declares it.
func fieldOwner(t reflect.Type, f action.Field) string {
	for _, i := range f.Index[:len(f.Index)-1] {
		t = t.Field(i).Type
	}
	return t.Name() + "." + t.Field(f.Index[len(f.Index)-1]).Name
}

// textsOfMap returns the names and the values of a map. A name is the label of its
// value.
func textsOfMap(v reflect.Value, at Text) []Text {
	var all []Text
	for entries := v.MapRange(); entries.Next(); {
		name := ""
		if entries.Key().Kind() == reflect.String {
			name = entries.Key().String()
			all = append(all, textAt(at, name)...)
		}
		part := at
		part.Label = name
		all = append(all, textsIn(entries.Value(), part)...)
	}
	return all
}

// inField adds the name of a part to the field of t. Names in maps are never added: the
// caller chooses them.
func (t Text) inField(name string) Text {
	if t.Field != "" {
		name = t.Field + "." + name
	}
	t.Field = name
	return t
}
