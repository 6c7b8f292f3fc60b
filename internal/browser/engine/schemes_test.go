package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// A link to another program leaves the page and what was typed there as they are, and
// the caller is told where it leads.
func TestAPageStaysWhenItLeadsToAnotherProgram(t *testing.T) {
	for _, c := range []struct{ way, page, address string }{
		{"a link", `<a href="mailto:a@b.example?subject=Hello">Go</a>`, "mailto:a@b.example?subject=Hello"},
		{"a link to a new tab", `<a href="tel:+431234" target=_blank>Go</a>`, "tel:+431234"},
		{"a script", `<button onclick="location = 'MyApp://open/1'">Go</button>`, "myapp://open/1"},
		{"a script that replaces", `<button onclick="location.replace('slack://x')">Go</button>`, "slack://x"},
		{"a new window", `<button onclick="window.open('zoommtg://x/join')">Go</button>`, "zoommtg://x/join"},
		{"a form", `<form action="sms:1234"><button>Go</button></form>`, "sms:1234?"},
		{"a frame", `<iframe srcdoc='<a href="mailto:c@b.example">Go</a>'></iframe>`, "mailto:c@b.example"},
		{"a frame's link for the page", `<iframe srcdoc='<a target=_top href="mailto:c@b.example">Go</a>'></iframe>`, "mailto:c@b.example"},
	} {
		t.Run(c.way, func(t *testing.T) {
			tr := start(t)
			s := tr.visit(`<title>contact</title><label>Draft <textarea></textarea></label>` + c.page)
			tr.must("page.type", &action.Type{Locator: action.Locator{Role: "textbox", Name: "Draft"}, Input: "Dear all"})
			result := tr.must("page.click", &action.Click{Locator: action.Locator{Text: "Go"}})
			if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, fmt.Sprintf("%q is opened by another program", c.address)) {
				t.Errorf("notes %q do not name %s", notes, c.address)
			}
			tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
			if len(tabs) != 1 || !strings.HasPrefix(tabs[0].URL, s.URL+"/") {
				t.Errorf("tabs %+v", tabs)
			}
			if got := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot).Text; !strings.Contains(got, "Dear all") {
				t.Errorf("the draft is gone:\n%s", got)
			}
		})
	}
}

// Addresses that the browser opens itself are none of other programs.
func TestOwnSchemesStillNavigate(t *testing.T) {
	tr := start(t)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>%s</title><a href="/next">Next</a><a href="javascript:void(document.title='ran')">Run</a><a href="#part">Part</a>`, r.URL.Path)
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL + "/first"})
	for _, step := range []struct{ link, title string }{{"Run", "ran"}, {"Part", "ran"}, {"Next", "/next"}} {
		result := tr.must("page.click", &action.Click{Locator: action.Locator{Role: "link", Name: step.link}})
		if len(result.Notes) > 0 {
			t.Errorf("%s: notes %q", step.link, result.Notes)
		}
		tr.wantTitle(step.title)
	}
}
