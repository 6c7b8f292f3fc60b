package injected

import "context"

// BoxQuery asks where elements are seen.
type BoxQuery struct {
	Nodes     []int `json:"nodes"`
	Embedded  bool  `json:"embedded,omitempty"`  // the frame is inside another one, which shows its viewport only
	Uncovered bool  `json:"uncovered,omitempty"` // leave out what something else covers in the viewport
}

// Box is what can be seen of an element, as far as scroll containers and clips
// around it let it be seen, in the frame's viewport.
type Box struct {
	Node int `json:"node"`
	Rect
	Cut bool `json:"cut,omitempty"` // a part of it is not seen
}

// Boxes says where elements are, without those that are gone or that nothing
// is seen of. Covers are not considered but on request.
func (f Frame) Boxes(ctx context.Context, q BoxQuery) ([]Box, error) {
	var boxes []Box
	err := f.call(ctx, "boxes", q, &boxes)
	return boxes, err
}

// SecretFields returns the fields whose values are secrets, as far as they are drawn,
// in closed shadow roots too: in those that are known, or else, which costs as
// much again, in all.
func (f Frame) SecretFields(ctx context.Context, all bool) (nodes []int, err error) {
	ask := f.call
	if all {
		ask = f.read
	}
	err = ask(ctx, "guarded", struct{}{}, &nodes)
	return nodes, err
}
