package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// documentsOnly makes the browser ask us before it requests a document. What
// documents load is the egress door's to judge.
var documentsOnly = map[string]any{"patterns": []map[string]string{
	{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"},
}}

type paused struct {
	ID      string `json:"requestId"`
	Frame   string `json:"frameId"`
	Type    string `json:"resourceType"`
	Request struct {
		URL    string `json:"url"`
		Method string `json:"method"`

		Headers map[string]string `json:"headers"`

		HasBody bool   `json:"hasPostData"`
		Body    string `json:"postData"`
		Pieces  []struct {
			Bytes string `json:"bytes"` // base64; absent for files
		} `json:"postDataEntries"`
	} `json:"request"`
	Network    string `json:"networkId"`           // id of the request in events of the Network domain
	Redirected string `json:"redirectedRequestId"` // of the hop before, where a redirect led here
}

// key tells the request from others: its id in the Network domain, which not
// every request has, or the one that it has while it is paused.
func (p paused) key() string { return cmp.Or(p.Network, p.ID) }

// judged takes in a request that waits for an answer. Each target asks about
// its own documents. The browser as a whole asks once more, last before the
// request is made: a frame in a process of its own may navigate before its
// target was told to ask (a frame in a sandbox with srcdoc is not paused).
func judged(b *Browser, session string, from *target, params json.RawMessage) {
	if session != "" {
		inTab(func(b *Browser, t *tab, from *target, p paused) { b.judge(t, from, p) })(b, session, from, params)
		return
	}
	var p paused
	switch {
	case json.Unmarshal(params, &p) != nil:
	case p.Type != "Document":
		t := b.tabWith(p.Frame)
		b.certain(t, p, func() { b.outgoing(t, p, func() { b.carry(t, p) }) })
	default:
		t := b.tabWith(p.Frame)
		b.certain(t, p, func() { b.question(b.root, t, p) })
	}
}

// tabWith returns the tab a frame is in; nil for one that is not known yet. b.mu
// is held.
func (b *base) tabWith(frame string) *tab {
	for _, t := range b.tabs {
		if t.frames[frame] != nil {
			return t
		}
	}
	return nil
}

// judge asks the guard about a document and answers the browser. b.mu is held.
func (b *Browser) judge(t *tab, from *target, p paused) {
	if t.hidden {
		b.judgeVisit(t, from, p)
		return
	}
	b.ask(t, from, p)
}

// ask asks the guard about a document. b.mu is held.
func (b *Browser) ask(t *tab, from *target, p paused) {
	if p.Frame == t.root.id {
		t.moves.asked++
		t.method = p.Request.Method
	}
	b.question(from.session, t, p)
}

// question puts a document to the guard. t may be nil. b.mu is held.
func (b *Browser) question(session *cdp.Session, t *tab, p paused) {
	guard, refused := b.options.Guard, b.options.Refused
	prepare := b.preparing(session, t, p)
	b.work.add(func() {
		err := allowed(guard, p.Request.URL)
		if err == nil {
			if session != b.root { // the browser as a whole asks once more
				session.Send("Fetch.continueRequest", map[string]string{"requestId": p.ID})
				return
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			b.outgoing(t, p, func() { prepare(func() { b.goOn(p, t.leads(p)) }) })
			return
		}
		b.turnAway(session, t, p, err)
		if refused != nil {
			r := b.refusal(t, p, err)
			r.Top = p.Frame == t.root.id && !t.hidden
			refused(r)
		}
	})
}

// turnAway fails a request that waits.
func (b *Browser) turnAway(session *cdp.Session, t *tab, p paused, err error) {
	b.refuse(t, p, err)
	session.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "BlockedByClient"})
}

func allowed(guard func(string) error, url string) error {
	if guard == nil {
		return fault.New(fault.BlockedDomain, "this browser has no session: it may load nothing").
			Hinted("start a session")
	}
	return guard(url)
}

func (b *Browser) refuse(t *tab, p paused, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t != nil && p.Frame == t.root.id {
		t.refused = blocked(p.Request.URL, err)
	}
	if t == nil || !t.hidden {
		b.notes.add("blocked: %s", fault.From(blocked(p.Request.URL, err)).Message)
	}
	b.change()
}

// blocked turns what a guard said into a fault.
func blocked(address string, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return fault.New(fault.BlockedDomain, "%s is not allowed", host(address)).
		Hinted("stay on the allowed hosts, or ask an operator to allow it").
		With("host", host(address)).Because(err)
}

// refusal leaves the query out: it may hold secrets.
func (b *Browser) refusal(t *tab, p paused, err error) action.Refusal {
	to := p.Request.URL
	r := action.Refusal{Time: time.Now(), Host: host(to), URL: bareAddress(to), Reason: fault.From(blocked(to, err)).Message, Page: true}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Document = b.askers[strings.TrimSuffix(r.Host, ".")]; r.Document == "" && t != nil {
		r.Document = bareAddress(b.shownIn(t, t.frames[p.Frame]))
	}
	return r
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "that address"
	}
	return u.Hostname()
}
