package rest

import (
	"context"
	"net/http"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// livePath is where the page is on which people watch a session.
const livePath = "/live/"

// Viewers admits people who watch a session, or refuses them with a fault.
type Viewers interface {
	View(ctx context.Context, c action.Call) (action.View, error)
}

// Streams serves the live picture of a session over a WebSocket. An error means
// that nothing was answered. It closes the view.
type Streams interface {
	Serve(w http.ResponseWriter, r *http.Request, view action.View) error
}

// watch admits a viewer and serves it until the viewer, the session, the token or
// the gateway ends.
func (s *surface) watch(w http.ResponseWriter, r *http.Request, v *action.Verb) {
	call, err := s.read(r, v)
	if err != nil {
		fail(w, r, err)
		return
	}
	caller, found := auth.From(r.Context())
	if !found || s.viewers == nil || s.streams == nil || !s.connections.enter() {
		fail(w, r, fault.New(fault.NotActive, "the gateway takes no viewers").Hinted("connect when it runs again"))
		return
	}
	defer s.connections.wg.Done()
	call.ID, call.Caller, call.Surface, call.Source = correlation(r.Context()), caller, "rest", source(r)
	noteCalled(r)
	view, err := s.viewers.View(r.Context(), call)
	if err != nil {
		fail(w, r, err)
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	stop := context.AfterFunc(s.connections.ctx, func() { cancel(errShutdown) })
	defer stop()
	if err := s.streams.Serve(w, r.WithContext(ctx), view); err != nil {
		fail(w, r, err)
	}
}

// isStreamPath reports whether a path is the WebSocket of a session's viewers.
func isStreamPath(path string) bool {
	return strings.HasPrefix(path, "/v1/") && strings.HasSuffix(path, action.VerbDesktopWatch.Path)
}
