package injected

import "context"

// Stored is the web storage of a document's origin, as pairs of name and value.
// The values may be credentials: they are passed only to the store of
// credentials.
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
