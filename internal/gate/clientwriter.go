package gate

import (
	"bytes"
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

// maxRedactedMessage is how long a message to a client of the protocol may be in a
// session with credentials: it is looked through as a whole.
const maxRedactedMessage = 64 << 20 // bytes; the largest answers are screenshots and page sources

// redactingWire is a client's wire that passes on no secret of the session. While
// the session has none it passes on each piece as it comes.
func (g *Gate) redactingWire(wire action.Wire, session string) action.Wire {
	return &redactingWriter{Wire: wire, known: func() *redact.Matcher { return g.secrets.Of(session) }}
}

// redactingWriter is used by one writing goroutine.
type redactingWriter struct {
	action.Wire
	known        func() *redact.Matcher
	held         bytes.Buffer // of the message that is coming in
	partlyPassed bool         // some of it was passed on before there were secrets
}

// Write takes a piece of a message. Fault: redaction_failed for a message that
// is too long to be looked through.
func (s *redactingWriter) Write(ctx context.Context, piece []byte, last bool) error {
	known := s.known()
	if known == nil && s.held.Len() == 0 {
		s.partlyPassed = !last
		return s.Wire.Write(ctx, piece, last)
	}
	if s.held.Len()+len(piece) > maxRedactedMessage {
		return redactionFault("a message of more than 64 MiB cannot be looked through for secrets")
	}
	s.held.Write(piece)
	if !last {
		return nil
	}
	clean := known.JSON
	if s.partlyPassed { // the rest of a message is no JSON
		clean = known.Bytes
	}
	err := s.Wire.Write(ctx, clean(s.held.Bytes()), true)
	s.partlyPassed = false
	s.held.Reset()
	return err
}
