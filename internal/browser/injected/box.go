package injected

import "context"

// BoxQuery asks for the visible boxes of elements.
type BoxQuery struct {
	Nodes     []int `json:"nodes"`
	Embedded  bool  `json:"embedded,omitempty"`  // the frame is inside another one, which shows only its viewport
	Uncovered bool  `json:"uncovered,omitempty"` // leave out elements that are covered in the viewport
}

// Box is the visible part of an element in the frame's viewport, clipped by
// scroll containers and other clips.
type Box struct {
	Node int `json:"node"`
	Rect
	Cut bool `json:"cut,omitempty"` // a part of it is not visible
}

// Boxes returns the boxes of elements, without those that are gone or not
// visible. It considers elements in front only with BoxQuery.Uncovered.
func (f Frame) Boxes(ctx context.Context, q BoxQuery) ([]Box, error) {
	var boxes []Box
	err := f.call(ctx, "boxes", q, &boxes)
	return boxes, err
}

// SecretFields returns the visible fields whose values are secret. It searches
// the known closed shadow roots, and with all also the unknown ones, which
// takes twice as long.
func (f Frame) SecretFields(ctx context.Context, all bool) (nodes []int, err error) {
	ask := f.call
	if all {
		ask = f.read
	}
	err = ask(ctx, "guarded", struct{}{}, &nodes)
	return nodes, err
}
