package action

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Verb is one kind of call, and how each surface offers it.
type Verb struct {
	Name    string
	Class   Class
	Risk    Risk       // default, unless the page's facts change it
	Counts  bool       // counts against max_actions_per_session
	Inner   bool       // a step of a crawl or a run: no surface offers it, and the gate refuses it from surfaces
	Target  bool       // acts on an element, whose facts are read first
	Input   bool       // gives a page input: waits for the requests that it causes, which can be judged in its place
	Done    string     // what an answer says before the element; of verbs whose tool and command follow from the definition
	NewArgs func() any // pointer to a zero value of its argument type
	NewData func() any // pointer to a zero value of its result type
	Method  string     // REST
	Path    string     // REST; below /v1
	Status  int        // REST; of success, 200 when 0
	Body    int64      // REST; maximum size of a request's body in bytes, if it is larger than the default
	Tool    string     // MCP tool; empty when there is none
	Command string     // command line; empty when there is none
	Summary string     // one line, for every generated reference
	presses bool
}

// Definition is a verb with the types of its arguments and of its result.
type Definition[Args, Result any] struct{ *Verb }

// Presses reports whether the verb presses its element, as page.click does.
func (v *Verb) Presses() bool { return v.presses }

// Own returns the fields that the verb's arguments declare themselves, without
// those of embedded structs.
func (v *Verb) Own() []reflect.StructField {
	all := reflect.VisibleFields(reflect.TypeOf(v.NewArgs()).Elem())
	return slices.DeleteFunc(all, func(f reflect.StructField) bool { return f.Anonymous || len(f.Index) > 1 })
}

// Define adds a verb to the table. Each verb is defined once, in a package
// variable beside its types.
func Define[Args, Result any](v Verb) Definition[Args, Result] {
	v.NewArgs, v.NewData = func() any { return new(Args) }, func() any { return new(Result) }
	_, v.presses = any(new(Args)).(Pressing)
	row := &v
	byName[v.Name] = row
	Verbs = append(Verbs, row)
	return Definition[Args, Result]{row}
}

const filesBody = MostUpload/3*4 + 1<<20 // bytes: base64 and what is around it

// Verbs is the table of all verbs, in the order of the references: by family,
// and in each family in the order of definition.
var Verbs []*Verb

var byName = map[string]*Verb{}

// families are the first words of verbs, in the order of references.
var families = []string{
	"session", "browser", "profile", "page", "cookie", "tab", "download", "cdp", "desktop", "crawl", "run", "capability",
	"artifact", "approval", "grant", "events", "policy", "audit", "token", "credential",
}

func init() {
	place := func(v *Verb) int {
		family, _, _ := strings.Cut(v.Name, ".")
		return slices.Index(families, family)
	}
	slices.SortStableFunc(Verbs, func(a, b *Verb) int { return cmp.Compare(place(a), place(b)) })
}

// Lookup returns the row of a verb.
func Lookup(name string) (*Verb, bool) {
	v, ok := byName[name]
	return v, ok
}

// Offered lists the verbs that surfaces offer.
func Offered() []*Verb {
	return slices.DeleteFunc(slices.Clone(Verbs), func(v *Verb) bool { return v.Inner })
}

// As returns the row by which a call with these arguments is judged, counted
// and recorded. It is v itself, with these exceptions: a reading verb whose
// arguments first navigate is a write; one that asks for raw data is a raw
// access; a session with saved user data needs access to that data; and events
// that everybody may list are a read.
func (v *Verb) As(args any) *Verb {
	if args == nil || reflect.ValueOf(args).IsZero() {
		return v
	}
	if o, may := args.(interface{ OpensProfile() bool }); may && o.OpensProfile() {
		row := *v
		row.Class, row.Risk = Raw, High
		return &row
	}
	if o, may := args.(interface{ Public() bool }); may && o.Public() {
		row := *v
		row.Class = Read
		return &row
	}
	if v.Class != Read {
		return v
	}
	row := *v
	switch a := args.(type) {
	case interface{ Navigates() bool }:
		if !a.Navigates() {
			return v
		}
		row.Class, row.Counts = Write, true
	case interface{ Raw() bool }:
		if !a.Raw() {
			return v
		}
		row.Class, row.Risk = Raw, High
	default:
		return v
	}
	return &row
}
