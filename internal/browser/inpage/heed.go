package inpage

import (
	"context"
	"fmt"
	"slices"
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

// Heed tells the world which elements scripts listen on for the pointer
// (DOMDebugger.getEventListeners): they are controls without saying so. Each
// is told of once in the life of the document.
func (f Frame) Heed(ctx context.Context, e *Ears) error {
	if e.document == "" {
		object, err := f.documentObject(ctx)
		if err != nil || object == "" {
			return err
		}
		e.document, e.known = object, map[int64]bool{}
	}
	var answer struct {
		Listeners []struct {
			Type string `json:"type"`
			Node int64  `json:"backendNodeId"`
		} `json:"listeners"`
	}
	params := map[string]any{"objectId": e.document, "depth": -1, "pierce": true}
	if err := f.Session.Call(ctx, "DOMDebugger.getEventListeners", params, &answer); err != nil {
		return fmt.Errorf("cannot read listeners: %w", err)
	}
	var news []int64
	for _, l := range answer.Listeners {
		if len(news) < heedAtOnce && l.Node != 0 && !e.known[l.Node] && slices.Contains(heeded, l.Type) {
			e.known[l.Node] = true
			news = append(news, l.Node)
		}
	}
	return f.tell(ctx, news)
}

// documentObject returns the document as the page's own world has it.
func (f Frame) documentObject(ctx context.Context) (string, error) {
	ours, err := f.held(ctx, "() => document")
	if err != nil {
		return "", fmt.Errorf("cannot reach the document: %w", err)
	}
	defer f.release(ctx, ours)
	return f.asThePageHas(ctx, ours, "")
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
	var objects []argument
	for _, node := range nodes {
		object, err := f.resolve(ctx, node)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && object != "" {
			defer f.release(ctx, object)
			objects = append(objects, argument{Object: object})
		}
	}
	if len(objects) == 0 {
		return nil
	}
	const heed = "function (...nodes) { return __glovebox.run('markListening', 'null', ...nodes) }"
	return f.on(ctx, objects[0].Object, heed, objects, nil)
}
