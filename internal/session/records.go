package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

const (
	saveEvery = time.Second     // counters of a busy session are stored this often; a killed gateway forgets no more
	saveLimit = 5 * time.Second // wall time of storing a record
)

// list lists the scope's sessions, newest first.
func (r *Registry) list(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.SessionList](call)
	if err != nil {
		return action.Result{}, err
	}
	entries, err := r.store.list(ctx, call.Caller.Scope, args.IncludeArchived)
	if err != nil {
		return action.Result{}, err
	}
	listing := action.SessionListing{Sessions: make([]action.Session, 0, len(entries))}
	for _, e := range entries {
		listing.Sessions = append(listing.Sessions, r.sessions.newest(e.Session))
	}
	return action.Result{Data: &listing}, nil
}

// newest returns the record as it is now, where it was read from the store.
func (d *directory) newest(record action.Session) action.Session {
	sess := d.withID(record.ID)
	if sess == nil {
		return record
	}
	return sess.now()
}

func (r *Registry) show(ctx context.Context, call action.Call) (action.Result, error) {
	record, _, err := r.sessions.recordOf(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	return sessionResult(record), nil
}

func (f *fileStore) list(ctx context.Context, call action.Call) (action.Result, error) {
	record, _, err := f.sessions.recordOf(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	list, err := f.artifacts.List(ctx, artifact.Owner{Scope: record.Scope, Session: record.ID, Private: call.Caller.Role == action.Operator})
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Session: record.ID, Data: &action.ArtifactListing{Artifacts: list}}, nil
}

// put keeps a file that a caller sends, with a session that is open:
// what an ended one left stays as it was. Faults: not_active,
// session_not_found, invalid_request, limit_reached.
func (f *fileStore) put(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.NewFile](call)
	if err != nil {
		return action.Result{}, err
	}
	if len(args.Bytes) > action.MostUpload {
		return action.Result{}, tooMuch()
	}
	sess, err := f.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	defer leave()
	owner := artifact.Owner{Scope: sess.scope, Session: sess.id}
	kept, err := f.save(ctx, owner, engine.FileName(args.Name), args.MediaType, args.Bytes)
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Session: sess.id, Data: &kept.Artifact}, nil
}

func (f *fileStore) lookAt(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	args, err := argsOf[action.ByID](call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	find := f.artifacts.Find
	if call.Caller.Role == action.Operator {
		find = f.artifacts.FindAny
	}
	a, err := find(ctx, call.Caller.Scope, args.ID)
	return action.Facts{Session: action.SessionFacts{ID: a.Session}}, action.Pin{Session: a.Session}, err
}

func (f *fileStore) get(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.ByID](call)
	if err != nil {
		return action.Result{}, err
	}
	load := f.artifacts.Load
	if call.Caller.Role == action.Operator {
		load = f.artifacts.LoadAny
	}
	file, err := load(ctx, call.Caller.Scope, args.ID)
	if err != nil {
		return action.Result{}, err
	}
	return action.Result{Session: file.Session, Data: &file}, nil
}

// save stores a session's record as it is now.
func (w *saver) save(ctx context.Context, sess *openSession) error {
	sess.saving.Lock()
	defer sess.saving.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	sess.mu.Lock()
	record, failures, hands := sess.record, sess.failures.row, sess.pause
	hands.Notes = slices.Clone(hands.Notes)
	sess.dirty = false
	sess.mu.Unlock()
	record, hands = w.redacted(record, hands)
	if err := w.store.update(ctx, record, failures, hands); err != nil {
		sess.mu.Lock()
		sess.dirty = true
		sess.mu.Unlock()
		return err
	}
	return nil
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
		sess.mu.Lock()
		dirty := sess.dirty
		sess.mu.Unlock()
		if !dirty {
			continue
		}
		if err := w.save(ctx, sess); err != nil {
			return fmt.Errorf("session %s: %w", sess.id, err)
		}
	}
	return nil
}

// all returns the sessions that are not over.
func (d *directory) all() []*openSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]*openSession, 0, len(d.open.byID))
	for _, sess := range d.open.byID {
		list = append(list, sess)
	}
	return list
}
