package injected

import (
	"context"
	"fmt"
)

// remoteObjects refers to elements of a frame by the protocol's remote objects. Each
// object that it returns must be released.
type remoteObjects struct{ Frame }

func (f Frame) remote() remoteObjects { return remoteObjects{f} }

// object returns the remote object of a numbered element; empty when the
// element is gone.
func (r remoteObjects) object(ctx context.Context, number int) (string, error) {
	object, err := r.held(ctx, "n => __glovebox.element(n)", argument{Value: number})
	if err != nil {
		return "", fmt.Errorf("cannot reach an element: %w", err)
	}
	return object, nil
}

// held returns the remote object that a function of our world returns.
func (r remoteObjects) held(ctx context.Context, function string, arguments ...argument) (string, error) {
	p := callParams{Declaration: function, Arguments: arguments, UniqueContext: r.Unique}
	if r.Unique == "" {
		p.Context = r.Context
	}
	var answer struct {
		Result struct {
			Object string `json:"objectId"`
		} `json:"result"`
	}
	err := r.Session.Call(ctx, "Runtime.callFunctionOn", p, &answer)
	return answer.Result.Object, err
}

// backendOf returns the DOM domain's id of a node.
func (r remoteObjects) backendOf(ctx context.Context, object string) (int64, error) {
	var d struct {
		Node struct {
			Backend int64 `json:"backendNodeId"`
		} `json:"node"`
	}
	err := r.Session.Call(ctx, "DOM.describeNode", map[string]any{"objectId": object}, &d)
	return d.Node.Backend, err
}

func (r remoteObjects) resolve(ctx context.Context, backendNode int64) (string, error) {
	var answer struct {
		Object struct {
			ID string `json:"objectId"`
		} `json:"object"`
	}
	params := map[string]any{"backendNodeId": backendNode, "executionContextId": r.Context}
	if err := r.Session.Call(ctx, "DOM.resolveNode", params, &answer); err != nil {
		return "", fmt.Errorf("cannot reach a node: %w", err)
	}
	return answer.Object.ID, nil
}

func (r remoteObjects) on(ctx context.Context, object, declaration string, args []argument, result any) error {
	p := callParams{Declaration: declaration, Arguments: args, Object: object, ReturnByValue: true, AwaitPromise: true}
	var a Answer
	if err := r.Session.Call(ctx, "Runtime.callFunctionOn", p, &a); err != nil {
		return fmt.Errorf("cannot call a function in the page: %w", err)
	}
	return a.Decode(result)
}

// release releases a remote object. If it fails, the document is gone, and the
// object with it.
func (r remoteObjects) release(object string) {
	r.Session.Post("Runtime.releaseObject", map[string]string{"objectId": object})
}
