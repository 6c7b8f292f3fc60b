package engine_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// A document in a sandbox that allows no scripts runs no timers either.
func TestActsInDocumentsWithoutScriptsEnd(t *testing.T) {
	const mail = `<title>mail</title><p>Hello</p><label>Name <input id=n></label><label><input type=checkbox> Ok</label><label>Size <select><option>S<option>M</select></label><details><summary>More</summary>Body</details><div style="height:3000px"></div>`
	pages := map[string]string{
		"policy": mail,
		"frame":  `<title>outer</title><iframe sandbox="allow-same-origin" width=600 height=400 srcdoc='` + mail + `'></iframe>`,
		"opaque": `<title>outer</title><iframe sandbox width=600 height=400 srcdoc='` + mail + `'></iframe>`,
	}
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/policy" {
			w.Header().Set("Content-Security-Policy", "sandbox")
		}
		_, _ = w.Write([]byte(pages[strings.Trim(r.URL.Path, "/")]))
	}))
	for name := range pages {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.must("page.goto", &action.Goto{URL: s.URL + "/" + name})
			tr.must("page.click", &action.Click{Locator: action.Locator{Text: "Hello"}})
			tr.must("page.type", &action.Type{Locator: action.Locator{Role: "textbox", Name: "Name"}, Input: "Ada"})
			tr.must("page.check", &action.SetChecked{Locator: action.Locator{Role: "checkbox", Name: "Ok"}, Checked: new(true)})
			tr.must("page.select", &action.Select{Locator: action.Locator{Role: "combobox", Name: "Size"}, Values: []string{"M"}})
			tr.must("page.hover", &action.Hover{Locator: action.Locator{Text: "Hello"}})
			tr.must("page.press", &action.Press{Key: "Tab"})
			tr.must("page.click", &action.Click{Locator: action.Locator{Text: "More"}})
			tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: "Body"}})
			got := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot).Text
			for _, want := range []string{`"Ada"`, "checked", "Body"} {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in\n%s", want, got)
				}
			}
		})
	}
}
