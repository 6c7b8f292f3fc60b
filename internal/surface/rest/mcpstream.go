package rest

import (
	"net/http"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	mcpStreamPath    = "/v1/mcp/stream"
	backgroundHeader = "Glovebox-Background"
	mostMCP          = 16 << 20 // bytes of a message: a call with files, as standard input always took it
)

// Agents admits MCP clients whose messages come over one connection, each as a
// message of a WebSocket. The request has the caller in its context and an
// absolute URL; its query says what the client asks for. Faults:
// unauthenticated, invalid_request, limit_reached.
type Agents interface {
	Admit(r *http.Request) (action.Attachment, error)
}

// noteRecorded lets a handler say that it had a call of the request recorded, with
// action.Recorded. Other requests that it refuses are recorded here.
func noteRecorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(action.WithRecorded(r.Context(), func() { noteCalled(r) })))
	})
}

// mcpStream serves glovebox mcp. The description of the interface does not list
// the route: programs use /mcp.
func (s *surface) mcpStream(w http.ResponseWriter, r *http.Request) {
	if !upgrades(r) {
		w.Header().Set("Upgrade", "websocket")
		refuse(w, r, http.StatusUpgradeRequired, fault.New(fault.InvalidRequest, "only WebSockets are served here").
			Hinted("run glovebox mcp, or call /mcp over HTTP"))
		return
	}
	if _, found := auth.From(r.Context()); !found || !s.connections.enter() {
		fail(w, r, fault.New(fault.NotActive, "the gateway takes no more MCP clients").Hinted("connect when it runs again"))
		return
	}
	defer s.connections.wg.Done()
	to, err := s.agents.Admit(r)
	if err != nil {
		fail(w, r, err)
		return
	}
	if s.background {
		w.Header().Set(backgroundHeader, "true")
	}
	noteCalled(r) // its calls are recorded one by one
	s.connections.serve(w, r, to, wireLimits{message: mostMCP, large: s.connections.large}, true)
}
