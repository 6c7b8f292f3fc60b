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

// remoteObject is an object of our world (CDP Runtime.RemoteObject).
type remoteObject struct {
	ID    string `json:"objectId"`
	Class string `json:"className"` // such as HTMLButtonElement
}

// resolve returns the remote object of a node of the DOM domain.
func (r remoteObjects) resolve(ctx context.Context, backendNode int64) (string, error) {
	object, err := r.resolved(ctx, backendNode)
	return object.ID, err
}

func (r remoteObjects) resolved(ctx context.Context, backendNode int64) (remoteObject, error) {
	var answer struct {
		Object remoteObject `json:"object"`
	}
	params := map[string]any{"backendNodeId": backendNode, "executionContextId": r.Context}
	if err := r.Session.Call(ctx, "DOM.resolveNode", params, &answer); err != nil {
		return remoteObject{}, fmt.Errorf("cannot reach a node: %w", err)
	}
	return answer.Object, nil
}

func callOn(object, declaration string, args []argument) callParams {
	return callParams{Declaration: declaration, Arguments: args, Object: object, ReturnByValue: true, AwaitPromise: true}
}

// post is on without waiting for the answer.
func (r remoteObjects) post(object, declaration string, args []argument) {
	r.Session.Post("Runtime.callFunctionOn", callOn(object, declaration, args))
}

func (r remoteObjects) on(ctx context.Context, object, declaration string, args []argument, result any) error {
	var a Answer
	if err := r.Session.Call(ctx, "Runtime.callFunctionOn", callOn(object, declaration, args), &a); err != nil {
		return fmt.Errorf("cannot call a function in the page: %w", err)
	}
	return a.Decode(result)
}

// release releases a remote object. If it fails, the document is gone, and the
// object with it.
func (r remoteObjects) release(object string) {
	r.Session.Post("Runtime.releaseObject", map[string]string{"objectId": object})
}
