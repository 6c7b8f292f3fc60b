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
func (p *pages) guard(o *engine.Options, box string) {
	o.Guard = func(rawURL string) error {
		if d := p.networks.door.Judge(box, rawURL); !d.Allowed {
			return blockedFault(d)
		}
		return nil
	}
	o.Unreached = func(ctx context.Context, rawURL string) string { return p.networks.door.Unreached(ctx, box, rawURL) }
	o.Owns = func(host string) error { return p.networks.mayHaveCookies(box, host) }
	if p.creds.vault != nil {
		o.Prepare = func(ctx context.Context, rawURL string) error { return p.creds.prepare(ctx, box, rawURL) }
		o.Authenticated = func(domain, origin, scheme string) { p.creds.authenticated(box, domain, origin, scheme) }
	}
	o.Files = &boxFiles{files: p.files, box: box}
	o.Refused = func(refusal action.Refusal) { p.refusals.add(box, refusal) }
	o.Credentialed, o.Secrets = p.creds.holdsIn(box)
	if p.outgoing != nil {
		o.Outgoing = func(ctx context.Context, request action.Request) (action.Ruling, error) {
			return p.sends(ctx, box, request)
		}
		o.Receipt = func(e action.Effect) {
			if sess := p.sessions.byBox(box); sess != nil {
				p.outgoing.Receipt(sess.now(), e)
			}
		}
	}
}

// sends asks about a request that is to leave a box's browser. One that is
// nobody's yet has nothing to send.
func (p *pages) sends(ctx context.Context, box string, request action.Request) (action.Ruling, error) {
	sess := p.sessions.byBox(box)
	if sess == nil {
		return action.Ruling{}, fault.New(fault.DeniedByPolicy, "this browser has no session: it may send nothing").Hinted("start a session")
	}
	sess.mu.Lock()
	from := action.Sender{Owner: sess.terms.Role, Sending: sess.terms.Sending, People: sess.pause.Taken}
	if sess.crawl != nil && sess.crawl.reads && (request.Crawl || request.Page == "") { // a worker's request may be that of a page of the crawl
		from.Sending = action.SendNone
	}
	for _, wire := range sess.clientCalls {
		from.People = from.People || wire.call.Caller.Role == action.Operator
	}
	record := sess.record
	sess.sending++
	sess.mu.Unlock()
	defer func() {
		sess.mu.Lock()
		defer sess.mu.Unlock()
		sess.sending--
	}()
	return p.outgoing.Outgoing(ctx, record, from, request)
}

// opensChannel asks about a WebSocket that a box wants to open, and waits for a person
// where one is asked. An error refuses it.
func (p *pages) opensChannel(ctx context.Context, box string, channel action.Channel) error {
	if p.outgoing == nil {
		return nil
	}
	request := action.Request{Method: http.MethodConnect, URL: channel.URL, Kind: action.ChannelKind, Document: channel.Origin}
	if sess := p.sessions.byBox(box); sess != nil {
		sess.mu.Lock()
		browser := sess.browser
		sess.mu.Unlock()
		if browser != nil {
			request.Acts, request.Page = browser.Acting(), browser.Page().URL
		}
	}
	_, err := p.sends(ctx, box, request)
	return err
}

// lookAt returns the facts of the page a call would act on.
func (p *pages) lookAt(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	defer leave()
	if err := sess.checkLookup(call); err != nil {
		return action.Facts{Session: sess.facts()}, action.Pin{}, err
	}
	ctx = withRights(ctx, call)
	if !call.Peek {
		if err := p.control.exhausted(ctx, sess, call); err != nil {
			return action.Facts{Session: sess.facts()}, action.Pin{}, err
		}
	}
	browser, err := sess.waitBrowser(ctx)
	if err != nil {
		return action.Facts{Session: sess.facts()}, action.Pin{}, err
	}
	facts, pin, err := browser.Look(ctx, call.Verb, call.Args)
	pin.Session = sess.id
	sess.countMisses(call, action.Result{}, err)
	if err == nil {
		err = p.creds.relearn(ctx, sess)
	}
	if err != nil && !call.Peek {
		err = p.failure(ctx, sess, call, err)
	}
	if err == nil && call.Verb == "page.fill_secret" {
		facts.Secret, err = p.creds.secretFacts(ctx, sess, call, facts.Page.URL)
	}
	facts.Session = sess.facts()
	if facts.Destination != nil && facts.Destination.URL != "" {
		judged := p.networks.door.Judge(facts.Session.Box, facts.Destination.URL)
		facts.Destination = &judged
	}
	return facts, pin, err
}

// lookAtBatch finds the session of a batch, whose steps look at its page.
func (p *pages) lookAtBatch(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	return action.Facts{Session: sess.facts()}, action.Pin{Session: sess.id}, nil
}

// do does a page verb. Verbs that change something take turns.
func (p *pages) do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	defer p.saver.ask()
	defer leave()
	if err := sess.checkLookup(call); err != nil {
		return action.Result{Session: sess.id}, err
	}
	result, err := p.act(withRights(ctx, call), sess, call, pin)
	sess.countMisses(call, result, err)
	if unlearned := p.creds.relearn(ctx, sess); unlearned != nil {
		result, err = action.Result{}, cmp.Or(err, unlearned)
	}
	result.Session = sess.id
	if err != nil {
		return result, p.failure(ctx, sess, call, err)
	}
	p.success(sess, call, result)
	if name, kind, content := fileOf(result.Data); len(content) > 0 {
		p.files.keep(ctx, sess, name, kind, content, &result)
	}
	return result, nil
}

func (p *pages) act(ctx context.Context, sess *openSession, call action.Call, pin action.Pin) (action.Result, error) {
	verb, known := action.Lookup(call.Verb)
	if !known {
		return action.Result{}, unknown(call.Verb)
	}
	verb = verb.As(call.Args)
	if verb.Class != action.Read {
		release, err := sess.takeTurn(ctx, call)
		if err != nil {
			return action.Result{}, err
		}
		defer release()
	}
	if err := sess.checkBegin(call); err != nil {
		return action.Result{}, err
	}
	if err := p.count(ctx, sess, verb, call); err != nil {
		return action.Result{}, err
	}
	if a, is := call.Args.(*action.Goto); is && a.DomainHint != "" {
		if err := p.creds.hint(ctx, sess, call.Caller, a.DomainHint); err != nil {
			return action.Result{}, err
		}
	}
	if call.Verb == "page.fill_secret" {
		return p.creds.fillSecret(ctx, sess, call, pin)
	}
	sess.noteScripted(call)
	if call.Act != nil {
		ctx = engine.Acting(ctx, *call.Act)
	}
	browser, err := sess.waitBrowser(ctx)
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
func (p *pages) count(ctx context.Context, sess *openSession, verb *action.Verb, call action.Call) error {
	if err := p.control.exhausted(ctx, sess, call); err != nil || !verb.Counts {
		return err
	}
	sess.mu.Lock()
	defer sess.mu.Unlock()
	sess.record.Actions++
	return nil
}

func (p *pages) success(sess *openSession, call action.Call, result action.Result) {
	sess.mu.Lock()
	defer sess.mu.Unlock()
	if call.Caller.Role == action.Agent {
		sess.failures.succeed(call)
	}
	if call.Verb == "page.goto" && sess.oomTold > sess.oomKnown {
		sess.oomKnown = sess.oomTold
	}
	if result.Page != nil {
		at := *result.Page
		sess.record.Page = &at
	}
}

// failure counts a failure and says what a caller is told of it. A session
// whose box or browser is gone is ended here: its watcher may not have seen it
// yet.
func (p *pages) failure(ctx context.Context, sess *openSession, call action.Call, err error) error {
	if code := fault.CodeOf(err); code == fault.LimitReached || code == fault.SessionPaused {
		return err
	}
	s := sess.stage()
	alive := s.alive()
	select {
	case <-s.box.Done():
		sess.lose(p.log, s)
	default:
	}
	if !alive { // its watcher ends the session, or has it go on
		_, _ = sess.waitBrowser(ctx)
	}
	if over := sess.over(); over != nil {
		return over.Because(err)
	}
	switch {
	case !alive:
		err = browserCrashed(call, err)
	case fault.CodeOf(err) == fault.PageCrashed:
		err = p.crashed(ctx, sess, err)
	}
	if errors.Is(context.Cause(ctx), context.Canceled) { // a caller that hung up says nothing of the page
		return err
	}
	return p.control.countFailure(ctx, sess, call, err)
}

// goFirst opens the page a session was started for.
func (p *pages) goFirst(ctx context.Context, sess *openSession, start action.Call, rawURL string) action.Result {
	call := action.Call{ID: start.ID, Verb: "page.goto", Session: sess.id, Caller: start.Caller, Args: &action.Goto{URL: rawURL}, Act: start.Act}
	_, pin, err := p.lookAt(ctx, call)
	var result action.Result
	if err == nil {
		result, err = p.do(ctx, call, pin)
	}
	result.Session = sess.id
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
func (f *fileStore) keep(ctx context.Context, sess *openSession, name, mediaType string, content []byte, result *action.Result) {
	kept, err := f.save(ctx, artifact.Owner{Scope: sess.scope, Session: sess.id}, name, mediaType, content)
	if err != nil {
		f.log.WarnContext(ctx, "cannot keep a file", "name", name, "session", sess.id, "error", err)
		what, _, _ := strings.Cut(name, ".")
		result.Notes = append(result.Notes, "the "+what+" was not kept: "+fault.From(err).Message)
		return
	}
	result.Artifacts = append(result.Artifacts, kept.Artifact)
}
