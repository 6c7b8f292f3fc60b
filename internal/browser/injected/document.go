package injected

import "context"

// Document is a document that is not HTML, as the browser shows it.
type Document struct {
	Type   string `json:"type"`   // media type
	Text   string `json:"text"`   // the visible text, with its lines
	Width  int    `json:"width"`  // pixels of an image
	Height int    `json:"height"` // pixels of an image
	Cut    bool   `json:"cut"`    // there was more than 1 MiB of text
}

// Document reads a document that is not HTML, for which the browser makes a
// page.
func (f Frame) Document(ctx context.Context) (Document, error) {
	var d Document
	err := f.read(ctx, "drawnDocument", struct{}{}, &d)
	return d, err
}
