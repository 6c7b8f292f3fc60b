package policy

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Param is a fact that a condition may be about. The names of a verb's arguments are in its row.
type Param struct {
	Name string
	Doc  string

	on func(*action.Verb) bool // reports whether a verb has the fact
	of func(*action.Facts) []string
}

// Params lists the facts that conditions may be about.
var Params = []Param{
	{"page.url", "address of the page", always, func(f *action.Facts) []string { return []string{f.Page.URL} }},
	{"page.host", "its host", always, func(f *action.Facts) []string { return []string{hostOf(f.Page.URL)} }},
	{"page.title", "its title, which the page chooses", always, func(f *action.Facts) []string { return []string{f.Page.Title} }},
	{"destination.url", "where a navigation or a link leads", hasDestination, destination(func(d *action.Destination) string { return d.URL })},
	{"destination.host", "its host", hasDestination, destination(func(d *action.Destination) string { return d.Host })},
	{"element.role", "ARIA role", hasElement, element(func(e *action.Element) string { return e.Role })},
	{"element.name", "accessible name", hasElement, element(func(e *action.Element) string { return e.Name })},
	{"element.label", "what names it where the name does not: value, title, icon, test id", hasElement, element(func(e *action.Element) string { return e.Label })},
	{"element.tag", "tag, in lower case", hasElement, element(func(e *action.Element) string { return e.Tag })},
	{"element.type", "type of an input or button", hasElement, element(func(e *action.Element) string { return e.Type })},
	{"element.field", "name and id attributes", hasElement, element(func(e *action.Element) string { return e.FieldName })},
	{"element.placeholder", "placeholder of a field", hasElement, element(func(e *action.Element) string { return e.Placeholder })},
	{"element.autocomplete", "autocomplete attribute", hasElement, element(func(e *action.Element) string { return e.Autocomplete })},
	{"element.within", "labels and headings of what it is in", hasElement, element(func(e *action.Element) string { return e.Within })},
	{"element.also", "other names that a person or a screen reader gets, parted by ·", hasElement, element(func(e *action.Element) string { return e.Also })},
	{"element.orders", "hidden fields of its form and attributes that say what is requested, as name=value", hasElement, element(func(e *action.Element) string { return e.Orders })},
	{"element.dialog", "what the dialog says that it is in", hasElement, element(func(e *action.Element) string { return e.Dialog })},
	{"element.submits", "true where it submits a form", hasElement, element(func(e *action.Element) string { return strconv.FormatBool(e.Submits) })},
	{"element.toggle", "true for a checkbox, a switch, a tab among tabs, what opens a menu", hasElement, element(func(e *action.Element) string { return strconv.FormatBool(e.Toggle) })},
	{"element.editable", "true where text can be typed", hasElement, element(func(e *action.Element) string { return strconv.FormatBool(e.Editable) })},
	{"element.protected", "true where its value is a secret", hasElement, element(func(e *action.Element) string { return strconv.FormatBool(e.Protected) })},
	{"frame.url", "address of the frame it is in", hasElement, element(func(e *action.Element) string { return e.FrameURL })},
	{"frame.host", "its host", hasElement, element(func(e *action.Element) string { return hostOf(e.FrameURL) })},
	{"link.url", "address of a link", hasElement, element(func(e *action.Element) string { return e.LinkURL })},
	{"link.host", "its host", hasElement, element(func(e *action.Element) string { return hostOf(e.LinkURL) })},
	{"form.action", "address that its form is sent to", hasElement, element(func(e *action.Element) string { return e.FormAction })},
	{"form.host", "its host", hasElement, element(func(e *action.Element) string { return hostOf(e.FormAction) })},
	{"form.method", "get, post or dialog", hasElement, element(func(e *action.Element) string { return e.FormMethod })},
	{"form.button", "name of its form's default button", hasElement, element(func(e *action.Element) string { return e.SubmitName })},
	{"onto.role", "of what something is dropped on: ARIA role", drags, onto(func(e *action.Element) string { return e.Role })},
	{"onto.name", "its accessible name", drags, onto(func(e *action.Element) string { return e.Name })},
	{"onto.label", "what names it where the name does not", drags, onto(func(e *action.Element) string { return e.Label })},
	{"onto.within", "labels and headings of what it is in", drags, onto(func(e *action.Element) string { return e.Within })},
	{"option", "labels of what is, or with a key could be, chosen in a list", chooses, func(f *action.Facts) []string { return f.Options }},
	{"dialog.kind", "alert, confirm or prompt", answers, dialog(func(d *action.Dialog) string { return d.Kind })},
	{"dialog.message", "what the dialog says", answers, dialog(func(d *action.Dialog) string { return d.Message })},
}

// paramIndex has the index of each fact in Params, by name.
var paramIndex = func() map[string]int {
	m := make(map[string]int, len(Params))
	for i, p := range Params {
		m[p.Name] = i
	}
	return m
}()

func always(*action.Verb) bool       { return true }
func hasElement(v *action.Verb) bool { return v.Target }
func drags(v *action.Verb) bool      { return v.Name == action.VerbPageDrag.Name }
func chooses(v *action.Verb) bool {
	return v.Name == action.VerbPageSelect.Name || v.Name == action.VerbPagePress.Name
}
func answers(v *action.Verb) bool { return v.Name == action.VerbPageDialog.Name }

// hasDestination reports whether a verb has a destination.
func hasDestination(v *action.Verb) bool {
	switch v.NewArgs().(type) {
	case *action.Goto, *action.OpenTab, *action.Scrape, *action.Crawl, *action.CrawlPage, *action.CrawlFile, *action.SessionStart, *action.BrowserStart:
		return true
	}
	return v.Target
}

func element(of func(*action.Element) string) func(*action.Facts) []string {
	return func(f *action.Facts) []string { return factText(f.Element, of) }
}

func onto(of func(*action.Element) string) func(*action.Facts) []string {
	return func(f *action.Facts) []string { return factText(f.Onto, of) }
}

func destination(of func(*action.Destination) string) func(*action.Facts) []string {
	return func(f *action.Facts) []string { return factText(f.Destination, of) }
}

func dialog(of func(*action.Dialog) string) func(*action.Facts) []string {
	return func(f *action.Facts) []string { return factText(f.Dialog, of) }
}

// factText is a text of something that may be absent.
func factText[T any](of *T, what func(*T) string) []string {
	if of == nil {
		return nil
	}
	return []string{what(of)}
}

// verbsOf are the verbs that a name in a rule covers: for a verb, the verb and its steps; for an
// MCP tool, the tool's verbs.
var verbsOf = func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	add := func(name string, verbs ...string) {
		if all[name] == nil {
			all[name] = map[string]bool{}
		}
		for _, v := range verbs {
			all[name][v] = true
		}
	}
	for _, v := range action.Offered() {
		add(v.Name, v.Name)
		if v.Tool != "" {
			add(v.Tool, v.Name)
		}
	}
	for _, name := range []string{action.VerbPageCrawl.Name, "browser_crawl"} { // each of its pages is judged, too
		add(name, action.VerbCrawlPage.Name, action.VerbCrawlFile.Name)
	}
	for _, v := range action.Offered() { // a rule for clicks covers all verbs that press an element
		if v.Presses() {
			add(action.VerbPageClick.Name, v.Name)
			add(action.VerbPageClick.Tool, v.Name)
		}
	}
	add("browser_fill_form", action.VerbPageType.Name, action.VerbPageSelect.Name, action.VerbPageClick.Name)
	add("browser_screenshot", action.VerbPageScreenshot.Name)
	return all
}()

var toolNames = slices.Sorted(maps.Keys(verbsOf))

// checkParam complains if one of the verbs has neither such an argument nor such a fact: the condition
// would never hold for it. Verbs that are only covered because they press need not have what a click
// has.
func (r *reader) checkParam(path, param string, verbs map[string]bool) {
	if len(verbs) == 0 { // every verb, or no known verb: some verb must have the parameter
		var all []string
		for _, v := range action.Offered() {
			all = append(all, paramsOf(v)...)
		}
		r.knownWord(path, "parameter", param, all)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(verbs)) {
		verb, _ := action.Lookup(name)
		all := paramsOf(verb)
		if verb.Inner || slices.Contains(all, param) || verb.Presses() && verbs[action.VerbPageClick.Name] && name != action.VerbPageClick.Name {
			continue
		}
		r.knownWord(path, "parameter of "+name, param, all)
		return
	}
}

// paramsOf lists the parameters of a verb that conditions may be about.
func paramsOf(v *action.Verb) []string {
	all := argumentsOf(reflect.TypeOf(v.NewArgs()), "")
	for _, p := range Params {
		if p.on(v) {
			all = append(all, p.Name)
		}
	}
	return all
}

// argumentsOf are the names of a verb's arguments that are texts, numbers or
// lists of texts; "from.ref" for one inside another.
func argumentsOf(t reflect.Type, prefix string) []string {
	var all []string
	for _, f := range action.Fields(t) {
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case kind.Kind() == reflect.Struct:
			all = append(all, argumentsOf(kind, prefix+f.Name+".")...)
		case t == reflect.TypeFor[*action.Select]() && f.Name == "value": // is read as values
		case isPlain(kind):
			all = append(all, prefix+f.Name)
		}
	}
	return all
}

func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.String
	}
	return false
}

// argument returns the values of an argument, none where it was not given.
func argument(args any, name string) []string {
	v := reflect.ValueOf(args)
	for part := range strings.SplitSeq(name, ".") {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return nil
			}
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return nil
		}
		at := slices.IndexFunc(action.Fields(v.Type()), func(f action.Field) bool { return f.Name == part })
		if at < 0 {
			return nil
		}
		v = v.FieldByIndex(action.Fields(v.Type())[at].Index)
	}
	return plainValues(v)
}

func plainValues(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return plainValues(v.Elem())
		}
	case reflect.String:
		return []string{v.String()}
	case reflect.Bool:
		return []string{strconv.FormatBool(v.Bool())}
	case reflect.Int, reflect.Int64:
		return []string{strconv.FormatInt(v.Int(), 10)}
	case reflect.Float64:
		return []string{strconv.FormatFloat(v.Float(), 'g', -1, 64)}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			return slices.Clone(v.Interface().([]string))
		}
	}
	return nil
}
