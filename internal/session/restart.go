package session

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	maxRestarts  = 10                     // of a session's browser
	restartLimit = 30 * time.Second       // for a box to restart its browser and for its page to open
	restartPoll  = 100 * time.Millisecond // between two checks
	noticeLimit  = time.Second            // for a box to notice that its browser has ended
)

// waitBrowser returns a session's browser. If the box is restarting it, it waits.
// Faults: not_active if the session ends meanwhile.
func (o *openSession) waitBrowser(ctx context.Context) (Browser, error) {
	for {
		o.mu.Lock()
		box, browser, changed, ended := o.state.box, o.state.browser, o.state.changed, o.state.ending != nil
		o.mu.Unlock()
		if browser == nil || ended {
			return o.openBrowser()
		}
		select {
		case <-browser.Done():
		default:
			return browser, nil
		}
		select {
		case <-changed:
		case <-box.Done():
			return browser, nil // its fault says what happened
		case <-o.closing:
			return nil, o.over()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// restartBrowser gives a session the browser that its box started after the last
// one ended. ok is false if there is none.
func (l *lifecycle) restartBrowser(sess *openSession, s stage) (next stage, ok bool) {
	if sess.over() != nil || s.restarts >= maxRestarts {
		return s, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), restartLimit) // belongs to no call
	defer cancel()
	health, again := l.startedAgain(ctx, s)
	if !again {
		return s, false
	}
	next = stage{box: s.box, restarts: health.Restarts}
	err := l.openRestarted(ctx, sess, &next)
	if err != nil {
		l.log.Warn("a browser that was started again is of no use", "session", sess.id, "error", err)
		if next.browser != nil {
			_ = next.browser.Close() // it ends with its box
		}
		return s, false
	}
	if err := s.browser.Close(); err != nil {
		l.log.Debug("cannot close a page", "session", sess.id, "error", err)
	}
	l.useRestarted(sess, next, health)
	return next, true
}

// startedAgain waits for a box to restart its browser. It returns false if the
// box has given up, or if the browser has not ended.
func (l *lifecycle) startedAgain(ctx context.Context, s stage) (sandbox.Health, bool) {
	ticker := time.NewTicker(restartPoll)
	defer ticker.Stop()
	since := time.Now()
	for {
		health, err := askHealth(ctx, s.box)
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

// openRestarted opens the page of a restarted browser. Nothing of the old browser
// is left: credentials are injected again before the next visit, and references
// are new.
func (l *lifecycle) openRestarted(ctx context.Context, sess *openSession, s *stage) error {
	err := l.saver.changeTerms(ctx, sess, func(t *terms) {
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
	at := sess.snapshot()
	record, of := at.record, at.terms
	o := l.boxes.optionsOf(shape{width: record.Width, height: record.Height, dpi: record.DPI, headless: record.Headless, profile: record.Profile}, of)
	l.pages.setEngineFunctions(&o, record.Box)
	if s.browser, err = l.boxes.openPage(ctx, s.box, o); err != nil {
		return err
	}
	_, err = l.boxes.proveSandbox(ctx, s.box)
	return err
}

// useRestarted gives the session a restarted browser, and adds a note for its
// agent.
func (l *lifecycle) useRestarted(sess *openSession, s stage, health sandbox.Health) {
	var what string
	var record action.Session
	sess.with(func(st *sessionState) { what = st.restarted(s.browser, health); record = st.record })
	l.audit.event(record, "", what)
	l.log.Warn("a session goes on with its browser started again", "session", sess.id, "box", record.Box, "restarts", s.restarts)
	if err := l.saver.save(context.Background(), sess); err != nil {
		l.saver.ask()
	}
}

// restarted gives the session a restarted browser. It returns the description for
// the agent and the audit trail.
func (s *sessionState) restarted(browser Browser, health sandbox.Health) (what string) {
	was, now := bare(pageOf(s.record).URL), browser.Page()
	what = "the browser crashed"
	if health.OOMKills > s.oomKnown {
		what += " because the memory of its box was used up (browser.sandbox.container.memory_limit)"
		s.oomKnown = health.OOMKills
	}
	what += " and was started again"
	if was != "" {
		what += "; it was at " + was
	}
	s.browser, s.record.Page = browser, &now
	s.addNote(what + "; pages, references and what was typed are gone: go there again")
	s.touch()
	s.signalChange()
	return what
}

// explainCrash adds to the fault of a crashed page whether the memory of its box
// was exhausted.
func (p *pages) explainCrash(ctx context.Context, sess *openSession, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), proofLimit)
	defer cancel()
	health, unknown := askHealth(ctx, sess.stage().box)
	if unknown != nil {
		return err
	}
	var short bool
	sess.with(func(st *sessionState) {
		short = health.OOMKills > st.oomKnown
		st.oomTold = health.OOMKills
	})
	if !short {
		return err
	}
	f := fault.From(err)
	return fault.New(fault.PageCrashed, "%s: the memory of its box was used up", f.Message).
		Hinted("%s; the page needs more than its box has: an operator can raise browser.sandbox.container.memory_limit", f.Hint).With("reason", "memory").Because(err)
}

// browserCrashed is the fault of a call whose browser crashed.
func browserCrashed(call action.Call, err error) error {
	return fault.New(fault.PageCrashed, "the browser crashed during %s, and is started again", call.Verb).
		Hinted("%s", "it may have been done or not: go to the page again with page.goto, and look").Because(err)
}
