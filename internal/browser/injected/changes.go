package injected

import "context"

// Arming begins the wait for an act: on an element, or on none.
type Arming struct {
	Node int `json:"node,omitempty"`
}

// Calm says how long what an act set off is waited for.
type Calm struct {
	Late  int      `json:"late,omitempty"`  // ms that it may take to begin
	Kinds []string `json:"kinds,omitempty"` // if there are any: only where the page listens to one of these where it reaches Arming.Node
	Most  int      `json:"most,omitempty"`  // ms in all; 500 when 0
	Walk  *Walk    `json:"walk,omitempty"`  // read the frame as soon as it is calm
	Fresh bool     `json:"fresh,omitempty"` // the document has just loaded: its first change is waited for where it has scripts
}

// Calmed says what came of an act.
type Calmed struct {
	Stirred bool `json:"stirred,omitempty"` // something changed
	Busy    bool `json:"busy,omitempty"`    // something was still changing or moving
	Drawn   bool `json:"drawn,omitempty"`   // a canvas or video shows something else, or may do so

	Unfinished bool `json:"unfinished,omitempty"` // with Calm.Fresh: the document shows nothing, or says that it is loading

	// With Calm.Walk:
	Still bool  `json:"still,omitempty"` // nothing changed since the call came to the page
	Tree  *Tree `json:"tree,omitempty"`
	Passed
}

// Passed are the words of live regions that came and went since the last time.
type Passed struct {
	Gone []Passing `json:"gone,omitempty"`
}

// Passing is what a live region said: role status or alert.
type Passing struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Arm notes from now on what changes, as set off by an act.
func (f Frame) Arm(ctx context.Context, q Arming) error { return f.call(ctx, "arm", q, nil) }

// Calm waits in the page until what the act changes has changed.
func (f Frame) Calm(ctx context.Context, q Calm) (Calmed, error) {
	var c Calmed
	err := f.call(ctx, "calm", q, &c)
	return c, err
}

// Passed ends the wait for an act, and says what came and went.
func (f Frame) Passed(ctx context.Context) (Passed, error) {
	var p Passed
	err := f.call(ctx, "passed", struct{}{}, &p)
	return p, err
}
