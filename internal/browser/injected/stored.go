package injected

import "context"

// Stored is what a document's origin keeps in the browser, as pairs of name and
// value. The values open accounts: they go nowhere but to where credentials are
// kept.
type Stored struct {
	Origin  string      `json:"origin"` // as the browser has it: scheme://host[:port], or "null"
	Local   [][2]string `json:"local"`
	Session [][2]string `json:"session"`
	Cut     bool        `json:"cut,omitempty"` // there was more
}

// Stored reads the local and session storage of the document's origin.
func (f Frame) Stored(ctx context.Context) (Stored, error) {
	var s Stored
	err := f.call(ctx, "stored", struct{}{}, &s)
	return s, err
}
