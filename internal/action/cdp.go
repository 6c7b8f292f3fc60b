package action

import (
	"context"
	"net/http"
)

// The verbs of this file.
var (
	VerbCDPAttach = Define[None, CDPEndpoint](Verb{Name: "cdp.attach", Class: Raw, Risk: Critical, Method: http.MethodGet, Path: "/browser/cdp", Summary: "Attach a client of the browser's protocol, such as Playwright, over a WebSocket"})
)

// Message is one call of a client of the browser's protocol, as the audit
// tells of it.
type Message struct {
	Method  string // "Page.navigate"
	Refused string // why it was not passed on as it came; empty when it was
}

// Wire is the gateway's end of a client of the browser's protocol. One
// goroutine reads and one writes.
type Wire interface {
	// Read returns the client's next message, whole and valid until the next
	// call.
	Read(ctx context.Context) ([]byte, error)
	// Write sends a piece of a message; last ends it.
	Write(ctx context.Context, piece []byte, last bool) error
}

// Attachment is a client's place at a session's browser. It must be served or
// closed, once.
type Attachment interface {
	// Serve carries messages until the client goes away (nil), the browser or
	// the session ends, or ctx does. Faults: not_active, limit_reached,
	// cdp_error, invalid_request.
	Serve(ctx context.Context, client Wire) error
	// Close gives the place up without serving.
	Close()
}

// CDPEndpoint is where clients of the browser's protocol connect.
type CDPEndpoint struct {
	URL string `json:"url" doc:"Where clients connect with a WebSocket; they send an operator's token with it"`
}
