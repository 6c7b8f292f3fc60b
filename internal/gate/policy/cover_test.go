package policy

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// TestAnApprovalCoversTheElementsOwnRequest checks that the request of a form, a link or an
// address is covered with the values that it had, and that nothing like it is.
func TestAnApprovalCoversTheElementsOwnRequest(t *testing.T) {
	const app = "https://app.example"
	pay := action.Element{Submits: true, FormAction: app + "/pay?step=2#x", FormMethod: "post", FormRead: true,
		FormFields: [][2]string{{"to", "Ann"}, {"amount", "10"}, {"note", strings.Repeat("x", 200) + "…"}, {"tag", "a"}, {"tag", "b"}}}
	paid := func(change ...string) []action.BodyField {
		all := bodyOf("to", "Ann", "amount", "10", "note", strings.Repeat("x", 200)+" and more", "tag", "a", "tag", "b")
		for i := 0; i+1 < len(change); i += 2 {
			found := false
			for j := range all {
				if all[j].Name == change[i] {
					all[j].Value, found = change[i+1], true
					break
				}
			}
			if !found {
				all = append(all, action.BodyField{Name: change[i], Value: change[i+1]})
			}
		}
		return all
	}
	search := action.Element{Submits: true, FormAction: app + "/find?old=1", FormMethod: "get", FormRead: true, FormFields: [][2]string{{"q", "red shoes"}}}
	link := action.Element{LinkURL: app + "/items/5/delete?confirm=1#top"}
	rails := action.Element{LinkURL: app + "/items/5", Orders: "data-method=delete · data-confirm=Sure?"}
	htmx := action.Element{Orders: "hx-delete=/items/5"}
	script := action.Element{Name: "Pay"}
	for name, c := range map[string]struct {
		element     *action.Element
		method, url string
		fields      []action.BodyField
		want        bool
	}{
		"the form as it was":                       {&pay, "POST", app + "/pay?step=2", paid(), true},
		"with a token that a script added":         {&pay, "POST", app + "/pay?step=2", paid("csrf", "x"), true},
		"another amount":                           {&pay, "POST", app + "/pay?step=2", paid("amount", "9999"), false},
		"another recipient":                        {&pay, "POST", app + "/pay?step=2", paid("to", "eve"), false},
		"an amount more":                           {&pay, "POST", app + "/pay?step=2", append(paid(), action.BodyField{Name: "amount", Value: "9999"}), false},
		"a value less":                             {&pay, "POST", app + "/pay?step=2", paid()[:4], false},
		"another of two equal names":               {&pay, "POST", app + "/pay?step=2", paid("tag", "c"), false},
		"an order that was not shown":              {&pay, "POST", app + "/pay?step=2", paid("action", "refund"), false},
		"a long text that begins otherwise":        {&pay, "POST", app + "/pay?step=2", paid("note", "y"), false},
		"another query":                            {&pay, "POST", app + "/pay?step=3", paid(), false},
		"another path":                             {&pay, "POST", app + "/pay2?step=2", paid(), false},
		"another method":                           {&pay, "PUT", app + "/pay?step=2", paid(), false},
		"another host":                             {&pay, "POST", "https://eve.example/pay?step=2", paid(), false},
		"a search form":                            {&search, "GET", app + "/find?q=red+shoes", nil, true},
		"a search for something else":              {&search, "GET", app + "/find?q=blue", nil, false},
		"a search with an order":                   {&search, "GET", app + "/find?q=red+shoes&do=delete", nil, false},
		"the link":                                 {&link, "GET", app + "/items/5/delete?confirm=1", nil, true},
		"a link to another item":                   {&link, "GET", app + "/items/6/delete?confirm=1", nil, false},
		"a link with another query":                {&link, "GET", app + "/items/5/delete?confirm=1&all=1", nil, false},
		"what a link's attribute asks for":         {&rails, "DELETE", app + "/items/5", nil, true},
		"the same as a form":                       {&rails, "POST", app + "/items/5", bodyOf("_method", "delete", "authenticity_token", "x"), true},
		"the same with another method":             {&rails, "POST", app + "/items/5", bodyOf("_method", "patch"), false},
		"a link with a method, read":               {&rails, "GET", app + "/items/5", nil, false},
		"what an attribute of a button asks for":   {&htmx, "DELETE", app + "/items/5", nil, true},
		"the same of another item":                 {&htmx, "DELETE", app + "/items/6", nil, false},
		"what a script asks for":                   {&script, "POST", app + "/pay", bodyOf("amount", "10", "to", "Ann"), false},
		"a form whose fields could not be read":    {&action.Element{Submits: true, FormAction: app + "/pay", FormMethod: "post"}, "POST", app + "/pay", nil, false},
		"a form without fields":                    {&action.Element{Submits: true, FormAction: app + "/pay", FormMethod: "post", FormRead: true}, "POST", app + "/pay", nil, true},
		"a form without fields, with an amount":    {&action.Element{Submits: true, FormAction: app + "/pay", FormMethod: "post", FormRead: true}, "POST", app + "/pay", bodyOf("amount", "9"), false},
		"a form without fields, with another role": {&action.Element{Submits: true, FormAction: app + "/me", FormMethod: "post", FormRead: true}, "POST", app + "/me", bodyOf("role", "admin"), false},
	} {
		p, err := New(Config{Enabled: true})
		if err != nil {
			t.Fatal(err)
		}
		c.element.FrameURL = app + "/page"
		cover := p.Covers(action.Facts{Page: action.Page{URL: app + "/page"}, Element: c.element}, action.Critical)
		r := action.Request{Method: c.method, URL: c.url, Fields: c.fields, Document: app + "/page", Origin: app, Kind: "Document"}
		if got := cover.OwnRequest(r); got != c.want {
			t.Errorf("%s: covered %t, want %t", name, got, c.want)
		}
		if r.Document, r.Origin = "https://frame.example/", "https://frame.example"; cover.OwnRequest(r) {
			t.Errorf("%s: covered when another frame sends it", name)
		}
		if r.Document, r.Origin, r.Unread = app+"/page", app, true; cover.OwnRequest(r) {
			t.Errorf("%s: covered though it was not read whole", name)
		}
	}
}
