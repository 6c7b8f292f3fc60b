package mcp

import (
	"context"
	"net/http"
	"strings"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	stateless   = "2026-07-28"     // first revision of the protocol without sessions over HTTP
	idleLimit   = 30 * time.Minute // of a session of an older revision
	infoKey     = "client"
	mostMessage = 1 << 20 // bytes; as the REST surface
)

// Handler serves the protocol over streamable HTTP. It runs behind the REST
// surface, which checks host, origin and token and puts the caller into the
// request's context. A request without a caller is refused. If the request's
// URL is absolute, people are sent to its host. Revisions from 2026-07-28 on
// have no sessions and need a stateless server, older ones need a stateful one.
// There are therefore two servers, selected by Mcp-Protocol-Version. A client
// of an older revision can resume a stream after its connection broke. A client
// chooses groups of tools in the address, such as /mcp?tools=all.
func (s *Surface) Handler() http.Handler {
	server := func(r *http.Request) *mcp.Server {
		server, _ := s.offering(s.asked(r)) // its error was looked at before
		return server
	}
	options := mcp.StreamableHTTPOptions{
		MaxRequestBodyBytes:          mostMessage,
		PropagateRequestCancellation: true,
		SessionTimeout:               idleLimit,
		DisableLocalhostProtection:   true, // the REST surface checks Host, and knows which are configured
		EventStore:                   newReplays(),
		Logger:                       s.o.Log,
	}
	older := mcp.NewStreamableHTTPHandler(server, &options)
	options.Stateless, options.EventStore = true, nil // a revision without sessions resumes nothing
	newer := mcp.NewStreamableHTTPHandler(server, &options)
	route := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.offering(s.asked(r)); err != nil {
			f := fault.From(err)
			http.Error(w, f.Message+": "+f.Hint, http.StatusBadRequest)
			return
		}
		if r.Header.Get("Mcp-Protocol-Version") >= stateless {
			newer.ServeHTTP(w, r)
			return
		}
		older.ServeHTTP(w, r)
	})
	// The library binds a session to the user that its middleware names. A
	// session id is then useless with another token.
	return sdkauth.RequireBearerToken(verify, &sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true})(route)
}

// asked returns the groups of tools that a request's address names, or else
// those of the surface. A plus in a query is decoded as a space.
func (s *Surface) asked(r *http.Request) []string {
	named := r.URL.Query().Get("tools")
	if named == "" {
		return s.o.Tools
	}
	return strings.Split(strings.ReplaceAll(named, " ", "+"), ",")
}

func verify(ctx context.Context, _ string, r *http.Request) (*sdkauth.TokenInfo, error) {
	c, found := clientOf(r.WithContext(ctx))
	if !found {
		return nil, sdkauth.ErrInvalidToken
	}
	return &sdkauth.TokenInfo{UserID: c.user, Extra: map[string]any{infoKey: c}}, nil
}
