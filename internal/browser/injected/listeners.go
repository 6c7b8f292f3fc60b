package injected

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// pointing are the events whose listeners make an element a control. Elements that
// listen to keys usually can have the focus, by which they are found.
var pointing = []string{"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart", "touchend"}

// ReactionEvents are all events whose listeners the world is told of: those, and others by
// which a page may react to an act.
var ReactionEvents = slices.Concat(pointing, []string{
	"contextmenu", "keydown", "keyup", "keypress", "beforeinput", "input", "change", "submit", "drop", "dragend",
	"mouseover", "mouseenter", "mousemove", "pointerover", "pointerenter", "pointermove",
})

// ListenerCache keeps what is needed to read the listeners of one document
// again. The zero value is ready for use. It must not be used concurrently.
type ListenerCache struct {
	document string // remote object
	window   string // the same
	known    map[listener]bool
}

type listener struct {
	Type string `json:"type"`
	Node int64  `json:"backendNodeId"`
}

const heedAtOnce = 500 // listeners that are passed to the world in one call

// Listeners are the listeners of a document: the answer to ListenersMethod.
type Listeners struct {
	Listeners []listener `json:"listeners"`
}

// ListenersMethod is the protocol's method for ListenerCache.Query.
const ListenersMethod = "DOMDebugger.getEventListeners"

// Query returns the parameters of ListenersMethod, for callers that send without
// waiting; StoreListeners takes the answer. ok is false before the first
// SyncListeners.
func (e *ListenerCache) Query() (params any, ok bool) {
	return map[string]any{"objectId": e.document, "depth": -1, "pierce": true}, e.document != ""
}

// NewListeners counts the listeners that were new to the world.
type NewListeners struct {
	All      int
	Controls int // elements that became controls by them, and were none before
}

// SyncListeners informs the world on which elements scripts listen: an element
// with a listener for the pointer is a control. Each listener of a document is
// passed once.
func (f Frame) SyncListeners(ctx context.Context, e *ListenerCache) (NewListeners, error) {
	if err := f.objects(ctx, e); err != nil || e.document == "" {
		return NewListeners{}, err
	}
	var all, above Listeners
	var missed, missedAbove error
	var asking sync.WaitGroup
	asking.Go(func() {
		if missedAbove = f.Session.Call(ctx, ListenersMethod, map[string]any{"objectId": e.window}, &above); missedAbove == nil {
			missedAbove = f.tellWindow(above)
		}
	})
	params, _ := e.Query()
	missed = f.Session.Call(ctx, ListenersMethod, params, &all)
	asking.Wait()
	if err := errors.Join(missed, missedAbove); err != nil {
		return NewListeners{}, fmt.Errorf("cannot read listeners: %w", err)
	}
	return f.StoreListeners(ctx, e, all)
}

// objects finds the document and the window of a cache that is new.
func (f Frame) objects(ctx context.Context, e *ListenerCache) (err error) {
	if e.document != "" {
		return nil
	}
	var window string
	var missed error
	var asking sync.WaitGroup
	asking.Go(func() { window, missed = f.object(ctx, "window") })
	document, err := f.object(ctx, "document")
	asking.Wait()
	if err = errors.Join(err, missed); err == nil {
		e.SetObjects(document, window)
	}
	return err
}

// SetObjects sets the two objects of a cache that is new, which ObjectMethod returned.
func (e *ListenerCache) SetObjects(document, window string) {
	if e.document == "" && document != "" && window != "" {
		e.document, e.window, e.known = document, window, map[listener]bool{}
	}
}

// heard are the events for which one node has listeners.
type heard struct {
	Kinds  []string `json:"kinds"`
	Points bool     `json:"points"` // one of them is for the pointer
}

// StoreListeners is SyncListeners with listeners that were already read.
func (f Frame) StoreListeners(ctx context.Context, e *ListenerCache, all Listeners) (news NewListeners, err error) {
	nodes := map[int64]heard{}
	for _, l := range all.Listeners {
		if l.Node == 0 || e.known[l] || !slices.Contains(ReactionEvents, l.Type) {
			continue
		}
		if news.All == heedAtOnce {
			break
		}
		news.All++
		e.known[l] = true
		points, on := slices.Contains(pointing, l.Type), nodes[l.Node]
		nodes[l.Node] = heard{append(on.Kinds, l.Type), on.Points || points}
	}
	news.Controls, err = f.tell(ctx, nodes)
	return news, err
}

// tellWindow passes the kinds of events that the window listens to to the world.
func (f Frame) tellWindow(above Listeners) error {
	var kinds []string
	for _, l := range above.Listeners {
		if slices.Contains(ReactionEvents, l.Type) && !slices.Contains(kinds, l.Type) {
			kinds = append(kinds, l.Type)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	params, err := f.Request("markWindow", kinds)
	if err == nil {
		f.Session.Post("Runtime.callFunctionOn", params)
	}
	return err
}

// ObjectMethod is the protocol's method for ObjectQuery.
const ObjectMethod = "Runtime.evaluate"

// ObjectQuery returns the parameters of ObjectMethod for the document or the window as an
// object of the page's own world, for callers that send without waiting. No script of
// the page can replace them (HTML standard, LegacyUnforgeable). With an object of our
// world, Chromium 156 damages the nodes that it reports, and the renderer crashes later.
func (f Frame) ObjectQuery(name string) any {
	return map[string]any{"expression": name, "uniqueContextId": f.Page, "silent": true}
}

// Object is the answer of ObjectMethod.
type Object struct {
	Result struct {
		Object string `json:"objectId"`
	} `json:"result"`
}

// object returns the document or the window.
func (f Frame) object(ctx context.Context, name string) (string, error) {
	var o Object
	if err := f.Session.Call(ctx, ObjectMethod, f.ObjectQuery(name), &o); err != nil {
		return "", fmt.Errorf("cannot reach the %s: %w", name, err)
	}
	return o.Result.Object, nil
}

// actAlone are the classes of elements that are controls, or no elements to act on,
// whether or not scripts listen on them.
var actAlone = map[string]bool{
	"HTMLButtonElement": true, "HTMLInputElement": true, "HTMLSelectElement": true, "HTMLTextAreaElement": true,
	"HTMLDocument": true, "XMLDocument": true, "ShadowRoot": true,
}

// tell passes nodes, and the events for which they have listeners, to the
// world. Nodes that are gone are left out. It returns how many became controls.
// It waits for the world only if there may be some.
func (f Frame) tell(ctx context.Context, nodes map[int64]heard) (became int, err error) {
	var mu sync.Mutex
	var asking sync.WaitGroup
	var objects []argument
	var told []heard
	asks := false
	for node, on := range nodes {
		asking.Go(func() {
			object, err := f.remote().resolved(ctx, node)
			if err != nil || object.ID == "" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			objects, told = append(objects, argument{Object: object.ID}), append(told, on)
			asks = asks || on.Points && !actAlone[object.Class]
		})
	}
	asking.Wait()
	for _, o := range objects {
		defer f.remote().release(o.Object)
	}
	if len(objects) == 0 || ctx.Err() != nil {
		return 0, ctx.Err()
	}
	arg, err := json.Marshal(told)
	if err != nil {
		return 0, fmt.Errorf("cannot encode listeners: %w", err)
	}
	const mark = "function (all, ...nodes) { return __glovebox.run('markListening', all, ...nodes) }"
	args := append([]argument{{Value: string(arg)}}, objects...)
	if !asks {
		f.remote().post(objects[0].Object, mark, args)
		return 0, nil
	}
	err = f.remote().on(ctx, objects[0].Object, mark, args, &became)
	return became, err
}
