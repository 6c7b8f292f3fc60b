package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// togetherWindow is how long the first request of an act waits for others, so that one
// question shows them all.
const togetherWindow = 300 * time.Millisecond

// maxTogether is how many requests one question shows.
const maxTogether = 20

// ask asks a person. Requests that an act makes within a short time are one question.
// Those that come while people are asked wait for the answer: a denial counts for them
// too, and after an approval they are asked about.
func (o *outgoingRequest) ask(ctx context.Context) error {
	b := o.act()
	if b == nil {
		return o.askUncaused(ctx)
	}
	for {
		b.mu.Lock()
		d := b.decision
		if d == nil {
			d = &decision{requests: []*outgoingRequest{o}, done: make(chan struct{})}
			b.decision = d
			b.mu.Unlock()
			d.err = o.askForAll(ctx, b, d)
			b.mu.Lock()
			b.decision = nil
			if b.givenUp = errors.Is(d.err, errGivenUp); b.givenUp {
				b.question = action.Question{} // an equal call is a new one
			}
			b.mu.Unlock()
			close(d.done)
			return d.of(o)
		}
		joined := !d.asked && len(d.requests) < maxTogether
		if joined {
			d.requests = append(d.requests, o)
		}
		question := b.question.ID
		b.mu.Unlock()
		if !joined {
			o.notifyAsking(b, question)
		}
		select {
		case <-d.done:
		case <-ctx.Done():
			return givenUpFault()
		}
		if joined || d.err != nil {
			return d.of(o)
		}
	}
}

// askForAll waits for further requests of the act, and asks a person about all of them.
func (o *outgoingRequest) askForAll(ctx context.Context, b *causingAct, d *decision) error {
	timer := time.NewTimer(togetherWindow)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	b.mu.Lock()
	d.asked = true
	all := withoutBackground(d.requests)
	b.harms = b.harms || slices.ContainsFunc(all, (*outgoingRequest).harms)
	b.mu.Unlock()
	worst := slices.MaxFunc(all, func(a, b *outgoingRequest) int { return cmp.Compare(a.verdict.Risk, b.verdict.Risk) })
	q, err := worst.askPerson(ctx, b, all...)
	if err == nil && len(q.Only) > 0 {
		d.refused = map[*outgoingRequest]error{}
	}
	for i, r := range all {
		switch {
		case err == nil && (len(q.Only) == 0 || slices.Contains(q.Only, i+1)):
			b.approve(r.request)
			r.rememberLink()
			continue
		case err == nil:
			d.refused[r] = fault.New(fault.ApprovalDenied, "a person said no to this request, and allowed others of the act").Hinted("take a snapshot to see what was done").With("approval", q.ID)
		case fault.CodeOf(err) != fault.ApprovalDenied:
			continue
		}
		r.noteDenial()
	}
	return err
}

// harms reports whether the request does harm by itself, not only because of its act.
func (o *outgoingRequest) harms() bool { return o.verdict.Own >= action.High }

// withoutBackground returns the requests that people are asked about. If one of them explains
// the act, those are left out that the page sends all the time. They leave with the answer,
// whatever it is.
func withoutBackground(all []*outgoingRequest) (asked []*outgoingRequest) {
	explained := slices.ContainsFunc(all, (*outgoingRequest).harms)
	for _, o := range all {
		if o.unasked = explained && o.same && !o.harms(); !o.unasked {
			asked = append(asked, o)
		}
	}
	return asked
}

// askUncaused asks about a request without an act. A request that a person denied
// is not asked about again in the session.
func (o *outgoingRequest) askUncaused(ctx context.Context) error {
	word := refusedPrefix + policy.RequestKey(o.request)
	if o.g.acts.remembers(o.session.ID, word, false) {
		return fault.New(fault.ApprovalDenied, "a person said no to it before").Hinted("go on without it, or leave the page")
	}
	done, err := o.g.acts.reserveUncaused(o.session.ID)
	if err != nil {
		return err
	}
	defer done()
	_, err = o.askPerson(ctx, nil, o)
	if fault.CodeOf(err) == fault.ApprovalDenied {
		o.g.acts.remembers(o.session.ID, word, true)
	}
	return err
}

// errGivenUp ends a question whose requests can be sent no more.
var errGivenUp = errors.New("the requests were given up")

func givenUpFault() error {
	return fault.New(fault.ApprovalTimeout, "its page was left, or gave it up, before a person answered").
		Hinted("act again if it is still wanted").Because(errGivenUp)
}

func (o *outgoingRequest) notifyAsking(b *causingAct, question string) {
	if o.request.Asking == nil {
		return
	}
	id := ""
	if b != nil {
		id = b.id
	}
	o.request.Asking(id, question)
}

// askPerson makes the question, notifies the callers, and returns it with its answer. all
// are the requests that the question is about, with o.
func (o *outgoingRequest) askPerson(ctx context.Context, b *causingAct, all ...*outgoingRequest) (action.Question, error) {
	request := o.questionOf(b)
	if len(all) > 1 {
		request.Why = fmt.Sprintf("%d requests: %s", len(all), request.Why)
		for _, r := range all {
			request.Together = append(request.Together, *r.heldRequest(b))
		}
	}
	q, _, err := o.g.askQuestion(ctx, request)
	if err != nil {
		return q, err
	}
	running := b != nil && o.g.acts.ask(b, q)
	for _, r := range all {
		r.notifyAsking(b, q.ID)
	}
	if b != nil { // the picture is taken while the browser knows that the request is held
		seen := callInfo{g: b.gate, call: b.call, facts: b.facts, pin: b.pin, picture: b.picture}
		seen.addScreenshot(ctx, &q, slog.LevelDebug) // the element may have disappeared
		if b.call.Asked != nil && running {
			b.call.Asked(*pendingOf(q))
		}
	}
	event := o.event(action.EventQuestion)
	event.HITLDecision, event.ApprovalID, event.Screenshot, event.Detail = pending, q.ID, q.Screenshot, join("question "+q.ID, event.Detail)
	o.g.audit.Record(event)
	waits, leave := untilAllGone(ctx, all)
	defer leave()
	q, err = o.g.approvals.Await(waits, q.ID, 0)
	if waits.Err() != nil {
		_ = o.g.approvals.Withdraw(context.WithoutCancel(ctx), q.ID) // or else it ends with its time
		if err != nil {
			err = givenUpFault()
		}
	}
	return q, err
}

// untilAllGone returns a context that ends when none of the requests can be sent any more.
func untilAllGone(ctx context.Context, all []*outgoingRequest) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go func() { // ends with the requests, or with the wait for the answer
		defer cancel()
		for _, r := range all {
			select {
			case <-r.ctx.Done():
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, cancel
}
