package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	attachAtOnce = 4                // boxes recovered at the same time; each may wait for its guest to connect again
	closeLimit   = 30 * time.Second // wall time for Close: saving profiles, then ending boxes
)

// errAnother means that the browser of a box was restarted, so the tabs and
// cookies of the session are gone.
var errAnother = errors.New("its browser ended while the gateway was down")

// recover recovers the sessions of an earlier process of this gateway, removes
// old records, and starts to fill the warm pool. Open sessions whose boxes run
// continue, with stale references; those without a box fail; boxes without an
// open session are ended. It must be called once, before the first call. If the
// engine does not answer, that is not an error: its boxes are ended later.
func (l *lifecycle) recover(ctx context.Context) error {
	left, err := l.store.unfinished(ctx)
	if err != nil {
		return err
	}
	running, known := l.boxes.running(ctx)
	var taken sync.WaitGroup
	slots := make(chan struct{}, attachAtOnce)
	for _, e := range left {
		if !isOpen(e.State) || !running[e.Box] {
			l.failUnrecovered(ctx, e, "its box was lost while the gateway was down")
			continue
		}
		taken.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			l.recoverSession(ctx, e)
		})
	}
	taken.Wait()
	for _, id := range known {
		if !l.boxes.isClaimed(id) {
			tryLater(ctx, l.log, l.store.addBox(ctx, id, "")) // so that reap ends it even if the database did not contain it
		}
	}
	tryLater(ctx, l.log, l.boxes.reap(ctx))
	l.recovered.Do(func() { close(l.ready) })
	return l.retain(ctx)
}

// tryLater logs an error of something that is tried again later.
func tryLater(ctx context.Context, log *slog.Logger, err error) {
	if err != nil {
		log.WarnContext(ctx, "cannot clear up; it is tried again", "error", err)
	}
}

// failUnrecovered records that a session did not survive the earlier process. A
// closing one becomes closed.
func (l *lifecycle) failUnrecovered(ctx context.Context, e entry, why string) {
	at := time.Now().UTC()
	record := e.Session
	record.Closed, record.Hold = &at, nil
	if e.State == closing {
		record.State = closed
	} else {
		record.State, record.Reason = failed, why
	}
	if err := l.store.update(ctx, record, e.failures, pauseState{}); err != nil {
		l.log.ErrorContext(ctx, "cannot record a lost session", "session", e.ID, "error", err)
	}
	if record.State == failed {
		l.audit.alert(record, "", "the session failed: "+record.Reason)
		if e.terms.Run == "" {
			l.notices.add(record, e.terms)
		}
	}
	l.audit.event(record, "", record.Reason)
	l.log.WarnContext(ctx, "session not taken up", "session", e.ID, "state", record.State, "reason", record.Reason)
}

// recoverSession connects to a session's box again. If that fails, the session
// fails and its box is ended.
func (l *lifecycle) recoverSession(ctx context.Context, e entry) {
	ctx, cancel := context.WithTimeout(ctx, l.config.StartTimeout)
	defer cancel()
	network := e.terms.networkUnder(*l.networks.network.Load())
	e.terms.Lives++
	s, err := l.reattach(ctx, e, network)
	if err == nil {
		err = l.creds.learnAgain(ctx, e, s.browser)
	}
	if err != nil {
		l.log.WarnContext(ctx, "cannot take a session up again", "session", e.ID, "box", e.Box, "error", err)
		l.keeper.rescue(ctx, e, s.box)
		l.boxes.destroy(ctx, e.Box, s.browser)
		why := "its box could not be taken up again after a restart of the gateway"
		if errors.Is(err, errAnother) {
			why = errAnother.Error()
		}
		l.failUnrecovered(ctx, e, why)
		return
	}
	e.Allow = allowed(network)
	sess := newOpenSession(e.Session, network, e.terms)
	sess.state.failures.row, sess.state.pause = e.failures, e.pause
	l.sessions.adopt(sess)
	l.openWith(sess, s)
	l.audit.event(sess.now(), "", "taken up again after a restart of the gateway")
	l.log.InfoContext(ctx, "session taken up again", "session", sess.id, "box", e.Box)
}

func (l *lifecycle) reattach(ctx context.Context, e entry, network action.Network) (s stage, err error) {
	if err := l.boxes.claim(ctx, e.Box, e.ID); err != nil {
		return s, err
	}
	if err := l.store.saveTerms(ctx, e.ID, e.terms); err != nil { // stored before this process gives out a reference
		return s, err
	}
	if err := l.networks.egress.Open(e.Box, network); err != nil {
		return s, err
	}
	if s.box, err = l.boxes.driver.Attach(ctx, e.Box, l.boxes.egressHandler(e.Box)); err != nil {
		return s, err
	}
	o := l.boxes.optionsOf(shape{width: e.Width, height: e.Height, dpi: e.DPI, headless: e.Headless, profile: e.terms.Profile}, e.terms)
	l.pages.setEngineFunctions(&o, e.Box)
	if s.browser, err = l.boxes.openPage(ctx, s.box, o); err != nil {
		return s, err
	}
	if s.restarts, err = l.boxes.proveSandbox(ctx, s.box); err == nil && s.restarts != e.terms.Restarts {
		err = errAnother
	}
	return s, err
}

// shutdown ends everything, within 30 s or when ctx ends: warm boxes, and open
// sessions with their boxes. With Config.KeepBoxes open sessions are left to the
// next process. What could not be ended is handled by the next Recover.
func (l *lifecycle) shutdown(ctx context.Context) error {
	l.sessions.shut()
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	for _, sess := range l.sessions.all() {
		keep := l.config.KeepBoxes && isOpen(sess.now().State)
		sess.end(ending{state: closed, reason: "the gateway was shut down", keep: keep})
	}
	l.stop()
	finished := make(chan struct{})
	go func() {
		l.work.Wait()
		close(finished)
	}()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("boxes may be left running; the next start ends them: %w", context.Cause(ctx))
	}
}

const (
	reapEvery   = time.Minute // between attempts to end boxes that could not be ended
	retainEvery = time.Hour   // between removals of old records
)

// cleanUp removes leftovers until ctx ends.
func (l *lifecycle) cleanUp(ctx context.Context) {
	round, old := time.NewTicker(reapEvery), time.NewTicker(retainEvery)
	defer round.Stop()
	defer old.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-round.C:
			l.creds.forgetSecrets(time.Now())
			err = l.boxes.reap(ctx)
		case <-old.C:
			err = l.retain(ctx)
		}
		if err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "cannot clean up", "error", err)
		}
	}
}

// retain removes ended sessions and artifacts that are older than the
// configured retention.
func (l *lifecycle) retain(ctx context.Context) error {
	if l.config.Retention < 0 {
		return nil
	}
	before := time.Now().Add(-l.config.Retention)
	files, err := l.files.artifacts.Prune(ctx, before)
	sessions, errSessions := l.store.deleteBefore(ctx, before)
	if files > 0 || sessions > 0 {
		l.log.InfoContext(ctx, "removed what is older than browser.artifacts_retention_days", "sessions", sessions, "artifacts", files)
	}
	if l.onRetain != nil {
		err = errors.Join(err, l.onRetain(before))
	}
	return errors.Join(err, errSessions)
}
