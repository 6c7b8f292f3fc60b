package engine_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// heldSite is a site whose requests to /held wait for a person.
type heldSite struct {
	*trial
	url    string
	asked  chan string // the method of a request that is held
	answer chan bool
}

const heldPage = `<!doctype html><title>Old</title><h1>The old page</h1><p id=n>not clicked</p>
<form method=post action=/held><input name=amount value=10 aria-label=Amount><button>Send</button></form>
<a href=/held>Next</a> <button id=assign onclick="location.assign('/held')">Assign</button>
<button id=submit onclick="document.forms[0].submit()">Submit by script</button>
<button id=fetch onclick="n.textContent = 'fetching'; fetch('/held', {method: 'POST'}).then(() => n.textContent = 'fetched', () => n.textContent = 'refused')">Fetch</button>
<button id=sync onclick="const x = new XMLHttpRequest(); x.open('POST', '/held', false); try { x.send() } catch {}">Block</button>`

func startHeld(t *testing.T, html string, options ...func(*engine.Options)) *heldSite {
	h := &heldSite{asked: make(chan string, 1), answer: make(chan bool)}
	site := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self' 'unsafe-inline'; worker-src 'none'; object-src 'none'")
		body := html
		switch r.URL.Path {
		case "/held":
			body = "<title>New</title><h1>The new page</h1>"
		case "/elsewhere":
			body = "<title>Elsewhere</title><h1>Elsewhere</h1>"
		case "/inner":
			body = "<p>inside of a frame</p>"
		}
		_, _ = io.WriteString(w, body)
	}))
	h.url = site.URL
	h.trial = start(t, append([]func(*engine.Options){func(o *engine.Options) {
		o.Timeout = ample
		o.Outgoing = func(ctx context.Context, r action.Request) (action.Ruling, error) {
			if !strings.Contains(r.URL, "/held") {
				return action.Ruling{}, nil
			}
			ruling := action.Ruling{Effect: true}
			if len(r.Acts) > 0 {
				ruling.Act = r.Acts[0]
			}
			r.Asking(ruling.Act, "q7")
			h.asked <- r.Method
			select {
			case yes := <-h.answer:
				if yes {
					return ruling, nil
				}
			case <-ctx.Done():
			}
			return ruling, fault.New(fault.ApprovalDenied, "a person said no").Hinted("do something else")
		}
	}}, options...)...)
	h.must("page.goto", &action.Goto{URL: site.URL})
	return h
}

// act does an act that does not wait for the answer of a person.
func (h *heldSite) act(verb string, args any) {
	h.t.Helper()
	ctx := engine.Acting(h.ctx, action.Act{ID: "act", Long: time.Minute, Wait: time.Millisecond})
	_, pin, err := h.Look(ctx, verb, args)
	must(h.t, err)
	if _, err := h.Do(ctx, verb, args, pin); err != nil && fault.CodeOf(err) != fault.NotActionable {
		h.t.Fatal(err)
	}
	testwait.Receive(h.t, h.asked, "a held request")
}

// reads checks that every read shows the old page. Where a document is held, each answer
// names the question.
func (h *heldSite) reads(t *testing.T, document bool) {
	t.Helper()
	want := func(verb string, args any, text func(any) string, shown string) {
		t.Helper()
		r, err := h.do(verb, args)
		if err != nil {
			t.Errorf("%s: %v", verb, err)
			return
		}
		if got := text(r.Data); !strings.Contains(got, shown) {
			t.Errorf("%s: %q does not contain %q", verb, got, shown)
		}
		if told := strings.Contains(strings.Join(r.Notes, " "), "question q7"); told != document {
			t.Errorf("%s: notes %q", verb, r.Notes)
		}
	}
	want("page.snapshot", &action.TakeSnapshot{}, func(d any) string { return d.(*action.Snapshot).Text }, "The old page")
	want("page.snapshot", &action.TakeSnapshot{Format: "markdown"}, func(d any) string { return d.(*action.Snapshot).Text }, "# The old page")
	want("page.find", &action.Find{Text: "old page"}, func(d any) string { return fmt.Sprint(d.(*action.Matches).Total) }, "1")
	want("page.markdown", &action.Markdown{}, func(d any) string { return d.(*action.Marked).Markdown }, "The old page")
	want("page.links", &action.None{}, func(d any) string { return fmt.Sprint(d.(*action.LinkListing).Links) }, "Next")
	want("page.extract", &action.Extract{}, func(d any) string { return fmt.Sprintf("%+v", d) }, "The old page")
	want("page.content", &action.Content{}, func(d any) string { return d.(*action.HTML).HTML }, "The old page")
	want("page.wait_for", &action.WaitFor{Locator: selector("h1")}, func(d any) string { return fmt.Sprint(d.(*action.Waited).Found) }, "true")
	want("page.screenshot", &action.TakeScreenshot{}, func(d any) string { return fmt.Sprint(d.(*action.Screenshot).Width) }, "800")
	if document { // what needs the browser's layout of the page
		for _, args := range []*action.TakeScreenshot{{Labels: true}, {FullPage: true}, {Selector: "h1"}} {
			_, err := h.do("page.screenshot", args)
			if f := expect(t, fault.NotActionable, err); f.Retryable() || f.Details["approvalId"] != "q7" {
				t.Errorf("%+v: %+v", args, f)
			}
		}
	}
	if tabs := h.must("tab.list", &action.None{}); !strings.Contains(fmt.Sprintf("%+v", tabs.Data), "Old") {
		t.Errorf("tabs %+v", tabs.Data)
	}
}

// heldWays are the ways in which an act sends a request.
var heldWays = map[string]struct {
	act      func(*heldSite)
	document bool // it replaces the page
}{
	"a click on a button of a form": {func(h *heldSite) {
		h.act("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Send"}})
	}, true},
	"Enter in a form":            {func(h *heldSite) { h.act("page.press", &action.Press{Locator: selector("input"), Key: "Enter"}) }, true},
	"a link":                     {func(h *heldSite) { h.act("page.click", &action.Click{Locator: selector("a")}) }, true},
	"location.assign":            {func(h *heldSite) { h.act("page.click", &action.Click{Locator: selector("#assign")}) }, true},
	"a form that a script sends": {func(h *heldSite) { h.act("page.click", &action.Click{Locator: selector("#submit")}) }, true},
	"fetch":                      {func(h *heldSite) { h.act("page.click", &action.Click{Locator: selector("#fetch")}) }, false},
}

// While a person is asked about what an act sends, the page is read as it is; acts on it
// are refused if it is about to be replaced. A denial leaves the page usable, and an
// approval lets the request go on.
func TestAPageIsReadWhileItsRequestIsHeld(t *testing.T) {
	for name, way := range heldWays {
		t.Run(name, func(t *testing.T) {
			h := startHeld(t, heldPage)
			way.act(h)
			h.reads(t, way.document)
			if way.document {
				_, err := h.do("page.click", &action.Click{Locator: selector("#fetch")})
				f := expect(t, fault.NotActionable, err)
				if f.Retryable() || f.Details["approvalId"] != "q7" || !strings.Contains(f.Message, "question q7") {
					t.Errorf("an act: %+v, retryable %v", f, f.Retryable())
				}
			}
			h.answer <- false
			testwait.For(t, "the page to be usable", func() bool {
				_, err := h.do("page.hover", &action.Hover{Locator: selector("h1")})
				return err == nil
			})
			if r := h.must("page.snapshot", &action.TakeSnapshot{}); !strings.Contains(r.Data.(*action.Snapshot).Text, "The old page") || strings.Contains(fmt.Sprint(r.Notes), "q7") {
				t.Errorf("after a denial: %+v, notes %q", r.Data, r.Notes)
			}
			way.act(h) // a second time: the relay works again
			h.reads(t, way.document)
			h.answer <- true
			after := "The new page"
			if !way.document {
				after = "fetched"
			}
			h.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: after}, Timeout: new(120000)})
			if r := h.must("page.snapshot", &action.TakeSnapshot{}); !strings.Contains(r.Data.(*action.Snapshot).Text, after) {
				t.Errorf("after an approval: %+v", r.Data)
			}
		})
	}
}

// A person may be asked while the page cannot answer at all: the fault names the question.
func TestAPageThatWaitsForAHeldRequestItselfSaysSo(t *testing.T) {
	h := startHeld(t, heldPage, func(o *engine.Options) { o.Timeout = 3 * time.Second })
	h.act("page.click", &action.Click{Locator: selector("#sync")})
	_, err := h.do("page.snapshot", &action.TakeSnapshot{})
	if f := expect(t, fault.NotActionable, err); f.Retryable() || f.Details["approvalId"] != "q7" {
		t.Errorf("fault %+v", f)
	}
	h.answer <- false
}

// A page whose next document is held can be left, and the question does not concern the
// page that is shown then.
func TestAPageWhoseNextDocumentIsHeldCanBeLeft(t *testing.T) {
	h := startHeld(t, heldPage)
	h.act("page.click", &action.Click{Locator: selector("#submit")})
	h.must("page.goto", &action.Goto{URL: h.url + "/elsewhere"})
	r := h.must("page.snapshot", &action.TakeSnapshot{})
	if !strings.Contains(r.Data.(*action.Snapshot).Text, "Elsewhere") || strings.Contains(fmt.Sprint(r.Notes), "q7") {
		t.Errorf("%+v, notes %q", r.Data, r.Notes)
	}
	h.must("page.hover", &action.Hover{Locator: selector("h1")})
	h.wantTitle("Elsewhere")
}

// A frame of the page's own process cannot be read meanwhile: a snapshot leaves it out and
// says so, and there is no picture of what cannot be judged.
func TestFramesOfAHeldPageAreLeftOut(t *testing.T) {
	h := startHeld(t, heldPage+"<iframe src=/inner></iframe>")
	h.act("page.click", &action.Click{Locator: selector("#submit")})
	r := h.must("page.snapshot", &action.TakeSnapshot{})
	if text := r.Data.(*action.Snapshot).Text; !strings.Contains(text, "The old page") || strings.Contains(text, "inside of a frame") || !strings.Contains(strings.Join(r.Notes, " "), "is left out") {
		t.Errorf("%s, notes %q", text, r.Notes)
	}
	h.answer <- false
}

// A request that its page gives up, or leaves behind, waits for nobody: the next act does not
// wait for the answer to it, and people need not give one.
func TestARequestThatItsPageGivesUpWaitsForNobody(t *testing.T) {
	const page = heldPage + `<button id=abort onclick="const c = new AbortController(); fetch('/held', {method: 'POST', signal: c.signal}).catch(() => n.textContent = 'given up'); window.end = () => c.abort()">Abort</button>
		<button id=end onclick="window.end()">End</button>`
	leaves := func(h *heldSite) { h.must("page.goto", &action.Goto{URL: h.url + "/elsewhere"}) }
	for name, c := range map[string]struct {
		id    string
		leave func(*heldSite)
	}{
		"while it is judged the page is left": {"fetch-late", leaves}, "while it is judged another page comes": {"submit-late", leaves},
		"the page is left":   {"fetch", leaves},
		"another page comes": {"submit", leaves}, // in place of the document that is held
		"the page aborts it": {"abort", func(h *heldSite) { h.must("page.click", &action.Click{Locator: selector("#end")}) }},
		"the tab is closed": {"fetch", func(h *heldSite) {
			h.must("tab.open", &action.OpenTab{URL: h.url + "/elsewhere"})
			tabs := h.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
			h.must("tab.close", &action.ByID{ID: tabs[0].ID})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 1)
			id, late := strings.CutSuffix(c.id, "-late")
			judging, left := make(chan struct{}), make(chan struct{})
			h := startHeld(t, page, func(o *engine.Options) {
				judge := o.Outgoing
				o.Outgoing = func(ctx context.Context, r action.Request) (action.Ruling, error) {
					if late && strings.Contains(r.URL, "/held") {
						close(judging)
						<-left
					}
					ruling, err := judge(ctx, r)
					if strings.Contains(r.URL, "/held") {
						ended <- ctx.Err()
					}
					return ruling, err
				}
			})
			if late {
				h.eval("void setTimeout(() => document.getElementById('" + id + "').click())")
				testwait.Receive(t, judging, "the request")
				c.leave(h)
				close(left)
				testwait.Receive(t, h.asked, "the question about the request")
			} else {
				h.act("page.click", &action.Click{Locator: selector("#" + id)})
				c.leave(h)
			}
			if err := testwait.Receive(t, ended, "the end of the question"); err == nil {
				t.Error("people are asked on")
			}
			ctx := engine.Acting(h.ctx, action.Act{ID: "next", Long: time.Minute, Wait: ample})
			args := &action.Press{Key: "Tab"}
			_, pin, err := h.Look(ctx, "page.press", args)
			must(t, err)
			if _, err := h.Do(ctx, "page.press", args, pin); err != nil { // it ends, or the test does not
				t.Error(err)
			}
		})
	}
}
