package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

const everything = `<title>all</title><meta charset=utf-8><h1>All</h1><input id=i><input id=f type=file><button id=b>Go</button><input id=c type=checkbox><div id=d draggable=true>Drag</div><select id=s><option>a<option>b</select><a href=#x>Link</a>`

// callsOf has arguments for each verb that acts on a page's tab.
var callsOf = map[string]func(url string) any{
	"page.goto":    func(url string) any { return &action.Goto{URL: url} },
	"page.back":    func(string) any { return &action.None{} },
	"page.forward": func(string) any { return &action.None{} },
	"page.reload":  func(string) any { return &action.Reload{} },
	"page.click":   func(string) any { return &action.Click{Locator: selector("#b")} },
	"page.type":    func(string) any { return &action.Type{Locator: selector("#i"), Input: "text"} },
	"page.press":   func(string) any { return &action.Press{Locator: selector("#i"), Key: "a"} },
	"page.select":  func(string) any { return &action.Select{Locator: selector("#s"), Values: []string{"b"}} },
	"page.upload": func(string) any {
		return &action.Upload{Locator: selector("#f"), Files: []action.NewFile{{Name: "a.txt"}}}
	},
	"page.fill_secret": func(url string) any {
		return &engine.Filling{FillSecret: action.FillSecret{Locator: selector("#i"), Secret: "password"}, Origin: strings.TrimSuffix(url, "/?next")}
	},
	"page.drag":       func(string) any { return &action.Drag{From: selector("#d"), To: selector("#b")} },
	"page.resize":     func(string) any { return &action.Resize{Width: 800, Height: 600} },
	"page.scroll":     func(string) any { return &action.Scroll{Y: 10} },
	"page.wait_for":   func(string) any { return &action.WaitFor{Locator: selector("#b")} },
	"page.extract":    func(string) any { return &action.Extract{} },
	"page.snapshot":   func(string) any { return &action.TakeSnapshot{} },
	"page.find":       func(string) any { return &action.Find{Text: "All"} },
	"page.har":        func(string) any { return &action.ExportHAR{} },
	"page.screenshot": func(string) any { return &action.TakeScreenshot{} },
	"page.content":    func(string) any { return &action.Content{} },
	"page.markdown":   func(string) any { return &action.Markdown{} },
	"page.links":      func(string) any { return &action.None{} },
	"page.scrape":     func(string) any { return &action.Scrape{Selectors: map[string]string{"t": "h1"}} },
	"page.execute":    func(string) any { return &action.Execute{Expression: "document.title"} },
	"page.pdf":        func(string) any { return &action.PrintPDF{} },
	"page.console":    func(string) any { return &action.ReadConsole{} },
	"page.network":    func(string) any { return &action.ReadNetwork{} },
	"tab.list":        func(string) any { return &action.None{} },
	"tab.open":        func(string) any { return &action.OpenTab{} },
	"cookie.list":     func(string) any { return &action.CookieList{} },
	"cookie.delete":   func(string) any { return &action.CookieDelete{} },
}

// notWalked are verbs of a page whose own tests have dialogs: they answer one,
// need the id of a tab, or have tabs of their own.
var notWalked = map[string]bool{"page.dialog": true, "page.crawl": true, "page.batch": true, "tab.activate": true, "tab.close": true, "cookie.set": true}

func TestADialogInTheMiddleOfAnyVerb(t *testing.T) {
	t.Parallel()
	for _, row := range action.Verbs {
		kind, _, _ := strings.Cut(row.Name, ".")
		if kind != "page" && kind != "tab" && kind != "cookie" || notWalked[row.Name] {
			continue
		}
		args := callsOf[row.Name]
		if call, names := row.OnElement(selector("#c")); args == nil && names {
			args = func(string) any { return call }
		}
		if args == nil {
			t.Errorf("%s has no call here", row.Name)
			continue
		}
		if !testenv.Tried(row.Name, 10) {
			continue
		}
		t.Run(row.Name, func(t *testing.T) { interrupted(t, row.Name, args) })
	}
}

// interrupted has a dialog open before each of the verb's calls to the page in
// turn: the verb ends in time, done or with a fault that names the dialog; and
// when that is answered the tab can be used.
func interrupted(t *testing.T, verb string, args func(string) any) {
	tr, _ := withFiles(t)
	s := tr.visit(everything)
	most := int64(5)
	if testing.Short() {
		most = 2
	}
	for n, injected := int64(1), true; injected && n <= most; n++ {
		tr.visitAt(s.URL + fmt.Sprint("/?", n))
		var calls atomic.Int64
		tr.lane.fail(func(_ string, _ int64, session string) ([]byte, error) {
			if session != "" && calls.Add(1) == n {
				return nil, tr.wire.ask(session)
			}
			return nil, nil
		})
		r, err := tr.do(verb, args(s.URL+"/?next"))
		tr.lane.fail(nil)
		injected = calls.Load() >= n
		switch {
		case err != nil:
			expect(t, fault.DialogOpen, err)
		case r.Data == nil:
			t.Errorf("call %d: no fault and no data", n)
		}
		tr.answerAll()
		tr.must("page.click", &action.Click{Locator: selector("#b")})
	}
}

// ask opens a dialog in the page of a session, behind the engine's back.
func (w *wire) ask(session string) error {
	message, err := json.Marshal(map[string]any{
		"id": 1 << 50, "sessionId": session, "method": "Runtime.evaluate", "params": map[string]any{"expression": "alert('stop')"},
	})
	if err != nil {
		return err
	}
	return w.under.Write(message)
}

// answerAll answers the dialog that is open, if one is, in whichever tab.
func (tr *trial) answerAll() {
	tr.t.Helper()
	for _, tab := range tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs {
		if !tab.Active {
			tr.must("tab.activate", &action.ByID{ID: tab.ID})
		}
		_, err := tr.do("page.dialog", &action.AnswerDialog{Accept: true})
		if err != nil && fault.CodeOf(err) != fault.InvalidRequest {
			tr.t.Fatal(err)
		}
		if len(tab.URL) > len("about:blank") {
			return
		}
	}
}
