package session

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// guard makes a page ask the door before it loads a document.
func (r *Registry) guard(o *engine.Options, box string) {
	o.Guard = func(rawURL string) error {
		if d := r.door.Judge(box, rawURL); !d.Allowed {
			return blockedFault(d)
		}
		return nil
	}
	o.Unreached = func(ctx context.Context, rawURL string) string { return r.door.Unreached(ctx, box, rawURL) }
	o.Owns = func(host string) error { return r.mayHaveCookies(box, host) }
	if r.vault != nil {
		o.Prepare = func(ctx context.Context, rawURL string) error { return r.prepare(ctx, box, rawURL) }
		o.Authenticated = func(domain, origin, scheme string) { r.authenticated(box, domain, origin, scheme) }
	}
	o.Files = &boxFiles{registry: r, box: box}
	o.Refused = func(refusal action.Refusal) { r.Refused(box, refusal) }
	o.Credentialed, o.Secrets = r.holdsIn(box)
	if r.outgoing != nil {
		o.Outgoing = func(ctx context.Context, request action.Request) (action.Ruling, error) {
			return r.sends(ctx, box, request)
		}
		o.Receipt = func(e action.Effect) {
			if l := r.byBox(box); l != nil {
				r.outgoing.Receipt(l.now(), e)
			}
		}
	}
}

// sends asks about a request that is to leave a box's browser. One that is
// nobody's yet has nothing to send.
func (r *Registry) sends(ctx context.Context, box string, request action.Request) (action.Ruling, error) {
	l := r.byBox(box)
	if l == nil {
		return action.Ruling{}, fault.New(fault.DeniedByPolicy, "this browser has no session: it may send nothing").Hinted("start a session")
	}
	l.mu.Lock()
	from := action.Sender{Owner: l.terms.Role, Sending: l.terms.Sending, People: l.control.Taken}
	if l.crawl != nil && l.crawl.reads && (request.Crawl || request.Page == "") { // a worker's request may be that of a page of the crawl
		from.Sending = action.SendNone
	}
	for _, wire := range l.wires {
		from.People = from.People || wire.call.Caller.Role == action.Operator
	}
	record := l.record
	l.sending++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sending--
	}()
	ruling, err := r.outgoing.Outgoing(ctx, record, from, request)
	if ruling.Notice != "" {
		r.QueueNotice(record.ID, ruling.Notice)
	}
	return ruling, err
}

// Opens asks about a WebSocket that a box wants to open, and waits for a person
// where one is asked. An error refuses it.
func (r *Registry) Opens(ctx context.Context, box string, channel action.Channel) error {
	if r.outgoing == nil {
		return nil
	}
	request := action.Request{Method: http.MethodConnect, URL: channel.URL, Kind: action.ChannelKind, Document: channel.Origin}
	if l := r.byBox(box); l != nil {
		l.mu.Lock()
		browser := l.browser
		l.mu.Unlock()
		if browser != nil {
			request.Acts, request.Page = browser.Acting(), browser.Page().URL
		}
	}
	_, err := r.sends(ctx, box, request)
	return err
}

// lookAtPage returns the facts of the page a call would act on.
func (r *Registry) lookAtPage(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	ctx, leave, err := l.enter(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	defer leave()
	if err := l.mayAsk(call); err != nil {
		return action.Facts{Session: l.facts()}, action.Pin{}, err
	}
	ctx = rights(ctx, call)
	if !call.Peek {
		if err := r.exhausted(ctx, l, call); err != nil {
			return action.Facts{Session: l.facts()}, action.Pin{}, err
		}
	}
	browser, err := l.present(ctx)
	if err != nil {
		return action.Facts{Session: l.facts()}, action.Pin{}, err
	}
	facts, pin, err := browser.Look(ctx, call.Verb, call.Args)
	pin.Session = l.id
	l.heard(call, action.Result{}, err)
	if err == nil {
		err = r.relearn(ctx, l)
	}
	if err != nil && !call.Peek {
		err = r.failure(ctx, l, call, err)
	}
	if err == nil && call.Verb == "page.fill_secret" {
		facts.Secret, err = r.secretFacts(ctx, l, call, facts.Page.URL)
	}
	facts.Session = l.facts()
	if facts.Destination != nil && facts.Destination.URL != "" {
		judged := r.door.Judge(facts.Session.Box, facts.Destination.URL)
		facts.Destination = &judged
	}
	return facts, pin, err
}

// lookAtBatch finds the session of a batch, whose steps look at its page.
func (r *Registry) lookAtBatch(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	return action.Facts{Session: l.facts()}, action.Pin{Session: l.id}, nil
}

// actOnPage does a page verb. Verbs that change something take turns.
func (r *Registry) actOnPage(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := l.enter(ctx, call)
	if err != nil {
		return action.Result{Session: l.id}, err
	}
	defer r.askToSave()
	defer leave()
	if err := l.mayAsk(call); err != nil {
		return action.Result{Session: l.id}, err
	}
	result, err := r.act(rights(ctx, call), l, call, pin)
	l.heard(call, result, err)
	if unlearned := r.relearn(ctx, l); unlearned != nil {
		result, err = action.Result{}, cmp.Or(err, unlearned)
	}
	result.Session = l.id
	if err != nil {
		return result, r.failure(ctx, l, call, err)
	}
	r.success(l, call, result)
	if name, kind, content := fileOf(result.Data); len(content) > 0 {
		r.keep(ctx, l, name, kind, content, &result)
	}
	return result, nil
}

func (r *Registry) act(ctx context.Context, l *live, call action.Call, pin action.Pin) (action.Result, error) {
	verb, known := action.Lookup(call.Verb)
	if !known {
		return action.Result{}, unknown(call.Verb)
	}
	verb = verb.As(call.Args)
	if verb.Class != action.Read {
		release, err := l.take(ctx, call)
		if err != nil {
			return action.Result{}, err
		}
		defer release()
	}
	if err := l.begins(call); err != nil {
		return action.Result{}, err
	}
	if err := r.count(ctx, l, verb, call); err != nil {
		return action.Result{}, err
	}
	if a, is := call.Args.(*action.Goto); is && a.DomainHint != "" {
		if err := r.hint(ctx, l, call.Caller, a.DomainHint); err != nil {
			return action.Result{}, err
		}
	}
	if call.Verb == "page.fill_secret" {
		return r.fillSecret(ctx, l, call, pin)
	}
	l.remembers(call)
	if call.Act != nil {
		ctx = engine.Acting(ctx, *call.Act)
	}
	browser, err := l.present(ctx)
	if err != nil {
		return action.Result{}, err
	}
	result, err := browser.Do(ctx, call.Verb, call.Args, pin)
	if put := context.Cause(ctx); fault.CodeOf(put) == fault.DeniedByPolicy { // credentials came meanwhile
		return action.Result{}, put
	}
	return result, err
}

// count counts an action before it is done, whether or not it succeeds.
func (r *Registry) count(ctx context.Context, l *live, verb *action.Verb, call action.Call) error {
	if err := r.exhausted(ctx, l, call); err != nil || !verb.Counts {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record.Actions++
	return nil
}

func (r *Registry) success(l *live, call action.Call, result action.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if call.Caller.Role == action.Agent {
		l.failures.succeed(call)
	}
	if call.Verb == "page.goto" && l.shortOf > l.kills {
		l.kills = l.shortOf
	}
	if result.Page != nil {
		at := *result.Page
		l.record.Page = &at
	}
}

// failure counts a failure and says what a caller is told of it. A session
// whose box or browser is gone is ended here: its watcher may not have seen it
// yet.
func (r *Registry) failure(ctx context.Context, l *live, call action.Call, err error) error {
	if code := fault.CodeOf(err); code == fault.LimitReached || code == fault.SessionPaused {
		return err
	}
	s := l.stage()
	alive := s.alive()
	select {
	case <-s.box.Done():
		r.lose(l, s)
	default:
	}
	if !alive { // its watcher ends the session, or has it go on
		_, _ = l.present(ctx)
	}
	if over := l.over(); over != nil {
		return over.Because(err)
	}
	switch {
	case !alive:
		err = brokeOff(call, err)
	case fault.CodeOf(err) == fault.PageCrashed:
		err = r.crashed(ctx, l, err)
	}
	if errors.Is(context.Cause(ctx), context.Canceled) { // a caller that hung up says nothing of the page
		return err
	}
	return r.strike(ctx, l, call, err)
}

// goFirst opens the page a session was started for.
func (r *Registry) goFirst(ctx context.Context, l *live, start action.Call, rawURL string) action.Result {
	call := action.Call{ID: start.ID, Verb: "page.goto", Session: l.id, Caller: start.Caller, Args: &action.Goto{URL: rawURL}, Act: start.Act}
	_, pin, err := r.lookAtPage(ctx, call)
	var result action.Result
	if err == nil {
		result, err = r.actOnPage(ctx, call, pin)
	}
	result.Session = l.id
	if err != nil {
		f := fault.From(err)
		note := "the session is open, but its first page did not load: " + f.Message
		if f.Hint != "" {
			note += "; " + f.Hint
		}
		result.Notes = append(result.Notes, note)
	}
	return result
}

// fileOf is the file that a result holds, if it is one to keep.
func fileOf(data any) (name, mediaType string, content []byte) {
	switch file := data.(type) {
	case *action.Screenshot:
		if file != nil {
			format := strings.ToLower(file.Format)
			return "screenshot." + format, "image/" + format, file.Bytes
		}
	case *action.HAR:
		if file != nil && !file.Headers { // what operators alone may read is not kept where agents can fetch it
			return "session.har", "application/json", file.Bytes
		}
	case *action.PDF:
		if file != nil {
			return "page.pdf", "application/pdf", file.Bytes
		}
	}
	return "", "", nil
}

// keep saves a file as an artifact. One that cannot be kept is still returned,
// with a note.
func (r *Registry) keep(ctx context.Context, l *live, name, mediaType string, content []byte, result *action.Result) {
	kept, err := r.saved(ctx, artifact.Owner{Scope: l.scope, Session: l.id}, name, mediaType, content)
	if err != nil {
		r.log.WarnContext(ctx, "cannot keep a file", "name", name, "session", l.id, "error", err)
		what, _, _ := strings.Cut(name, ".")
		result.Notes = append(result.Notes, "the "+what+" was not kept: "+fault.From(err).Message)
		return
	}
	result.Artifacts = append(result.Artifacts, kept.Artifact)
}
