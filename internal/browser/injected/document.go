package injected

import "context"

// Drawn is a document that is no page of HTML, as the browser draws it.
type Drawn struct {
	Type   string `json:"type"`   // its media type
	Text   string `json:"text"`   // what a person can see of it, with its lines
	Width  int    `json:"width"`  // pixels of an image
	Height int    `json:"height"` // pixels of an image
	Cut    bool   `json:"cut"`    // there was more than 1 MiB of text
}

// Drawn reads a document for which the browser makes a page of its own.
func (f Frame) Drawn(ctx context.Context) (Drawn, error) {
	var d Drawn
	err := f.read(ctx, "drawnDocument", struct{}{}, &d)
	return d, err
}
