package session

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	mostRevivals = 10                     // of a session's browser, whatever its box says
	reviveLimit  = 30 * time.Second       // for a box to start its browser again, and for its page to open
	reviveLook   = 100 * time.Millisecond // between looks whether the box has
	noticeLimit  = time.Second            // for a box to notice that its browser has ended
)

// present returns a session's browser, once it is there again where its box
// starts it anew. Faults: not_active when the session ends meanwhile.
func (l *live) present(ctx context.Context) (Browser, error) {
	for {
		l.mu.Lock()
		box, browser, changed, ended := l.box, l.browser, l.changed, l.ending != nil
		l.mu.Unlock()
		if browser == nil || ended {
			return l.engine()
		}
		select {
		case <-browser.Done():
		default:
			return browser, nil
		}
		select {
		case <-changed:
		case <-box.Done():
			return browser, nil // its fault says what became of it
		case <-l.closing:
			return nil, l.over()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// revive has a session go on with the browser that its box started again after
// the one before ended. false: there is none.
func (r *Registry) revive(l *live, s stage) (next stage, ok bool) {
	if l.over() != nil || s.restarts >= mostRevivals {
		return s, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), reviveLimit) // it belongs to no call
	defer cancel()
	health, again := r.startedAgain(ctx, s)
	if !again {
		return s, false
	}
	next = stage{box: s.box, restarts: health.Restarts}
	err := r.renew(ctx, l, &next)
	if err != nil {
		r.log.Warn("a browser that was started again is of no use", "session", l.id, "error", err)
		if next.browser != nil {
			_ = next.browser.Close() // it ends with its box
		}
		return s, false
	}
	if err := s.browser.Close(); err != nil {
		r.log.Debug("cannot close a page", "session", l.id, "error", err)
	}
	r.resumeWith(l, next, health)
	return next, true
}

// startedAgain waits for a box to start its browser again. One that has given up,
// or whose browser has not ended, does not.
func (r *Registry) startedAgain(ctx context.Context, s stage) (sandbox.Health, bool) {
	ticker := time.NewTicker(reviveLook)
	defer ticker.Stop()
	since := time.Now()
	for {
		health, err := ask(ctx, s.box)
		switch {
		case err != nil || health.Phase == "failed":
			return health, false
		case health.Restarts > s.restarts && health.Phase == "ready":
			return health, true
		case health.Phase == "ready" && time.Since(since) > noticeLimit:
			return health, false
		}
		select {
		case <-ticker.C:
		case <-s.box.Done():
			return health, false
		case <-ctx.Done():
			return health, false
		}
	}
}

// renew opens the page of a browser that was started again. Nothing of the one
// before is in it: credentials are put in again before the next visit, and
// references are others.
func (r *Registry) renew(ctx context.Context, l *live, s *stage) error {
	err := r.amend(ctx, l, func(t *terms) {
		t.Lives, t.Restarts = t.Lives+1, s.restarts
		empty := map[string]string{}
		for domain := range t.Credentialed {
			empty[domain] = ""
		}
		if len(empty) > 0 {
			t.Credentialed = empty
		}
	})
	if err != nil {
		return err
	}
	l.mu.Lock()
	record, of := l.record, l.terms
	l.mu.Unlock()
	o := r.optionsOf(shape{width: record.Width, height: record.Height, dpi: record.DPI, headless: record.Headless, profile: record.Profile}, of)
	r.guard(&o, record.Box)
	if s.browser, err = r.openPage(ctx, s.box, o); err != nil {
		return err
	}
	_, err = r.prove(ctx, s.box)
	return err
}

// resumeWith makes a browser that was started again the session's, and has its
// agent told.
func (r *Registry) resumeWith(l *live, s stage, health sandbox.Health) {
	l.mu.Lock()
	was, now := bare(pageOf(l.record).URL), s.browser.Page()
	why := "the browser crashed"
	if health.OOMKills > l.kills {
		why += " because the memory of its box was used up (browser.sandbox.container.memory_limit)"
		l.kills = health.OOMKills
	}
	what := why + " and was started again"
	if was != "" {
		what += "; it was at " + was
	}
	l.browser, l.record.Page = s.browser, &now
	l.note(what + "; pages, references and what was typed are gone: go there again")
	l.touch()
	close(l.changed)
	l.changed = make(chan struct{})
	record := l.record
	l.mu.Unlock()
	r.event(record, "", what)
	r.log.Warn("a session goes on with its browser started again", "session", l.id, "box", record.Box, "restarts", s.restarts)
	if err := r.store(context.Background(), l); err != nil {
		r.askToSave()
	}
}

// crashed says more of a page that crashed: whether the memory of its box was
// used up.
func (r *Registry) crashed(ctx context.Context, l *live, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), proofLimit)
	defer cancel()
	health, unknown := ask(ctx, l.stage().box)
	if unknown != nil {
		return err
	}
	l.mu.Lock()
	short := health.OOMKills > l.kills
	l.shortOf = health.OOMKills
	l.mu.Unlock()
	if !short {
		return err
	}
	f := fault.From(err)
	return fault.New(fault.PageCrashed, "%s: the memory of its box was used up", f.Message).
		Hinted("%s; the page needs more than its box has: an operator can raise browser.sandbox.container.memory_limit", f.Hint).With("reason", "memory").Because(err)
}

// brokeOff is the fault of a call whose browser ended under it.
func brokeOff(call action.Call, err error) error {
	return fault.New(fault.PageCrashed, "the browser crashed during %s, and is started again", call.Verb).
		Hinted("%s", "it may have been done or not: go to the page again with page.goto, and look").Because(err)
}
