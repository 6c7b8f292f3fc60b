package action_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// argumentTypes are the types of all verbs' arguments and of the structs in them, by
// name.
func argumentTypes() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || all[t.Name()] != nil {
			return
		}
		all[t.Name()] = t
		for _, f := range action.Fields(t) {
			add(f.Type)
		}
	}
	for _, v := range action.Verbs {
		add(reflect.TypeOf(v.NewArgs()))
	}
	return all
}

// breaches returns values that violate the limits of a field, as JSON, by
// limit.
func breaches(t *testing.T, f action.Field) map[string]string {
	t.Helper()
	kind := f.Type
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	all := map[string]string{}
	for _, limit := range []string{"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"} {
		text, given := f.Tag.Lookup(limit)
		if !given {
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Errorf("%s: %s is %q", f.Name, limit, text)
		}
		step := map[bool]int{true: -1, false: 1}[strings.HasPrefix(limit, "min")]
		switch {
		case strings.HasSuffix(limit, "Length"):
			all[limit] = quoted(strings.Repeat("a", int(n)+step))
		case strings.HasSuffix(limit, "Items"):
			all[limit] = items(kind, int(n)+step)
		default:
			all[limit] = strconv.Itoa(int(n) + step)
		}
	}
	if f.Tag.Get("enum") != "" {
		all["enum"] = quoted("no such word")
	}
	if f.Tag.Get("pattern") != "" {
		all["pattern"] = quoted("\u00a7 \u00a7")
	}
	if f.Tag.Get("itemPattern") != "" {
		all["itemPattern"] = `["\u00a7 \u00a7"]`
	}
	if kind.Kind() == reflect.String {
		all["NUL"] = `"a\u0000"`
		if f.Tag.Get("controls") != "any" {
			all["control character"] = `"a\u001b"`
		}
	}
	return all
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// items is a list of so many zero values, or a map of as many texts.
func items(t reflect.Type, n int) string {
	if t.Kind() == reflect.Map {
		all := map[string]string{}
		for i := range n {
			all[fmt.Sprint("n", i)] = "a"
		}
		out, _ := json.Marshal(all)
		return string(out)
	}
	each := map[reflect.Kind]string{reflect.String: `"a"`, reflect.Int: "1"}[t.Elem().Kind()]
	switch t.Elem() {
	case reflect.TypeFor[action.RunAction]():
		each = `{"type":"go_back"}`
	case reflect.TypeFor[action.Step]():
		each = `{"verb":"page.back"}`
	case reflect.TypeFor[action.NewCookie]():
		each = `{"name":"a","value":"b"}`
	case reflect.TypeFor[action.NewFile]():
		each = `{"name":"a","bytes":"YQ=="}`
	}
	return "[" + strings.TrimSuffix(strings.Repeat(each+",", n), ",") + "]"
}

// A value that violates a declared limit is refused. The fault names the field,
// repeats no value and describes the field. The schema contains the limit.
func TestEveryDeclaredLimitHoldsAndIsDescribed(t *testing.T) {
	tried := 0
	for name, kind := range argumentTypes() {
		properties := new(action.Describer).Object(kind)["properties"].(action.Schema)
		for _, f := range action.Fields(kind) {
			described, _ := properties[f.Name].(action.Schema)
			for limit, value := range breaches(t, f) {
				tried++
				into := reflect.New(kind)
				if err := json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", f.Name, value), into.Interface()); err != nil {
					if kind != reflect.TypeFor[action.RunAction]() { // decodes strictly by itself, see below
						t.Errorf("%s.%s: %v", name, f.Name, err)
					}
					continue
				}
				others(into.Elem(), f)
				got := fault.From(action.Check(into.Interface()))
				if field, _ := detail(got); got == nil || field != f.Name || got.Code.Info().Status != 400 || !strings.Contains(got.Hint, f.Name) && got.Hint == "" {
					t.Errorf("%s.%s, %s broken by %.40s: %v", name, f.Name, limit, value, got)
				}
				if got != nil && strings.Contains(got.Message+got.Hint, "\u00a7") {
					t.Errorf("%s.%s: %s repeats the value", name, f.Name, got.Message)
				}
				if _, in := described[inSchema(limit, described)]; !in && limit != "itemPattern" && limit != "NUL" && limit != "control character" {
					t.Errorf("%s.%s: its schema has no %s", name, f.Name, limit)
				}
			}
		}
	}
	if tried < 400 {
		t.Errorf("only %d limits were tried", tried)
	}
}

func detail(f *fault.Fault) (string, bool) {
	if f == nil {
		return "", false
	}
	field, is := f.Details["field"].(string)
	return field, is
}

func inSchema(limit string, described action.Schema) string {
	if described["type"] == "object" {
		return strings.Replace(limit, "Items", "Properties", 1)
	}
	return limit
}

// others sets every required field except one to a valid value.
func others(v reflect.Value, but action.Field) {
	for _, f := range action.Fields(v.Type()) {
		at := v.FieldByIndex(f.Index)
		if f.Name == but.Name || !f.Required() && f.Tag.Get("minItems") == "" || !at.IsZero() {
			continue
		}
		good := map[reflect.Kind]string{reflect.String: `"a"`, reflect.Int: `500`, reflect.Slice: `["a"]`, reflect.Map: `{"a":"a"}`, reflect.Bool: "true", reflect.Float64: "1"}[f.Type.Kind()]
		switch {
		case f.Tag.Get("enum") != "":
			good = quoted(strings.Split(f.Tag.Get("enum"), ",")[0])
		case f.Type == reflect.TypeFor[[]byte]():
			good = `"YQ=="`
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
			good = items(f.Type, 1)
		case f.Type.Kind() == reflect.Pointer:
			good = `"a"`
		case f.Type.Kind() == reflect.Struct:
			good = `{"ref":"e1"}`
		}
		if err := json.Unmarshal([]byte(good), at.Addr().Interface()); err != nil {
			panic(err)
		}
	}
}

// Missing required fields are found: by Decode if only the text shows it,
// otherwise by Check.
func TestWhatIsRequiredIsMissed(t *testing.T) {
	for name, kind := range argumentTypes() {
		if kind == reflect.TypeFor[action.RunAction]() || kind == reflect.TypeFor[action.Step]() {
			continue // which say what they lack in their own words, see TestTheSchemaSaysWhatIsTaken
		}
		described := new(action.Describer).Object(kind)
		required, _ := described["required"].([]string)
		for _, f := range action.Fields(kind) {
			if f.Required() != slices.Contains(required, f.Name) {
				t.Errorf("%s.%s: the schema says otherwise", name, f.Name)
			}
			if !f.Required() || f.Type.Kind() == reflect.Struct {
				continue
			}
			into := reflect.New(kind)
			others(into.Elem(), f)
			whole, err := json.Marshal(into.Interface())
			if err != nil {
				t.Fatal(err)
			}
			object := map[string]json.RawMessage{}
			if err := json.Unmarshal(whole, &object); err != nil {
				t.Fatal(err)
			}
			for lack, member := range map[string]json.RawMessage{"absent": nil, "null": json.RawMessage("null")} {
				delete(object, f.Name)
				if member != nil && f.Type == reflect.TypeFor[[]byte]() {
					continue // no bytes, as Go writes them
				}
				if member != nil {
					object[f.Name] = member
				}
				raw, err := json.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				got := fault.From(action.Decode(raw, reflect.New(kind).Interface()))
				if field, _ := detail(got); got == nil || field != f.Name || got.Message != f.Name+" is missing" || !strings.HasPrefix(got.Hint, "give "+f.Name+": ") {
					t.Errorf("%s.%s is %s: %v", name, f.Name, lack, got)
				}
				if err := action.DecodePart(raw, reflect.New(kind).Interface()); err != nil {
					t.Errorf("%s.%s is %s in a part: %v", name, f.Name, lack, err)
				}
			}
		}
	}
}

// Every argument has a description.
func TestEveryArgumentIsDescribed(t *testing.T) {
	types := argumentTypes()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		for _, f := range action.Fields(types[name]) {
			if f.Tag.Get("doc") == "" {
				t.Errorf("%s.%s has no doc", name, f.Name)
			}
		}
	}
}

// Arguments that would be ignored are refused; the fault names them.
func TestWhatWouldBeIgnoredIsRefused(t *testing.T) {
	at, no := 5.0, false
	for field, args := range map[string][]any{
		"name": {
			&action.Click{Locator: action.Locator{Ref: "e1", Name: "Save"}}, &action.Press{Locator: action.Locator{Name: "Save"}, Key: "a"},
			&action.Hover{Locator: action.Locator{X: &at, Y: &at, Name: "Save"}},
		},
		"index":          {&action.Click{Locator: action.Locator{Ref: "e1", Index: new(1)}}},
		"x":              {&action.Click{Locator: action.Locator{X: &at}}, &action.WaitFor{Locator: action.Locator{X: &at, Y: &at}}},
		"checked":        {&action.Click{Locator: action.Locator{Ref: "e1"}, Checked: &no, ClickCount: 2}, &action.Click{Locator: action.Locator{Ref: "e1"}, Checked: &no, Button: "right"}},
		"text":           {&action.AnswerDialog{Prompt: "a"}},
		"forSession":     {&action.Answer{ID: "q1", ForSession: true}},
		"urls":           {&action.TakeSnapshot{Format: "tree", URLs: true}, &action.TakeSnapshot{Format: "markdown", URLs: true}},
		"depth":          {&action.TakeSnapshot{Format: "markdown", Depth: 3}},
		"offset":         {&action.Extract{Mode: "title", Paging: action.Paging{Offset: 1}}},
		"fullPage":       {&action.TakeScreenshot{FullPage: true, Ref: "e1"}},
		"quality":        {&action.TakeScreenshot{Quality: 50}},
		"labels":         {&action.TakeScreenshot{Labels: true, Format: "webp"}},
		"state":          {&action.WaitFor{URL: "/done", State: "visible"}},
		"clear":          {&action.Upload{Locator: action.Locator{Ref: "e1"}, Artifact: "a", Clear: true}},
		"pageUrl":        {&action.PolicyQuery{Verb: "page.click", Session: "s1", PageURL: "https://a.example/"}},
		"element":        {&action.PolicyQuery{Verb: "page.click", Session: "s1", Element: action.PolicyElement{Name: "Save"}}},
		"full_page":      {&action.RunAction{Type: "screenshot", FullPage: new(true), Locator: action.Locator{Ref: "e1"}}},
		"emulate.locale": {&action.SessionStart{Emulate: &action.Emulation{Locale: "german"}}}, // of a struct behind a pointer
	} {
		for _, a := range args {
			f := fault.From(action.Check(a))
			if named, _ := detail(f); f == nil || f.Code != fault.InvalidRequest || named != field || !strings.HasPrefix(f.Message, field+" ") || f.Hint == "" {
				t.Errorf("%T about %s: %v", a, field, f)
			}
		}
	}
}

func TestATimeZoneThatDoesNotExistIsRefused(t *testing.T) {
	for zone, good := range map[string]bool{"Europe/Berlin": true, "": true, "Europe/Berlim": false, "Local": false} {
		f := fault.From(action.Check(&action.SessionStart{Emulate: &action.Emulation{Timezone: zone}}))
		if field, _ := detail(f); good != (f == nil) || f != nil && (f.Code != fault.InvalidRequest || field != "emulate.timezone" || !strings.Contains(f.Message, zone)) {
			t.Errorf("%q: %v", zone, f)
		}
	}
}
