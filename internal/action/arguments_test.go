package action_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestDecodeIsStrictAndNamesTheFieldOnly(t *testing.T) {
	const secret = "hunter2"
	cases := map[string]struct{ body, field string }{
		"unknown field":      {`{"text":"a","passwort":"hunter2"}`, "passwort"},
		"other case":         {`{"text":"a","TEXT":"hunter2"}`, "TEXT"},
		"given twice":        {`{"text":"a","text":"hunter2"}`, "text"},
		"wrong type":         {`{"text":"a","clear":"hunter2"}`, "clear"},
		"number for text":    {`{"text":12}`, "text"},
		"list for text":      {`{"text":["hunter2"]}`, "text"},
		"no object":          {`"hunter2"`, ""},
		"cut off":            {`{"text":"hunter2`, ""},
		"two values":         {`{"text":"a"}{"text":"hunter2"}`, ""},
		"bad UTF-8":          {"{\"text\":\"hunter2\xff\"}", ""},
		"lone surrogate":     {`{"text":"\ud800hunter2"}`, ""},
		"very deep":          {strings.Repeat("[", 100_000), ""},
		"deep below a field": {`{"text":` + strings.Repeat("[", 100_000), ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := fault.From(action.Decode([]byte(c.body), new(action.Type)))
			if f == nil || f.Code != fault.InvalidRequest || f.Hint == "" {
				t.Fatalf("got %+v, want invalid_request with a hint", f)
			}
			if strings.Contains(f.Message+f.Hint, secret) {
				t.Errorf("a value is repeated: %s %s", f.Message, f.Hint)
			}
			if !strings.HasPrefix(f.Message, c.field) {
				t.Errorf("%q does not name %q", f.Message, c.field)
			}
		})
	}
}

func TestDecodeTakesTheOuterOfTwoFieldsOfOneName(t *testing.T) {
	var got action.Type
	if err := action.Decode([]byte(`{"text":"hello","ref":"e3","timeout":5}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.Input != "hello" || got.Locator.Text != "" || got.Ref != "e3" || got.Timeout != 5 {
		t.Errorf("got %+v", got)
	}
	if err := action.Decode([]byte(" \n"), &got); err != nil {
		t.Errorf("an empty body: %v", err)
	}
}

func TestOneValueIsAListOfOne(t *testing.T) {
	for body, want := range map[string][]string{`{"ref":"e1","value":"a"}`: {"a"}, `{"ref":"e1","value":""}`: {""}, `{"ref":"e1","values":["a","b"]}`: {"a", "b"}} {
		var got action.Select
		if err := action.Decode([]byte(body), &got); err != nil || !reflect.DeepEqual(got.Values, want) || got.Value != nil || action.Check(&got) != nil {
			t.Errorf("%s is %+v, %v", body, got, err)
		}
	}
	var got action.Select
	if err := action.Decode([]byte(`{"value":"a","values":["b"]}`), &got); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("both at once: %v", err)
	}
	got = action.Select{}
	if err := action.Decode([]byte(`{}`), &got); err != nil || action.Check(&got) == nil {
		t.Error("no value passes")
	}
}

func TestCheckHoldsArgumentsAgainstTheirTags(t *testing.T) {
	minus := -1
	cases := map[string]struct {
		args  any
		field string
	}{
		"too long":         {&action.Goto{URL: strings.Repeat("x", 8193)}, "url"},
		"missing":          {&action.Goto{}, "url"},
		"not in the enum":  {&action.Goto{URL: "a.example", WaitUntil: "soon"}, "waitUntil"},
		"embedded bound":   {&action.Goto{URL: "a.example", Timing: action.Timing{Timeout: 120_001}}, "timeout"},
		"negative":         {&action.Click{Locator: action.Locator{Index: &minus}}, "index"},
		"NUL":              {&action.Type{Input: "a\x00b"}, "text"},
		"inside an object": {&action.Drag{To: action.Locator{Index: &minus}}, "to.index"},
		"NUL in a list":    {&action.Select{Values: []string{"a\x00"}}, "values"},
		"too few items":    {&action.Select{}, "values"},
		"too short":        {&action.Press{}, "key"},
		"pattern":          {&action.SessionStart{Name: "../x"}, "name"},
		"bad UTF-8":        {&action.Extract{Mode: "\xff"}, "mode"},
		"too many in list": {&action.Click{Modifiers: make([]string, 5)}, "modifiers"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := fault.From(action.Check(c.args))
			if f == nil || f.Details["field"] != c.field {
				t.Fatalf("got %v, want a fault about %s", f, c.field)
			}
		})
	}
	good := &action.Click{Locator: action.Locator{Ref: "e1"}, Button: "left"}
	if err := action.Check(good); err != nil {
		t.Errorf("a good call is refused: %v", err)
	}
	if code := fault.CodeOf(action.Check(&action.Goto{})); code != fault.MissingURL {
		t.Errorf("a missing URL has the code %s", code)
	}
	if err := action.Check(&action.Type{Locator: action.Locator{Ref: "e1"}, Clear: true}); err != nil {
		t.Errorf("typing nothing is refused: %v", err)
	}
	if action.Check(nil) == nil || action.Check((*action.Goto)(nil)) == nil {
		t.Error("missing arguments pass")
	}
}

func TestEveryTagIsWellFormed(t *testing.T) {
	for _, v := range action.Verbs {
		for _, f := range action.Fields(reflect.TypeOf(v.NewArgs())) {
			if _, err := regexp.Compile(f.Tag.Get("pattern")); err != nil {
				t.Errorf("%s.%s: %v", v.Name, f.Name, err)
			}
		}
	}
}

func TestItemsOfAListAreChecked(t *testing.T) {
	good, long := "v", strings.Repeat("v", 5000)
	for field, c := range map[string]action.NewCookie{
		"cookies.1.name":     {Value: &good},
		"cookies.1.value":    {Name: "a", Value: &long},
		"cookies.1.sameSite": {Name: "a", Value: &good, SameSite: "strict"},
	} {
		err := action.Check(&action.CookieSet{Cookies: []action.NewCookie{{Name: "a", Value: &good}, c}})
		f := fault.From(err)
		if err == nil || f.Details["field"] != field || !strings.HasPrefix(f.Message, field+" ") || strings.Contains(f.Message+f.Hint, "vvv") {
			t.Errorf("%s: %v about %v", field, err, f)
		}
	}
}

// An element is named in one way: a second way is refused.
func TestAnElementIsNamedInOneWay(t *testing.T) {
	at := 5.0
	for name, c := range map[string]struct {
		args  any
		field string
	}{
		"ref and selector":      {&action.Click{Locator: action.Locator{Ref: "e1", Selector: "#a"}}, "selector"},
		"selector and role":     {&action.Hover{Locator: action.Locator{Selector: "#a", Role: "button", Name: "Save"}}, "role"},
		"role and text":         {&action.WaitFor{Locator: action.Locator{Role: "button", Text: "Save"}}, "text"},
		"text and a point":      {&action.Click{Locator: action.Locator{Text: "Save", X: &at, Y: &at}}, "x"},
		"a field of a form":     {&action.Type{Locator: action.Locator{Ref: "e1", Role: "textbox"}, Input: "a"}, "role"},
		"what is scrolled":      {&action.Scroll{Locator: action.Locator{Ref: "e1"}, AtX: &at, AtY: &at}, "x"},
		"one end of a drag":     {&action.Drag{From: action.Locator{Ref: "e1", Text: "a"}, To: action.Locator{Ref: "e2"}}, "from.text"},
		"an action of a run":    {&action.RunAction{Type: "left_click", Locator: action.Locator{Selector: "#a", Role: "button"}}, "role"},
		"role, name and index":  {&action.Click{Locator: action.Locator{Role: "button", Name: "Save", Index: new(1)}}, ""},
		"selector and name":     {&action.Click{Locator: action.Locator{Selector: "button", Name: "Save"}}, ""},
		"distance of an area":   {&action.Scroll{Locator: action.Locator{Ref: "e1"}, Y: 600}, ""},
		"text that is typed":    {&action.Type{Locator: action.Locator{Ref: "e1"}, Input: "a"}, ""},
		"no element of a press": {&action.Press{Key: "Enter"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := fault.From(action.Check(c.args))
			if c.field == "" {
				if f != nil {
					t.Errorf("refused: %s", f.Message)
				}
				return
			}
			if f == nil || f.Code != fault.InvalidRequest || f.Details["field"] != c.field || f.Hint == "" {
				t.Errorf("got %+v, want a refusal of %s", f, c.field)
			}
		})
	}
}
