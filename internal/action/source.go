package action

import "context"

// Source says where a call came from. It is only recorded; the gate makes no
// decision with it.
type Source struct {
	Address   string // of the client, without port
	UserAgent string // what the client says it is
	Request   string // as it was made: "POST /v1/browser/click", "tools/call browser_click"
}

type recordedKey struct{}

// WithRecorded returns a context in which Recorded calls note. A surface that passes
// requests to another one learns so that a call of a request is in the trail, and
// records no refusal of the request besides.
func WithRecorded(ctx context.Context, note func()) context.Context {
	return context.WithValue(ctx, recordedKey{}, note)
}

// Recorded says that a call of the request in ctx was recorded. See WithRecorded.
func Recorded(ctx context.Context) {
	if note, ok := ctx.Value(recordedKey{}).(func()); ok {
		note()
	}
}
