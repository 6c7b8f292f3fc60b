package gate_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// pageSessions has one session with one real page.
type pageSessions struct {
	browser *engine.Browser
	before  func() // runs once, between verdict and act
}

func (r *pageSessions) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	session := action.SessionFacts{ID: "s1", Box: "b1", State: "open"}
	if call.Verb == action.VerbSessionShow.Name {
		return action.Facts{Session: session}, action.Pin{Session: "s1"}, nil
	}
	facts, pin, err := r.browser.Look(ctx, call.Verb, call.Args)
	facts.Session, pin.Session = session, "s1"
	if d := facts.Destination; d != nil {
		u, _ := url.Parse(d.URL)
		d.Host, d.Allowed = u.Hostname(), u.Hostname() == "127.0.0.1" || u.String() == "about:blank"
	}
	return facts, pin, err
}

func (r *pageSessions) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	if before := r.before; before != nil {
		r.before = nil
		before()
	}
	return r.browser.Do(ctx, call.Verb, call.Args, pin)
}

func (r *pageSessions) Attach(context.Context, action.Call, action.Pin, func(action.Message)) (action.Attachment, error) {
	return nil, fault.New(fault.NotActive, "no clients here")
}

func (r *pageSessions) TargetScreenshot(ctx context.Context, _ action.Call, pin action.Pin) (string, error) {
	_, err := r.browser.TargetScreenshot(ctx, pin)
	return "picture", err
}

func (r *pageSessions) QueueNotice(string, string) {}

func (r *pageSessions) Pause(context.Context, string, string, string) error { return nil }

func (r *pageSessions) PageAct(_ context.Context, call action.Call) (action.Call, bool, error) {
	return call, false, nil
}

func (r *pageSessions) RequestableHost(string, string) string { return "" }

// siteRig is a gate with a real page of a site that counts what is done to it.
type siteRig struct {
	t            *testing.T
	testGate     *testGate
	pageSessions *pageSessions
	site         *httptest.Server
	done         atomic.Int32
	html         atomic.Pointer[string]
}

const effect = `fetch("/effect", {method: "POST"})`

func newSiteRig(t *testing.T) *siteRig {
	t.Helper()
	w := &siteRig{t: t, pageSessions: &pageSessions{}}
	w.site = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/effect" || strings.Contains(r.URL.RequestURI(), "delete") {
			w.done.Add(1)
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(out, "<!doctype html><title>Page</title>", *w.html.Load())
	}))
	t.Cleanup(w.site.Close)
	chromium := browsertest.For(t)
	var err error
	w.pageSessions.browser, err = engine.Open(t.Context(), chromium.Transport(), engine.Options{Width: 800, Height: 600, Timeout: 5 * time.Minute, Guard: func(string) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.pageSessions.browser.Close() })
	w.testGate = buildOn(t, policy.Config{Enabled: true, Trusted: []string{"127.0.0.1"}}, gate.Credentials{}, func(*testGate) gate.Sessions { return w.pageSessions })
	t.Cleanup(func() { w.testGate.close(t) })
	return w
}

// show loads a page.
func (w *siteRig) show(html string) {
	w.t.Helper()
	w.html.Store(&html)
	if _, err := w.as(operator, "page.goto", &action.Goto{URL: w.site.URL + "/"}); err != nil {
		w.t.Fatal(err)
	}
	w.done.Store(0)
}

// as makes a call that waits for nobody.
func (w *siteRig) as(who action.Caller, verb string, args any) (action.Result, error) {
	return w.testGate.Call(w.t.Context(), action.Call{Verb: verb, Caller: who, Args: args, Wait: time.Millisecond})
}

func (w *siteRig) script(text string) {
	w.t.Helper()
	if _, err := w.as(operator, "page.execute", &action.Execute{Expression: text}); err != nil && fault.CodeOf(err) != fault.DialogOpen {
		w.t.Fatal(err)
	}
}

// happens waits until the site has received a request.
func (w *trial) happens() {
	w.t.Helper()
	testwait.For(w.t, "the request", func() bool { return w.done.Load() > 0 })
}

func named(selector string) action.Locator { return action.Locator{Selector: selector} }

// way is one way to have an effect.
type way struct {
	name  string
	html  string
	first string // script that an operator runs before
	verb  string
	args  any
	risk  action.Risk // at least
	swap  string      // script between verdict and act, after which the act must not happen
	// dialogs block scripts, so the swap answers the dialog and opens a new one
	dialog bool
}

const trash = `ondragover="event.preventDefault()" ondrop='event.preventDefault(); ` + effect + `'`

var ways = []way{
	{name: "click", html: `<button id=b onclick='` + effect + `'>Delete</button>`, verb: "page.click", args: &action.Click{Locator: named("#b")}, risk: action.High, swap: `b.textContent = "Delete everything"`},
	{name: "click on a part", html: `<button id=b onclick='` + effect + `'><span id=s>Delete</span></button>`, verb: "page.click", args: &action.Click{Locator: named("#s")}, risk: action.High, swap: `b.setAttribute("aria-label", "Delete everything")`},
	{name: "click on a point", html: `<button id=b style="position:fixed;left:0;top:0;width:90px;height:40px" onclick='` + effect + `'>Delete</button>`, verb: "page.click", args: &action.Click{Locator: action.Locator{X: new(20.0), Y: new(20.0)}}, risk: action.High, swap: `b.remove()`},
	{name: "click on an icon", html: `<button id=b onclick='` + effect + `'><svg width=20 height=20 class="icon-trash"><title>Remove</title></svg></button>`, verb: "page.click", args: &action.Click{Locator: named("#b")}, risk: action.High, swap: `b.querySelector("title").textContent = "Remove everything"`},
	{name: "click on look-alike letters", html: `<button id=b onclick='` + effect + `'>Dеlеtе</button>`, verb: "page.click", args: &action.Click{Locator: named("#b")}, risk: action.High, swap: `b.textContent = "Delete"`},
	{name: "click on letters apart", html: `<button id=b onclick='` + effect + `'>D E L E T E</button>`, verb: "page.click", args: &action.Click{Locator: named("#b")}, risk: action.High, swap: `b.type = "reset"`},
	{name: "click on a link", html: `<a id=a href="/items/1/delete">Item 1</a>`, verb: "page.click", args: &action.Click{Locator: named("#a")}, risk: action.High, swap: `a.href = "/items/2/delete"`},
	{name: "click on a box that sends its form", html: `<form action="/items/delete" method=post><input id=c type=checkbox aria-label=One onchange="this.form.submit()"></form>`, verb: "page.click", args: &action.Click{Locator: named("#c")}, risk: action.High, swap: `c.form.action = "/other/delete"`},
	{name: "Enter in a form", html: `<form action="/items/1" method=post onsubmit='event.preventDefault(); ` + effect + `'><input id=i type=text aria-label=Note><button id=b>Delete</button></form>`, verb: "page.press", args: &action.Press{Locator: named("#i"), Key: "Enter"}, risk: action.High, swap: `b.textContent = "Delete everything"`},
	{name: "Enter on what has the focus", html: `<button id=b onclick='` + effect + `'>Delete</button>`, first: `b.focus()`, verb: "page.press", args: &action.Press{Key: "Enter"}, risk: action.High, swap: `b.insertAdjacentHTML("afterend", "<button id=n>Delete</button>"); n.focus()`},
	{name: "space on what has the focus", html: `<button id=b onclick='` + effect + `'>Delete</button>`, first: `b.focus()`, verb: "page.press", args: &action.Press{Key: "Space"}, risk: action.High, swap: `b.textContent = "Send"`},
	{name: "typing, then Enter", html: `<form action="/items/delete" method=post><input id=i type=text aria-label=Note><button id=b>Go</button></form>`, verb: "page.type", args: &action.Type{Locator: named("#i"), Input: "x", Submit: true}, risk: action.High, swap: `i.form.action = "/all/delete"`},
	{name: "submitting a text", html: `<form action="/items/delete" method=post><input id=i type=text aria-label=Note><button id=b>Go</button></form>`, verb: "page.type", args: &action.Type{Locator: named("#i"), Input: "x", Submit: true}, risk: action.High, swap: `i.type = "password"`},
	{name: "choosing what acts", html: `<select id=s aria-label=Sort onchange='` + effect + `'><option>By date<option value=d>Delete all</select>`, verb: "page.select", args: &action.Select{Locator: named("#s"), Values: []string{"d"}}, risk: action.High, swap: `s.options[1].text = "Delete everything"`},
	{name: "choosing a value that acts", html: `<select id=s aria-label=Sort onchange="location = this.value"><option value="/">By date<option value="/items/delete">By name</select>`, verb: "page.select", args: &action.Select{Locator: named("#s"), Values: []string{"By name"}}, risk: action.High, swap: `s.options[1].value = "/all/delete"`},
	{name: "choosing what sends the form", html: `<form action="/items/delete" method=post><select id=s aria-label=Sort onchange="this.form.submit()"><option>By date<option>By name</select></form>`, verb: "page.select", args: &action.Select{Locator: named("#s"), Values: []string{"By name"}}, risk: action.High, swap: `s.form.action = "/all/delete"`},
	{name: "a key that chooses", html: `<form action="/items/delete" method=post><select id=s aria-label=Sort onchange="this.form.submit()"><option>By date<option>By name</select></form>`, verb: "page.press", args: &action.Press{Locator: named("#s"), Key: "ArrowDown"}, risk: action.High, swap: `s.form.action = "/all/delete"`},
	{name: "a script", html: `<p>text</p>`, verb: "page.execute", args: &action.Execute{Expression: effect}, risk: action.High, swap: `location = "/elsewhere"`},
	{name: "dragging", html: `<div id=a draggable=true style="width:100px;height:40px">Invoice</div><div id=z style="margin-top:60px;width:100px;height:100px" role=region aria-label=Trash ` + trash + `></div>`, verb: "page.drag", args: &action.Drag{From: named("#a"), To: named("#z")}, risk: action.High, swap: `z.setAttribute("aria-label", "Recycle bin")`},
	{name: "accepting a dialog", html: `<p>text</p>`, first: `setTimeout(() => { if (confirm("Delete the invoice?")) ` + effect + ` })`, verb: "page.dialog", args: &action.AnswerDialog{Accept: true}, risk: action.High, dialog: true, swap: `setTimeout(() => { if (confirm("Delete all invoices?")) ` + effect + ` })`},
	{name: "going there", html: `<p>text</p>`, verb: "page.goto", args: &action.Goto{URL: "SITE/items/1/delete"}, risk: action.High},
	{name: "a tab that goes there", html: `<p>text</p>`, verb: "tab.open", args: &action.OpenTab{URL: "SITE/items?action=delete"}, risk: action.High},
	{name: "reading from there", html: `<p>text</p>`, verb: "page.scrape", args: &action.Scrape{Selectors: map[string]string{"a": "p"}, URL: "SITE/items/1/delete"}, risk: action.High},
	{name: "loading a sent form again", html: `<form action="/items/delete" method=post></form>`, first: `document.forms[0].submit()`, verb: "page.reload", args: &action.Reload{}, risk: action.High},
}

// TestEveryWayToTheSameEffectIsAskedAbout causes the same effect on a site in
// every way there is, as an agent on a trusted host. A person is asked, and
// nothing happens before the answer. If the page changes after the answer,
// nothing happens either. With an answer the effect happens, which proves that
// the test detects it.
func TestEveryWayToTheSameEffectIsAskedAbout(t *testing.T) {
	w := newSiteRig(t)
	for _, c := range ways {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			at := w.of(t, c)
			at.prepare(c)
			at.asked(c)
			if c.swap != "" {
				at.swapped(c)
			}
			at.prepare(c)
			at.answered(c)
		})
	}
}

// of returns a trial of one way: its addresses are the site's.
func (w *siteRig) of(t *testing.T, c way) *trial {
	for _, address := range addresses(c.args) {
		*address = strings.ReplaceAll(*address, "SITE", w.site.URL)
	}
	return &trial{siteRig: w, t: t}
}

func addresses(args any) []*string {
	switch a := args.(type) {
	case *action.Goto:
		return []*string{&a.URL}
	case *action.OpenTab:
		return []*string{&a.URL}
	case *action.Scrape:
		return []*string{&a.URL}
	}
	return nil
}

// trial is a test of one way.
type trial struct {
	*siteRig
	t *testing.T
}

func (w *trial) prepare(c way) {
	w.t.Helper()
	w.show(c.html)
	if c.first == "" {
		return
	}
	w.script(c.first)
	if c.dialog {
		testwait.For(w.t, "the dialog", func() bool {
			result, err := w.as(operator, "tab.list", &action.None{})
			return err == nil && result.Modal != nil
		})
	}
	if c.verb == "page.reload" {
		w.happens()
		if _, err := w.as(operator, "page.wait_for", &action.WaitFor{Locator: named("form")}); err != nil {
			w.t.Fatal(err)
		}
	}
	w.done.Store(0)
}

// ask makes the agent's call, which must wait for a person, and returns the
// question's id.
func (w *trial) ask(c way) string {
	w.t.Helper()
	result, err := w.as(agent, c.verb, c.args)
	if err != nil || result.Pending == nil {
		w.t.Fatalf("not asked: %+v %v", result, err)
	}
	if result.Pending.Risk < c.risk {
		w.t.Errorf("asked at %s", result.Pending.Risk)
	}
	return result.Pending.Approval
}

func (w *trial) asked(c way) {
	w.t.Helper()
	w.ask(c)
	if w.done.Load() != 0 {
		w.t.Error("it was done before the answer")
	}
}

func (w *trial) approve(id string) {
	w.t.Helper()
	if _, err := w.as(operator, "approval.answer", &action.Answer{ID: id, Approve: true, Reason: "a test"}); err != nil {
		w.t.Fatal(err)
	}
}

// swapped changes the page after the answer, and before the act.
func (w *trial) swapped(c way) {
	w.t.Helper()
	w.approve(w.ask(c))
	w.pageSessions.before = func() {
		if c.dialog {
			if _, err := w.pageSessions.browser.Do(w.t.Context(), "page.dialog", &action.AnswerDialog{}, w.pinOf(c)); err != nil {
				w.t.Fatal(err)
			}
		}
		if _, err := w.pageSessions.browser.Do(w.t.Context(), "page.execute", &action.Execute{Expression: c.swap}, w.pinOf(way{verb: "page.execute", args: &action.Execute{Expression: "1"}})); err != nil && fault.CodeOf(err) != fault.DialogOpen {
			w.t.Fatal(err)
		}
		if c.dialog {
			testwait.For(w.t, "the next dialog", func() bool {
				facts, _, err := w.pageSessions.browser.Look(w.t.Context(), c.verb, c.args)
				return err == nil && facts.Dialog != nil
			})
		}
		if strings.Contains(c.swap, "location =") {
			testwait.For(w.t, "the other page", func() bool {
				facts, _, err := w.pageSessions.browser.Look(w.t.Context(), c.verb, c.args)
				return err == nil && strings.HasSuffix(facts.Page.URL, "/elsewhere")
			})
		}
		w.done.Store(0)
	}
	_, err := w.as(agent, c.verb, c.args)
	if fault.CodeOf(err) != fault.PageChanged || w.done.Load() != 0 {
		w.t.Errorf("after the page changed: %v, and %d were done", err, w.done.Load())
	}
	if c.dialog {
		if _, err := w.as(operator, "page.dialog", &action.AnswerDialog{}); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *trial) pinOf(c way) action.Pin {
	w.t.Helper()
	_, pin, err := w.pageSessions.browser.Look(w.t.Context(), c.verb, c.args)
	if err != nil {
		w.t.Fatal(err)
	}
	return pin
}

// answered approves: then, and only then, it is done.
func (w *trial) answered(c way) {
	w.t.Helper()
	id := w.ask(c)
	if w.done.Load() != 0 {
		w.t.Fatal("it was done before the answer")
	}
	w.approve(id)
	if _, err := w.as(agent, c.verb, c.args); err != nil {
		w.t.Errorf("with an answer: %v", err)
	}
	w.happens() // otherwise the test proves nothing
}
