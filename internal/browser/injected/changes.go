package injected

import "context"

// ActWatch names the element on which an act is done; 0 for none.
type ActWatch struct {
	Node int `json:"node,omitempty"`
}

// StableQuery says how long to wait for the effects of an act.
type StableQuery struct {
	Late  int      `json:"late,omitempty"`  // ms within which changes may begin
	Kinds []string `json:"kinds,omitempty"` // if given: Late holds only if the page listens to one of these events that reaches ActWatch.Node
	// Suggests is the same as Late, for suggestions, if ActWatch.Node is a field that
	// suggests something for its text: for texts that are added.
	Suggests int              `json:"suggests,omitempty"`
	Most     int              `json:"most,omitempty"`  // ms in all; 500 when 0
	Walk     *SnapshotOptions `json:"walk,omitempty"`  // read the frame as soon as it is stable
	Fresh    bool             `json:"fresh,omitempty"` // the document has just loaded: wait for its first change if it has scripts
	Same     bool             `json:"same,omitempty"`  // with Fresh: only its address changed
}

// Stability says what an act changed, and whether the document is stable.
type Stability struct {
	Changed bool `json:"changed,omitempty"` // something changed
	Busy    bool `json:"busy,omitempty"`    // something was still changing or moving
	Drawn   bool `json:"drawn,omitempty"`   // a canvas or video shows something else, or may do so

	Earlier  bool `json:"earlier,omitempty"`  // something changed after the last reading and before the act
	Elements int  `json:"elements,omitempty"` // how many elements were added to the document since it is watched

	Unfinished bool `json:"unfinished,omitempty"` // with StableQuery.Fresh: the document shows nothing, or says that it is loading

	// With StableQuery.Walk:
	Still bool  `json:"still,omitempty"` // nothing changed since the query arrived in the page
	Tree  *Tree `json:"tree,omitempty"`
	Transients
}

// Transients are the texts of live regions that came and went since the last query.
type Transients struct {
	Gone []TransientText `json:"gone,omitempty"`
}

// TransientText is a text of a live region: role status or alert.
type TransientText struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// WatchAct starts to record changes as effects of an act.
func (f Frame) WatchAct(ctx context.Context, q ActWatch) error { return f.call(ctx, "arm", q, nil) }

// WaitStable waits in the page until the changes of the act have ended.
func (f Frame) WaitStable(ctx context.Context, q StableQuery) (Stability, error) {
	var c Stability
	err := f.call(ctx, "waitStable", q, &c)
	return c, err
}

// Transients ends WatchAct and returns the texts that came and went.
func (f Frame) Transients(ctx context.Context) (Transients, error) {
	var p Transients
	err := f.call(ctx, "endWatch", struct{}{}, &p)
	return p, err
}
