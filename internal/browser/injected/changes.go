package injected

import "context"

// ActWatch begins the wait for an act: on an element, or on none.
type ActWatch struct {
	Node int `json:"node,omitempty"`
}

// StableQuery says how long what an act set off is waited for.
type StableQuery struct {
	Late  int              `json:"late,omitempty"`  // ms that it may take to begin
	Kinds []string         `json:"kinds,omitempty"` // if there are any: only where the page listens to one of these where it reaches Arming.Node
	Most  int              `json:"most,omitempty"`  // ms in all; 500 when 0
	Walk  *SnapshotOptions `json:"walk,omitempty"`  // read the frame as soon as it is calm
	Fresh bool             `json:"fresh,omitempty"` // the document has just loaded: its first change is waited for where it has scripts
}

// Stability says what came of an act.
type Stability struct {
	Changed bool `json:"stirred,omitempty"` // something changed
	Busy    bool `json:"busy,omitempty"`    // something was still changing or moving
	Drawn   bool `json:"drawn,omitempty"`   // a canvas or video shows something else, or may do so

	Unfinished bool `json:"unfinished,omitempty"` // with Calm.Fresh: the document shows nothing, or says that it is loading

	// With Calm.Walk:
	Still bool  `json:"still,omitempty"` // nothing changed since the call came to the page
	Tree  *Tree `json:"tree,omitempty"`
	Transients
}

// Transients are the words of live regions that came and went since the last time.
type Transients struct {
	Gone []TransientText `json:"gone,omitempty"`
}

// TransientText is what a live region said: role status or alert.
type TransientText struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// WatchAct notes from now on what changes, as set off by an act.
func (f Frame) WatchAct(ctx context.Context, q ActWatch) error { return f.call(ctx, "arm", q, nil) }

// WaitStable waits in the page until what the act changes has changed.
func (f Frame) WaitStable(ctx context.Context, q StableQuery) (Stability, error) {
	var c Stability
	err := f.call(ctx, "calm", q, &c)
	return c, err
}

// Transients ends the wait for an act, and says what came and went.
func (f Frame) Transients(ctx context.Context) (Transients, error) {
	var p Transients
	err := f.call(ctx, "passed", struct{}{}, &p)
	return p, err
}
