package session

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// saver stores the records of sessions: at once where the caller waits for it,
// and within saveEvery where it does not.
type saver struct {
	store    recordStore
	sessions *directory
	known    *redact.SecretStore
	log      *slog.Logger
	flush    chan struct{} // asks for changed records to be stored
}

const (
	saveEvery = time.Second     // counters of a busy session are stored this often; a killed gateway forgets no more
	saveLimit = 5 * time.Second // wall time of storing a record
)

// save stores a session's record as it is now.
func (w *saver) save(ctx context.Context, sess *openSession) error {
	sess.saving.Lock()
	defer sess.saving.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	at := sess.cleanSnapshot()
	record, pause := w.redacted(at.record, at.pause)
	err := w.store.update(ctx, record, at.failures.row, pause)
	if err != nil {
		sess.with(func(st *sessionState) { st.dirty = true })
	}
	return err
}

func (w *saver) ask() {
	select {
	case w.flush <- struct{}{}:
	default: // somebody has asked already
	}
}

// run stores what has changed, a second after it was asked to, until ctx
// ends.
func (w *saver) run(ctx context.Context) {
	for {
		wait(ctx, w.flush, nil)
		pause := time.NewTimer(saveEvery)
		wait(ctx, nil, pause.C)
		pause.Stop()
		if ctx.Err() != nil {
			return
		}
		if err := w.saveDirty(ctx); err != nil {
			w.log.ErrorContext(ctx, "cannot store sessions", "error", err)
		}
	}
}

func (w *saver) saveDirty(ctx context.Context) error {
	for _, sess := range w.sessions.all() {
		if !sess.snapshot().dirty {
			continue
		}
		if err := w.save(ctx, sess); err != nil {
			return fmt.Errorf("session %s: %w", sess.id, err)
		}
	}
	return nil
}

// savePause stores a change of the pause before anybody is told.
func (w *saver) savePause(ctx context.Context, sess *openSession) error {
	if err := w.save(ctx, sess); err != nil {
		w.ask()
		return fault.New(fault.Internal, "the session's state could not be stored").
			Hinted("it holds as long as this gateway runs; make room on its disk").Because(err)
	}
	return nil
}

// changeTerms changes the terms of a session. They stay as they are where the change
// cannot be stored.
func (w *saver) changeTerms(ctx context.Context, sess *openSession, change func(*terms)) error {
	sess.changingTerms.Lock()
	defer sess.changingTerms.Unlock()
	terms := sess.snapshot().terms
	change(&terms)
	if err := w.store.saveTerms(context.WithoutCancel(ctx), sess.id, terms); err != nil {
		return err
	}
	sess.with(func(st *sessionState) { st.terms, st.record.Credentialed = terms, terms.secretHosts() })
	return nil
}

// redacted removes the session's secrets from what is stored: the address and the
// title of the page, and notes, may hold one.
func (w *saver) redacted(s action.Session, c pauseState) (action.Session, pauseState) {
	known := w.known.Of(s.ID)
	session, err := redact.Value(known, s)
	hands, failed := redact.Value(known, c)
	if err != nil || failed != nil {
		s.Page, c.Before, c.Notes = nil, view{}, nil
		return s, c
	}
	return session, hands
}
