package inpage

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Arming begins the wait for an act: on an element, or on none.
type Arming struct {
	Node int `json:"node,omitempty"`
}

// Calm says how long what an act set off is waited for.
type Calm struct {
	Late int   `json:"late,omitempty"` // ms that it may take to begin
	Most int   `json:"most,omitempty"` // ms in all; 500 when 0
	Walk *Walk `json:"walk,omitempty"` // read the frame as soon as it is calm, and end the wait as Passed does
}

// Calmed says what came of an act.
type Calmed struct {
	Stirred bool `json:"stirred,omitempty"` // something changed
	Busy    bool `json:"busy,omitempty"`    // something was still changing

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

// WayGroup is the group of the objects that Listening has the browser hold; who
// asks lets go of it (Runtime.releaseObjectGroup).
const WayGroup = "glovebox-way"

// Listening reports whether the page listens to one of some kinds of events
// where they reach an element. What listens at the window is not known.
func (f Frame) Listening(ctx context.Context, node int, kinds []string) (bool, error) {
	way, err := f.way(ctx, node)
	if err != nil || len(way) == 0 {
		return false, err
	}
	var asking sync.WaitGroup
	heard, errs := make([]bool, len(way)), make([]error, len(way))
	for i, object := range way {
		asking.Go(func() { heard[i], errs[i] = f.heard(ctx, object, kinds) })
	}
	asking.Wait()
	return slices.Contains(heard, true), errors.Join(errs...)
}

// way returns the objects of what an event for an element passes.
func (f Frame) way(ctx context.Context, node int) ([]string, error) {
	params := map[string]any{
		"functionDeclaration": "node => __glovebox.way(node)", "arguments": []argument{{Value: node}},
		"uniqueContextId": f.Unique, "objectGroup": WayGroup,
	}
	var list struct {
		Result struct {
			Object string `json:"objectId"`
		} `json:"result"`
	}
	if err := f.Session.Call(ctx, "Runtime.callFunctionOn", params, &list); err != nil {
		return nil, err
	}
	var all struct {
		Result []struct {
			Value struct {
				Object string `json:"objectId"`
			} `json:"value"`
		} `json:"result"`
	}
	if err := f.Session.Call(ctx, "Runtime.getProperties", map[string]any{"objectId": list.Result.Object, "ownProperties": true}, &all); err != nil {
		return nil, err
	}
	var way []string
	for _, p := range all.Result {
		if p.Value.Object != "" {
			way = append(way, p.Value.Object)
		}
	}
	return way, nil
}

// heard reports whether the page listens to some kinds of events on a node
// (DOMDebugger.getEventListeners).
func (f Frame) heard(ctx context.Context, object string, kinds []string) (bool, error) {
	theirs, err := f.asThePageHas(ctx, object, WayGroup)
	if err != nil {
		return false, err
	}
	var found struct {
		Listeners []struct {
			Type string `json:"type"`
		} `json:"listeners"`
	}
	err = f.Session.Call(ctx, "DOMDebugger.getEventListeners", map[string]any{"objectId": theirs, "depth": 1}, &found)
	for _, l := range found.Listeners {
		if slices.Contains(kinds, l.Type) {
			return true, err
		}
	}
	return false, err
}
