package injected

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// pointing are the events by which a script makes a control of an element. There
// are keys, too, but what listens to those can be focused as a rule.
var pointing = []string{"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart", "touchend"}

// Heeded are all events that the world is told of: those, and what else a page
// may answer to an act.
var Heeded = slices.Concat(pointing, []string{
	"contextmenu", "keydown", "keyup", "keypress", "beforeinput", "input", "change", "submit", "drop", "dragend",
	"mouseover", "mouseenter", "mousemove", "pointerover", "pointerenter", "pointermove",
})

// ListenerCache are how the listeners of one document are asked for again and again. The
// zero Ears is ready; it is for one document and one caller at a time.
type ListenerCache struct {
	document string // remote object
	known    map[listener]bool
}

type listener struct {
	Type string `json:"type"`
	Node int64  `json:"backendNodeId"`
}

const heedAtOnce = 500 // listeners that the world is told of in one reading

// Listeners are what scripts of a document listen on: the answer to ListenersMethod.
type Listeners struct {
	Listeners []listener `json:"listeners"`
}

// ListenersMethod is the protocol's call for what Ears.Asking asks.
const ListenersMethod = "DOMDebugger.getEventListeners"

// Query returns the parameters of ListenersMethod, for callers who send without
// waiting; Heard then takes what comes back. ok is false where Heed was not
// called before.
func (e *ListenerCache) Query() (params any, ok bool) {
	return map[string]any{"objectId": e.document, "depth": -1, "pierce": true}, e.document != ""
}

// NewListeners are listeners that the world was not told of before.
type NewListeners struct {
	Controls int // of elements that are controls by them
	Others   int
}

// SyncListeners tells the world what scripts listen on: elements that one listens on for
// the pointer are controls without saying so. Each listener is told of once in
// the life of the document.
func (f Frame) SyncListeners(ctx context.Context, e *ListenerCache) (NewListeners, error) {
	if e.document == "" {
		object, err := f.documentObject(ctx)
		if err != nil || object == "" {
			return NewListeners{}, err
		}
		e.document, e.known = object, map[listener]bool{}
	}
	var all Listeners
	params, _ := e.Query()
	if err := f.Session.Call(ctx, ListenersMethod, params, &all); err != nil {
		return NewListeners{}, fmt.Errorf("cannot read listeners: %w", err)
	}
	return f.StoreListeners(ctx, e, all)
}

// heard is what scripts listen to on one node.
type heard struct {
	Kinds  []string `json:"kinds"`
	Points bool     `json:"points"` // one of them is pointing
}

// StoreListeners is Heed with listeners that were asked for.
func (f Frame) StoreListeners(ctx context.Context, e *ListenerCache, all Listeners) (news NewListeners, err error) {
	nodes := map[int64]heard{}
	for _, l := range all.Listeners {
		if l.Node == 0 || e.known[l] || !slices.Contains(Heeded, l.Type) {
			continue
		}
		if news.Controls+news.Others == heedAtOnce {
			break
		}
		e.known[l] = true
		points, on := slices.Contains(pointing, l.Type), nodes[l.Node]
		nodes[l.Node] = heard{append(on.Kinds, l.Type), on.Points || points}
		if points {
			news.Controls++
		} else {
			news.Others++
		}
	}
	return news, f.tell(ctx, nodes)
}

// documentObject returns the document as the page's own world has it. No script
// of the page can put something else in its place (HTML standard, LegacyUnforgeable).
// Asked for listeners by an object of our world, the browser (Chromium 156)
// spoils nodes that it tells of, and its renderer crashes later.
func (f Frame) documentObject(ctx context.Context) (string, error) {
	var r struct {
		Result struct {
			Object string `json:"objectId"`
		} `json:"result"`
	}
	params := map[string]any{"expression": "document", "uniqueContextId": f.Page, "silent": true}
	if err := f.Session.Call(ctx, "Runtime.evaluate", params, &r); err != nil {
		return "", fmt.Errorf("cannot reach the document: %w", err)
	}
	return r.Result.Object, nil
}

// tell hands nodes to the world, with the events that are listened to on them.
// One that is gone by now is left out.
func (f Frame) tell(ctx context.Context, nodes map[int64]heard) error {
	var mu sync.Mutex
	var asking sync.WaitGroup
	var objects []argument
	var told []heard
	for node, on := range nodes {
		asking.Go(func() {
			object, err := f.resolve(ctx, node)
			if err != nil || object == "" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			objects, told = append(objects, argument{Object: object}), append(told, on)
		})
	}
	asking.Wait()
	for _, o := range objects {
		defer f.release(o.Object)
	}
	if len(objects) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	arg, err := json.Marshal(told)
	if err != nil {
		return fmt.Errorf("cannot encode listeners: %w", err)
	}
	const heed = "function (all, ...nodes) { return __glovebox.run('markListening', all, ...nodes) }"
	return f.on(ctx, objects[0].Object, heed, append([]argument{{Value: string(arg)}}, objects...), nil)
}
