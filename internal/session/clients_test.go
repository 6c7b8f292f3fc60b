package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// clientAtTab is a client attached to a tab. It is served until it is told to
// end.
type clientAtTab struct {
	over  <-chan struct{}
	began chan<- struct{} // receives a value when it is served; may be nil
}

func (p clientAtTab) Serve(ctx context.Context, _ action.Wire) error {
	if p.began != nil {
		p.began <- struct{}{}
	}
	select {
	case <-p.over:
		return errors.New("the browser is gone")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (clientAtTab) Close() {}

func (t *tab) AdmitInput(context.Context) (func(), error) {
	t.set(func(t *tab) { t.admitted++; t.admits++ })
	return func() { t.set(func(t *tab) { t.admitted-- }) }, nil
}

func (t *tab) Screencast(int) *engine.Screencast { return nil }

func (t *tab) Attach(context.Context, func(action.Message)) (action.Attachment, error) {
	return clientAtTab{t.done, t.began}, nil
}

func TestClientsOfASessionAreLimitedAndOfItsScope(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Name: "work"})
	ctx := t.Context()
	_, err := r.Attach(ctx, action.Call{Verb: "cdp.attach", Caller: bob, Session: s.ID}, action.Pin{}, nil)
	wants(t, fault.SessionNotFound, err)
	var places []action.Attachment
	for range 8 {
		a, err := r.Attach(ctx, action.Call{Verb: "cdp.attach", Caller: admin, Session: "work"}, action.Pin{}, nil)
		must(t, err)
		places = append(places, a)
	}
	_, err = r.Attach(ctx, action.Call{Verb: "cdp.attach", Caller: admin}, action.Pin{Session: s.ID}, nil)
	wants(t, fault.LimitReached, err, "disconnect")
	places[0].Close()
	_, err = r.Attach(ctx, action.Call{Verb: "cdp.attach", Caller: admin}, action.Pin{Session: s.ID}, nil)
	must(t, err)
	told, err := r.Do(ctx, action.Call{Verb: "cdp.attach", Caller: admin}, action.Pin{Session: s.ID})
	must(t, err)
	if at := told.Data.(*action.CDPEndpoint).URL; at != "/v1/sessions/"+s.ID+"/browser/cdp" {
		t.Errorf("the endpoint is %s", at)
	}
}

func TestAClientLearnsHowItsSessionEnded(t *testing.T) {
	for name, end := range map[string]func(r *rig, id string){
		"closed": func(r *rig, id string) {
			_, err := r.call(t.Context(), admin, "session.close", id, nil)
			must(r.t, err)
		},
		"failed": func(r *rig, id string) { r.engine.Kill(r.show(admin, id).Box) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.start(alice, action.SessionStart{})
			a, err := r.Attach(t.Context(), action.Call{Verb: "cdp.attach", Caller: admin}, action.Pin{Session: s.ID}, nil)
			must(t, err)
			served := make(chan error, 1)
			go func() { served <- a.Serve(t.Context(), nil) }()
			r.t = t
			end(r, s.ID)
			if f := fault.From(<-served); f == nil || f.Code != fault.NotActive || f.Details["ended"] != name {
				t.Errorf("served until %+v", f)
			}
		})
	}
}
