package gate_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestADeletionBehindAConfirmationIsAskedAboutOnce presses buttons that ask "Delete
// row 1?" with a JavaScript dialog, and accepts it. People are asked when the request is made.
func TestADeletionBehindAConfirmationIsAskedAboutOnce(t *testing.T) {
	w := newWire(t, atWire)
	for name, html := range map[string]string{
		"a script":         `<button id=b onclick="if (confirm('Delete row 1?')) fetch('/rows/1', {method: 'DELETE'})">Delete row 1</button>`,
		"a form":           `<form method=post action=/rows/1/delete onsubmit="return confirm('Delete row 1?')"><button id=b>Delete row 1</button></form>`,
		"a link that acts": `<a id=b href=/rows/2/delete onclick="return confirm('Delete row 1?')">Delete row 1</a>`,
		"an empty link":    `<a id=b href="#" data-confirm="Delete row 1?" onclick="event.preventDefault(); if (confirm(this.dataset.confirm)) fetch('/rows/1', {method: 'DELETE'})">Delete row 1</a>`,
		"a closed account": `<button id=b onclick="if (confirm('Delete your account?')) fetch('/rows/1', {method: 'DELETE'})">Delete account</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			w.mu.Lock()
			w.done = nil
			w.mu.Unlock()
			w.as(operator, "page.goto", &action.Goto{URL: w.site.URL + "/"}, 0)
			w.as(operator, "page.execute", &action.Execute{Expression: `document.body.innerHTML = ` + strconv.Quote(html)}, 0)
			r := w.press("b", time.Minute)
			if r.Modal == nil || len(w.asked()) != 0 {
				t.Fatalf("the press: dialog %+v, pending %+v, asked %v", r.Modal, r.Pending, w.asked())
			}
			answered := w.answers(true)
			w.as(agent, "page.dialog", &action.AnswerDialog{Accept: true}, time.Minute)
			if q := answered(); q.Verb != action.EffectVerb || q.Request == nil {
				t.Errorf("question %+v", q)
			}
			testwait.For(t, "the row to go", func() bool { return w.did() != "" || w.gone("/rows/2/delete") })
			if q := w.asked(); len(q) != 0 {
				t.Errorf("asked again: %+v", q)
			}
		})
	}
}

// gone reports whether the page is at an address now.
func (w *wireRig) gone(path string) bool {
	w.t.Helper()
	r := w.as(operator, "page.snapshot", &action.TakeSnapshot{}, 0)
	return r.Page != nil && r.Page.URL == w.site.URL+path
}

// TestWhatANewPageLoadsIsNotAskedAbout sends a form whose answer is a page with a frame of
// another host. A person allows the form, and is not asked about the frame.
func TestWhatANewPageLoadsIsNotAskedAbout(t *testing.T) {
	w := newWire(t, atWire)
	w.as(operator, "page.execute", &action.Execute{Expression: `document.body.innerHTML = '<form method=post action=/framed/delete><button id=b>Delete the frame</button></form>'`}, 0)
	answered := w.answers(true)
	w.press("b", time.Minute)
	answered()
	testwait.For(t, "the frame", func() bool {
		r := w.as(operator, "page.snapshot", &action.TakeSnapshot{}, 0)
		return strings.Contains(r.Data.(*action.Snapshot).Text, "Filter things")
	})
	if q := w.asked(); len(q) != 0 || w.did() != "POST /framed/delete" {
		t.Errorf("asked %+v, done %s", q, w.did())
	}
}

// TestTheFormOfAnApprovedDocumentIsNotAskedAbout goes by a script to a page that asks for
// confirmation, and sends a form of it: by its button, and by a script. A person allowed the
// document, and is not asked again about a form to its address; about another one they are.
func TestTheFormOfAnApprovedDocumentIsNotAskedAbout(t *testing.T) {
	w := newWire(t, atWire)
	for name, c := range map[string]struct {
		to, press, did string
		asked          bool
	}{
		"its button":   {to: "/invoices/5/delete", press: "posted", did: "POST /invoices/5/delete"},
		"a script":     {to: "/invoices/6/delete", press: "scripted", did: "POST /invoices/6/delete"},
		"another form": {to: "/invoices/5/delete", press: "scripted", did: "POST /invoices/6/delete", asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			w.mu.Lock()
			w.done = nil
			w.mu.Unlock()
			w.as(operator, "page.goto", &action.Goto{URL: w.site.URL + "/"}, 0)
			w.as(operator, "page.execute", &action.Execute{Expression: `document.body.innerHTML = '<button id=go>Remove invoice</button>'; go.onclick = () => { location = ` + strconv.Quote(c.to) + ` }`}, 0)
			answered := w.answers(true)
			w.press("go", time.Minute)
			if q := answered(); q.Request == nil || q.Request.Method != "GET" || len(w.asked()) != 0 {
				t.Fatalf("question %+v, then %+v", q, w.asked())
			}
			if c.asked {
				answered = w.answers(true)
			}
			w.press(c.press, time.Minute)
			if c.asked {
				answered()
			}
			testwait.For(t, "the form to be sent", func() bool { return w.did() == c.did })
			if q := w.asked(); len(q) != 0 {
				t.Errorf("asked again: %+v", q)
			}
		})
	}
}
