package action

import (
	"context"
	"net/http"
)

// The verbs of this file.
var (
	VerbCDPAttach = Define[None, CDPEndpoint](Verb{Name: "cdp.attach", Class: Raw, Risk: Critical, Method: http.MethodGet, Path: "/browser/cdp", Summary: "Attach a client of the browser's protocol, such as Playwright, over a WebSocket"})
)

// Message is one call of a DevTools client, as the audit records it.
type Message struct {
	Method  string // "Page.navigate"
	Refused string // why it was not passed on as it came; empty when it was
}

// Wire is the gateway's connection to a DevTools client. One goroutine reads
// and one writes.
type Wire interface {
	// Read returns the client's next message, complete and valid until the next
	// call.
	Read(ctx context.Context) ([]byte, error)
	// Write sends a part of a message; last marks its end.
	Write(ctx context.Context, piece []byte, last bool) error
}

// Attachment is a DevTools client's connection to a session's browser. It must
// be served or closed, once.
type Attachment interface {
	// Serve passes messages until the client leaves (nil), or the browser, the
	// session or ctx ends. Faults: not_active, limit_reached, cdp_error,
	// invalid_request.
	Serve(ctx context.Context, client Wire) error
	// Close ends the attachment without serving.
	Close()
}

// CDPEndpoint is the address at which DevTools clients connect.
type CDPEndpoint struct {
	URL string `json:"url" doc:"Where clients connect with a WebSocket; they send an operator's token with it"`
}
