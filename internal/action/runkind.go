package action

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/spelling"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// RunKind is one type of action, with the fields that belong to it.
type RunKind struct {
	Type    string
	Summary string
	Needs   []string // fields that must be given
	Takes   []string // fields that may be
	Element bool     // must name an element: ref, selector, role, text, or x and y
	OneOf   []string // of these exactly one must be given
}

var (
	byElement = []string{"ref", "selector", "role", "name", "index", "text", "x", "y", "strict"}
	asElement = []string{"ref", "selector", "role", "name", "index", "text"}
)

// RunKinds are the types of actions, in the order of the contract.
var RunKinds = []RunKind{
	{Type: "navigate", Summary: "Go to a URL", Needs: []string{"url"}, Takes: []string{"wait_until", "timeout"}},
	{Type: "screenshot", Summary: "Take a picture; name is the file's, without extension", Takes: []string{"name", "full_page", "ref", "selector"}},
	{Type: "read_page", Summary: "Read title, text and the elements that can be acted on into page_content"},
	{Type: "form_input", Summary: "Fill in a field with value, or choose options of a list", Element: true, OneOf: []string{"value", "options"}, Takes: slices.Concat(byElement, []string{"append", "submit", "timeout"})},
	{Type: "left_click", Summary: "Click an element", Element: true, Takes: slices.Concat(byElement, []string{"timeout"})},
	{Type: "scroll_down", Summary: "Scroll the page, or an element, down", Takes: slices.Concat(asElement, []string{"amount"})},
	{Type: "scroll_up", Summary: "Scroll the page, or an element, up", Takes: slices.Concat(asElement, []string{"amount"})},
	{Type: "search_text", Summary: "Look for text on the page; it fails where there is none", Needs: []string{"text"}},
	{Type: "wait", Summary: "Wait for some time, for an element or for text", OneOf: []string{"ms", "selector", "text"}, Takes: []string{"timeout"}},
	{Type: "go_back", Summary: "Go back in the history"},
}

// otherNames are the names that verbs and tools have for the types of actions.
var otherNames = map[string]string{
	"goto": "navigate", "page.goto": "navigate", "browser_navigate": "navigate",
	"page.screenshot": "screenshot", "browser_take_screenshot": "screenshot",
	"snapshot": "read_page", "page.snapshot": "read_page", "browser_snapshot": "read_page",
	"type": "form_input", "fill": "form_input", "select": "form_input", "page.type": "form_input", "page.select": "form_input",
	"browser_type": "form_input", "browser_select_option": "form_input",
	"click": "left_click", "page.click": "left_click", "browser_click": "left_click",
	"find": "search_text", "page.find": "search_text", "browser_find": "search_text",
	"wait_for": "wait", "page.wait_for": "wait", "browser_wait_for": "wait",
	"back": "go_back", "page.back": "go_back", "browser_navigate_back": "go_back",
}

// RunKindOf returns the RunKind with a name, or with the name of the verb or the tool
// that does the same.
func RunKindOf(name string) (*RunKind, bool) {
	if own, is := otherNames[name]; is {
		name = own
	}
	at := slices.IndexFunc(RunKinds, func(k RunKind) bool { return k.Type == name })
	if at < 0 {
		return nil, false
	}
	return &RunKinds[at], true
}

// Fields lists the fields of the type, in the order of RunAction.
func (k *RunKind) Fields() []Field {
	var all []Field
	for _, f := range Fields(reflect.TypeFor[RunAction]()) {
		if k.takes(f.Name) {
			all = append(all, f)
		}
	}
	return all
}

func (k *RunKind) takes(field string) bool {
	return field == "type" || slices.Contains(k.Needs, field) || slices.Contains(k.Takes, field) || slices.Contains(k.OneOf, field)
}

func (k *RunKind) hint() string {
	var names []string
	for _, f := range k.Fields() {
		names = append(names, f.Name)
	}
	return k.Type + " takes " + strings.Join(names, ", ")
}

func runTypes() (names []string) {
	for _, k := range RunKinds {
		names = append(names, k.Type)
	}
	return names
}

func kindNamesOfRun() string { return strings.Join(runTypes(), ", ") }

// UnmarshalJSONFrom reads an action. It refuses fields that do not belong to
// its type, even if they are empty.
func (a *RunAction) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return fault.New(fault.InvalidRequest, "must be an object").Hinted("give a type: %s", kindNamesOfRun())
	}
	var name string
	if given, has := members["type"]; has && json.Unmarshal(given, &name) != nil {
		return invalid("type", "must be a string").Hinted("give one of %s", kindNamesOfRun())
	}
	if _, has := members["action"]; has && name == "" {
		return invalid("action", "is called type here").Hinted("write type, with one of %s", kindNamesOfRun())
	}
	k, known := RunKindOf(name)
	if !known {
		return noKind(name)
	}
	for field := range members {
		if !k.takes(field) {
			return k.foreign(untrusted.Shorten(untrusted.Field(field), 32))
		}
	}
	type plain RunAction // without this method
	if err := json.Unmarshal(raw, (*plain)(a)); err != nil {
		return fault.From(decodeFault(err, a)).Hinted("%s", k.hint())
	}
	a.Type = k.Type
	return nil
}

func noKind(name string) error {
	if near := spelling.Misspelled(name, runTypes()); near != "" {
		return invalid("type", "is no type of action").Hinted("did you mean %s? Or give one of %s", near, kindNamesOfRun())
	}
	return invalid("type", "is no type of action").Hinted("give one of %s", kindNamesOfRun())
}

// foreign returns the fault for a field that does not belong to the type.
func (k *RunKind) foreign(field string) error {
	return invalid(field, "does not go with "+k.Type).Hinted("%s", k.hint())
}

// Sound refuses an action that lacks a field of its type, or has a field that
// does not belong to it.
func (a *RunAction) Sound() error {
	k, known := RunKindOf(a.Type)
	if !known {
		return noKind(a.Type)
	}
	has := given(a)
	for _, field := range has {
		if !k.takes(field) {
			return k.foreign(field)
		}
	}
	for _, field := range k.Needs {
		if !slices.Contains(has, field) {
			return invalid(field, "is missing").Hinted("%s", k.hint())
		}
	}
	if k.Element && a.Locator.Zero() {
		return invalid("selector", "is missing: no element is named").Hinted("give a ref, a selector, a role with a name, a text, or x and y")
	}
	l := a.Locator
	if slices.Contains(k.Takes, "full_page") { // whose name is the picture's
		l.Name = ""
		if a.FullPage != nil && *a.FullPage && !l.Zero() {
			return invalid("full_page", "does not go with an element").Hinted("leave full_page out, or ref and selector")
		}
	}
	if err := l.Sound(); err != nil {
		return err
	}
	return k.one(has)
}

// one checks that exactly one of a group of fields is given.
func (k *RunKind) one(given []string) error {
	n := 0
	for _, field := range k.OneOf {
		if slices.Contains(given, field) {
			n++
		}
	}
	if len(k.OneOf) > 0 && n != 1 {
		return invalid(k.OneOf[0], fmt.Sprintf("or another of %s must be given, and only one", strings.Join(k.OneOf, ", "))).Hinted("%s", k.hint())
	}
	return nil
}
