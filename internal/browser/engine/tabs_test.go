package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

func (tr *trial) tabs() []action.Tab {
	tr.t.Helper()
	return tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
}

func TestVerbsActOnTheActiveTab(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": `<title>one</title>`, "/two": `<title>two</title>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	first := tr.tabs()[0]
	if first.URL != s.URL+"/" || first.Title != "one" || !first.Active {
		t.Errorf("the first tab is %+v", first)
	}
	r := tr.must("tab.open", &action.OpenTab{URL: s.URL + "/two"})
	second := *r.Data.(*action.Tab)
	if second.URL != s.URL+"/two" || second.Title != "two" || !second.Active || r.Page.URL != second.URL || len(r.Notes) != 0 {
		t.Errorf("opened %+v at %+v, notes %q", second, r.Page, r.Notes)
	}
	tr.wantTitle("two")
	if got := *tr.must("tab.activate", &action.ByID{ID: first.ID}).Data.(*action.Tab); got.ID != first.ID || !got.Active {
		t.Errorf("activated %+v", got)
	}
	tr.wantTitle("one")
	tabs := tr.tabs()
	if len(tabs) != 2 || tabs[0].ID != first.ID || tabs[1].ID != second.ID || !tabs[0].Active || tabs[1].Active {
		t.Errorf("listed %+v", tabs)
	}
	if r = tr.must("tab.close", &action.ByID{ID: first.ID}); !r.Data.(*action.Closed).OK || r.Page.Title != "two" || len(r.Notes) != 0 {
		t.Errorf("closed: %+v at %+v, notes %q", r.Data, r.Page, r.Notes)
	}
	tr.wantTitle("two")
	for _, verb := range []string{"tab.activate", "tab.close"} {
		tr.refuse(fault.NotFound, verb, &action.ByID{ID: first.ID})
	}
}

func TestTheLastTabLeavesAnEmptyOne(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>last</title>`)
	only := tr.tabs()[0].ID
	tr.must("tab.close", &action.ByID{ID: only})
	tabs := tr.tabs()
	if len(tabs) != 1 || tabs[0].ID == only || tabs[0].URL != "about:blank" || !tabs[0].Active {
		t.Errorf("left %+v", tabs)
	}
	tr.visit(`<title>again</title>`)
	tr.wantTitle("again")
}

func TestATabThatCannotGoWhereItShouldIsClosedAgain(t *testing.T) {
	tr := start(t, func(o *engine.Options) {
		o.Guard = func(u string) error {
			if strings.Contains(u, "localhost") {
				return fault.New(fault.BlockedDomain, "localhost is not allowed").Hinted("stay here")
			}
			return nil
		}
	})
	s := tr.visit(`<title>here</title>`)
	tr.refuse(fault.BlockedDomain, "tab.open", &action.OpenTab{URL: elsewhere(s)})
	tr.refuse(fault.InvalidURL, "tab.open", &action.OpenTab{URL: "file:///etc/passwd"})
	if tabs := tr.tabs(); len(tabs) != 1 || !tabs[0].Active {
		t.Errorf("left %+v", tabs)
	}
	tr.wantTitle("here")
}

func TestTabsOpenAndCloseBesideADialog(t *testing.T) {
	tr := start(t)
	s := tr.visit(`<title>asks</title><button onclick="alert('stop')">Ask</button>`)
	asking := tr.tabs()[0].ID
	if r := tr.must("page.click", &action.Click{Locator: selector("button")}); r.Modal == nil {
		t.Fatal("no dialog opened")
	}
	if r := tr.must("tab.open", &action.OpenTab{URL: s.URL}); r.Modal != nil {
		t.Errorf("the new tab shows the dialog of the other: %+v", r.Modal)
	}
	if r := tr.must("tab.activate", &action.ByID{ID: asking}); r.Modal == nil {
		t.Error("the dialog is gone")
	}
	tr.must("page.console", &action.ReadConsole{})
	tr.must("tab.close", &action.ByID{ID: asking})
	tr.wantTitle("asks")
}

func TestAPageCannotOpenTabsWithoutEnd(t *testing.T) {
	testenv.Heavy(t)
	tr := start(t)
	s := site(t, map[string]string{"/": `<title>opener</title><a target=_blank href="/pop">open</a>`, "/pop": `<title>pop</title>`})
	tr.must("page.goto", &action.Goto{URL: s.URL})
	opener := tr.tabs()[0].ID
	var notes string
	for range 22 {
		notes += strings.Join(tr.must("page.click", &action.Click{Locator: selector("a")}).Notes, "\n")
		tr.must("tab.activate", &action.ByID{ID: opener})
	}
	for !strings.Contains(notes, "more than 20 tabs") && tr.ctx.Err() == nil {
		notes += strings.Join(tr.must("page.wait_for", &action.WaitFor{}).Notes, "\n")
	}
	if tabs := tr.tabs(); len(tabs) != 20 {
		t.Errorf("%d tabs are open", len(tabs))
	}
	tr.refuse(fault.LimitReached, "tab.open", &action.OpenTab{})
	tr.must("tab.close", &action.ByID{ID: tr.tabs()[19].ID})
	tr.must("tab.open", &action.OpenTab{URL: s.URL + "/pop"})
	tr.wantTitle("pop")
}
