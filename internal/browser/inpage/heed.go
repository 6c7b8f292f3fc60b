package inpage

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// heeded are the events by which a script makes a control of an element. There
// are keys, too, but what listens to those can be focused as a rule.
var heeded = []string{"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart", "touchend"}

// Ears are how the listeners of one document are asked for again and again. The
// zero Ears is ready; it is for one document and one caller at a time.
type Ears struct {
	document string // remote object
	known    map[int64]bool
}

const heedAtOnce = 500 // elements that the world is told of in one reading

// Listeners are what scripts of a document listen on: the answer to ListenersMethod.
type Listeners struct {
	Listeners []struct {
		Type string `json:"type"`
		Node int64  `json:"backendNodeId"`
	} `json:"listeners"`
}

// ListenersMethod is the protocol's call for what Ears.Asking asks.
const ListenersMethod = "DOMDebugger.getEventListeners"

// Asking returns the parameters of ListenersMethod, for callers who send without
// waiting; Heard then takes what comes back. ok is false where Heed was not
// called before.
func (e *Ears) Asking() (params any, ok bool) {
	return map[string]any{"objectId": e.document, "depth": -1, "pierce": true}, e.document != ""
}

// Heed tells the world which elements scripts listen on for the pointer: they
// are controls without saying so. Each is told of once in the life of the
// document. It returns how many are new.
func (f Frame) Heed(ctx context.Context, e *Ears) (int, error) {
	if e.document == "" {
		object, err := f.documentObject(ctx)
		if err != nil || object == "" {
			return 0, err
		}
		e.document, e.known = object, map[int64]bool{}
	}
	var all Listeners
	params, _ := e.Asking()
	if err := f.Session.Call(ctx, ListenersMethod, params, &all); err != nil {
		return 0, fmt.Errorf("cannot read listeners: %w", err)
	}
	return f.Heard(ctx, e, all)
}

// Heard is Heed with listeners that were asked for.
func (f Frame) Heard(ctx context.Context, e *Ears, all Listeners) (int, error) {
	var news []int64
	for _, l := range all.Listeners {
		if len(news) < heedAtOnce && l.Node != 0 && !e.known[l.Node] && slices.Contains(heeded, l.Type) {
			e.known[l.Node] = true
			news = append(news, l.Node)
		}
	}
	return len(news), f.tell(ctx, news)
}

// To reports whether one of the listeners is to events of some kinds.
func (l Listeners) To(kinds []string) bool {
	for _, one := range l.Listeners {
		if slices.Contains(kinds, one.Type) {
			return true
		}
	}
	return false
}

// documentObject returns the document as the page's own world has it. No script
// of the page can put something else in its place (HTML standard, LegacyUnforgeable).
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

// asThePageHas returns a node of ours as the page's own world has it, in a group
// of objects. Asked for listeners by an object of our world, the browser
// (Chromium 156) spoils nodes that it tells of, and its renderer crashes later.
func (f Frame) asThePageHas(ctx context.Context, object, group string) (string, error) {
	node, err := f.backendOf(ctx, object)
	if err != nil {
		return "", fmt.Errorf("cannot describe a node: %w", err)
	}
	var theirs struct {
		Object struct {
			ID string `json:"objectId"`
		} `json:"object"`
	}
	if err := f.Session.Call(ctx, "DOM.resolveNode", map[string]any{"backendNodeId": node, "objectGroup": group}, &theirs); err != nil {
		return "", fmt.Errorf("cannot reach a node: %w", err)
	}
	return theirs.Object.ID, nil
}

// tell hands nodes to the world. One that is gone by now is left out.
func (f Frame) tell(ctx context.Context, nodes []int64) error {
	found := make([]string, len(nodes))
	var asking sync.WaitGroup
	for i, node := range nodes {
		asking.Go(func() { found[i], _ = f.resolve(ctx, node) })
	}
	asking.Wait()
	var objects []argument
	for _, object := range found {
		if object != "" {
			defer f.release(object)
			objects = append(objects, argument{Object: object})
		}
	}
	if len(objects) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	const heed = "function (...nodes) { return __glovebox.run('markListening', 'null', ...nodes) }"
	return f.on(ctx, objects[0].Object, heed, objects, nil)
}
