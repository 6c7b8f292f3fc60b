package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/netlog"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// documentGuard asks whether documents may be requested, and prepares for them.
type documentGuard struct {
	*base
	outgoing    *outgoingRequests
	credentials credentialInjector
	initiators  *recent[string] // for each host, the address of the document that asked for something there last
}

// documentsOnly makes the browser ask the engine before it requests a document. What
// documents load is judged by the egress proxy.
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
	Redirected string `json:"redirectedRequestId"` // of the hop before, if a redirect led here
}

// key identifies the request: by its id in the Network domain, or, for a request
// without one, by the id that it has while it is paused.
func (p paused) key() string { return cmp.Or(p.Network, p.ID) }

// hop identifies the request as it is paused now: the hops of a chain of redirects have the
// same key.
func (p paused) hop() string { return p.Network + " " + p.ID }

// requestPaused handles a request that waits for an answer. The browser as a whole asks
// about the documents of all tabs, right before a request is made: a frame in a process
// of its own may navigate before its target was told to ask (a sandboxed frame with
// srcdoc does not wait for the engine). Targets of hidden tabs ask, too.
func requestPaused(b *Browser, s *state, session string, from *target, params json.RawMessage) {
	if session != "" {
		pausedInTab(b, s, session, from, params)
		return
	}
	var p paused
	if json.Unmarshal(params, &p) != nil {
		return
	}
	t := s.tabWithFrame(p.Frame)
	b.certificates.proceed(s, t, p, func(s *state) {
		if p.Type == "Document" {
			b.guard.ask(s, b.root, t, p)
			return
		}
		b.outgoing.judge(s, t, p, func() { b.injection.injectHeaders(t, p) })
	})
}

// pausedInTab decides on a document that a target asks about.
var pausedInTab = inTab(func(b *Browser, s *state, t *tab, from *target, p paused) {
	if t.hidden {
		b.guard.judgeVisit(s, t, from, p)
		return
	}
	b.guard.ask(s, from.session, t, p)
})

// ask asks the guard about a document and answers the browser. t may be nil.
func (dg *documentGuard) ask(s *state, session *cdp.Session, t *tab, p paused) {
	if t != nil && p.Frame == t.root.id {
		t.moves.asked++
		t.method = p.Request.Method
	}
	guard, refused := s.options.Guard, s.options.Refused
	prepare := dg.preparing(s, session, t, p)
	top := t != nil && p.Frame == t.root.id && !t.hidden
	dg.work.add(func() {
		err := allowed(guard, p.Request.URL)
		if err == nil {
			if session != dg.root { // the browser as a whole asks once more
				session.Send("Fetch.continueRequest", map[string]string{"requestId": p.ID})
				return
			}
			dg.state.Do(func(s *state) {
				dg.outgoing.judge(s, t, p, func() { prepare(func() { dg.credentials.resume(p, t.getsHeaders(p)) }) })
			})
			return
		}
		dg.failRequest(session, t, p, err)
		if refused != nil {
			r := dg.refusal(t, p, err)
			r.Top = top
			refused(r)
		}
	})
}

// failRequest fails a paused request that the guard refused.
func (dg *documentGuard) failRequest(session *cdp.Session, t *tab, p paused, err error) {
	dg.noteRefusal(t, p, err)
	session.Send("Fetch.failRequest", map[string]string{"requestId": p.ID, "errorReason": "BlockedByClient"})
}

func allowed(guard func(string) error, url string) error {
	if guard == nil {
		return fault.New(fault.BlockedDomain, "this browser has no session: it may load nothing").
			Hinted("start a session")
	}
	return guard(url)
}

func (dg *documentGuard) noteRefusal(t *tab, p paused, err error) {
	err = blocked(p.Request.URL, err)
	dg.state.Do(func(s *state) {
		if t != nil && p.Frame == t.root.id {
			t.refused = err
		}
		if t == nil || !t.hidden {
			dg.notes.add("blocked: %s", fault.From(err).Message)
		}
		s.change()
	})
}

// blocked returns the fault for the error of a guard.
func blocked(address string, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	return fault.New(fault.BlockedDomain, "%s is not allowed", host(address)).
		Hinted("stay on the allowed hosts, or ask an operator to allow it").
		With("host", host(address)).Because(err)
}

// refusal describes a refused document, without its query, which may hold secrets.
func (dg *documentGuard) refusal(t *tab, p paused, err error) action.Refusal {
	to := p.Request.URL
	r := action.Refusal{Time: time.Now(), Host: host(to), URL: bareAddress(to), Reason: fault.From(blocked(to, err)).Message, Page: true}
	if r.Document = dg.initiators.of(strings.TrimSuffix(r.Host, ".")); r.Document == "" && t != nil {
		r.Document = bareAddress(guarded.Get(dg.state, func(s *state) string { return s.documentAround(t, t.frames[p.Frame]) }))
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

const mostInitiators = 1000 // hosts with a known initiator; the egress proxy keeps as many refusals

// Initiator returns the address, without query, of the document that last asked
// for something of host: a page, a frame or a worker's script; for a redirect
// the address it came from. The browser may report a request after it was
// made: Initiator waits for that until ctx ends, and then returns "".
func (b *Browser) Initiator(ctx context.Context, host string) (address string) {
	_ = b.await(ctx, func(*state) bool {
		address = b.guard.initiators.of(host)
		return address != ""
	})
	return address
}

// noteInitiator notes which document makes a request.
func (dg *documentGuard) noteInitiator(s *state, from *target, p netlog.Event) {
	to, err := url.Parse(cmp.Or(p.Request.URL, p.URL))
	if err != nil || to.Hostname() == "" {
		return
	}
	if by, err := url.Parse(p.Document); err == nil && by.Host == to.Host && !p.IsDocument() {
		return // a preflight names itself, and requests of a host to itself are of no interest
	}
	by := p.Document
	switch {
	case p.Redirect != nil:
		by = p.Redirect.URL
	case from.tab != nil && (p.IsDocument() || by == ""):
		by = s.documentAround(from.tab, from.tab.frames[p.Frame])
	}
	if by = bareAddress(by); by == "" {
		return
	}
	dg.initiators.put(strings.TrimSuffix(to.Hostname(), "."), by)
	s.change()
}

// bareAddress returns an http address without query, fragment and user. For a blob
// it returns the origin, for any other address "".
func bareAddress(address string) string {
	inner, made := strings.CutPrefix(address, "blob:")
	u, err := url.Parse(inner)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https":
		return ""
	case made:
		return "blob:" + u.Scheme + "://" + u.Host // the rest is a random name
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return pagetext.Brief(u.String())
}
