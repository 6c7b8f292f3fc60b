package gate

import (
	"bytes"
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

// mostScreened is how long a message to a client of the protocol may be in a
// session with credentials: it is looked through as a whole.
const mostScreened = 64 << 20 // bytes; the largest answers are screenshots and page sources

// screened is a client's wire that passes on no secret of the session. While
// the session has none it passes on each piece as it comes.
func (g *Gate) screened(wire action.Wire, session string) action.Wire {
	return &screen{Wire: wire, known: func() *redact.Matcher { return g.known.Of(session) }}
}

// screen is used by one writing goroutine.
type screen struct {
	action.Wire
	known func() *redact.Matcher
	held  bytes.Buffer // of the message that is coming in
	begun bool         // some of it was passed on before there were secrets
}

// Write takes a piece of a message. Fault: redaction_failed for a message that
// is too long to be looked through.
func (s *screen) Write(ctx context.Context, piece []byte, last bool) error {
	known := s.known()
	if known == nil && s.held.Len() == 0 {
		s.begun = !last
		return s.Wire.Write(ctx, piece, last)
	}
	if s.held.Len()+len(piece) > mostScreened {
		return unredacted("a message of more than 64 MiB cannot be looked through for secrets")
	}
	s.held.Write(piece)
	if !last {
		return nil
	}
	clean := known.JSON
	if s.begun { // the rest of a message is no JSON
		clean = known.Bytes
	}
	err := s.Wire.Write(ctx, clean(s.held.Bytes()), true)
	s.begun = false
	s.held.Reset()
	return err
}
