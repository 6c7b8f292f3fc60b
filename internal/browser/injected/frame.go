package injected

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Caller is the protocol session of the target that contains the frame.
type Caller interface {
	Call(ctx context.Context, method string, params, result any) error
	Post(method string, params any) // without waiting for an answer
}

// Frame is the isolated world of one document. It is a plain value. After the
// document is replaced, calls fail with the browser's error (no such context).
type Frame struct {
	Session Caller
	Context int64  // executionContextId of the world
	Unique  string // uniqueId of the world: never reused, unlike Context
	Page    string // the same of the page's own world
}

// Request returns a call of a function of the world, as parameters of
// Runtime.callFunctionOn. It is for callers that send without waiting. Answer
// decodes the result.
func (f Frame) Request(function string, arg any) (any, error) {
	raw, err := json.Marshal(arg)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the argument of %s: %w", function, err)
	}
	p := callParams{
		Declaration:   runDeclaration,
		Arguments:     []argument{{Value: function}, {Value: string(raw)}},
		ReturnByValue: true,
		AwaitPromise:  true,
		UniqueContext: f.Unique,
	}
	if f.Unique == "" {
		p.Context = f.Context
	}
	return p, nil
}

const runDeclaration = "(name, arg) => __glovebox.run(name, arg)"

type callParams struct {
	Declaration   string     `json:"functionDeclaration"`
	Arguments     []argument `json:"arguments,omitempty"`
	ReturnByValue bool       `json:"returnByValue,omitempty"`
	AwaitPromise  bool       `json:"awaitPromise,omitempty"`
	UniqueContext string     `json:"uniqueContextId,omitempty"`
	Context       int64      `json:"executionContextId,omitempty"`
	Object        string     `json:"objectId,omitempty"`
}

type argument struct {
	Value  any    `json:"value,omitempty"`
	Object string `json:"objectId,omitempty"`
}

// Answer is the result of Runtime.callFunctionOn for a Request.
type Answer struct {
	Result struct {
		Value string `json:"value"` // JSON text; an object by value costs several times more
	} `json:"result"`
	Exception *struct {
		Text   string `json:"text"`
		Object *struct {
			Description string `json:"description"`
		} `json:"exception"`
	} `json:"exceptionDetails"`
}

// Decode decodes the result of the function into result. An exception in the
// world is an internal fault with the exception as its cause.
func (a Answer) Decode(result any) error {
	if a.Exception != nil {
		text := a.Exception.Text
		if a.Exception.Object != nil {
			text = a.Exception.Object.Description
		}
		return fault.New(fault.Internal, "the page could not be read").
			Hinted("take a new snapshot, or reload the page").Because(errors.New(text))
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(a.Result.Value), result); err != nil {
		return fault.New(fault.Internal, "the page could not be read").
			Hinted("reload the page").Because(err)
	}
	return nil
}

func (f Frame) call(ctx context.Context, function string, arg, result any) error {
	params, err := f.Request(function, arg)
	if err != nil {
		return err
	}
	var a Answer
	if err := f.Session.Call(ctx, "Runtime.callFunctionOn", params, &a); err != nil {
		return fmt.Errorf("cannot call %s in the page: %w", function, err)
	}
	return a.Decode(result)
}

// ask calls a function of the script and returns its answer.
func ask[Answer any](ctx context.Context, f Frame, function string, arg any) (answer Answer, err error) {
	err = f.call(ctx, function, arg, &answer)
	return answer, err
}

// Find looks for elements. It waits in the page, up to q.Wait, until there is
// a match. Fault: invalid_selector.
func (f Frame) Find(ctx context.Context, q Query) (Found, error) {
	var found Found
	if err := f.call(ctx, "find", q, &found); err != nil {
		return Found{}, err
	}
	return found, found.Fault()
}

// Texts returns the texts of elements, in their order; empty for one that is gone.
func (f Frame) Texts(ctx context.Context, q TextQuery) ([]string, error) {
	return ask[[]string](ctx, f, "elementTexts", q)
}

// Facts reads the facts about an element.
func (f Frame) Facts(ctx context.Context, node int) (Facts, error) {
	return ask[Facts](ctx, f, "facts", byNode{Node: node})
}

// Reacting returns the one control inside an element that reacts to a press on
// it, such as the link of a tab; Node is 0 where the element itself is meant.
func (f Frame) Reacting(ctx context.Context, node int) (Receiver, error) {
	return ask[Receiver](ctx, f, "reacting", byNode{Node: node})
}

// Idle returns how long the document has not changed.
func (f Frame) Idle(ctx context.Context) (Idleness, error) {
	return ask[Idleness](ctx, f, "idle", struct{}{})
}

// FactsShown is Facts for a caller that was shown the element
// (SnapshotOptions.Shown) and now names it. Was is set once if the element has
// become another one since then. With a choice, Options are the labels that
// OptionLabels returns for a select element.
func (f Frame) FactsShown(ctx context.Context, node int, c *Choice) (Facts, error) {
	return ask[Facts](ctx, f, "facts", byNode{Node: node, Shown: true, Choice: c})
}

// Ready verifies the pin, scrolls the element into view and returns the point
// to act on. It waits in the page, up to q.Wait, until the element is ready.
func (f Frame) Ready(ctx context.Context, q Pinned) (Readiness, error) {
	return ask[Readiness](ctx, f, "ready", q)
}

// Focus gives the element the focus. Its text is then selected or deleted, or
// the caret is at its end.
func (f Frame) Focus(ctx context.Context, q Focus) (Focused, error) {
	return ask[Focused](ctx, f, "focus", q)
}

// At returns the element that receives a point of the viewport.
func (f Frame) At(ctx context.Context, at Point) (Receiver, error) {
	return ask[Receiver](ctx, f, "at", at)
}

// WatchDrag starts to record what becomes of a drag, and reports whether the pointer must
// rest after the press.
func (f Frame) WatchDrag(ctx context.Context, q DragWatch) (rests bool, err error) {
	return ask[bool](ctx, f, "watchDrag", q)
}

// DragBegan says what became of a drag since WatchDrag; ends ends the recording.
func (f Frame) DragBegan(ctx context.Context, ends bool) (DragSigns, error) {
	return ask[DragSigns](ctx, f, "dragBegan", map[string]bool{"ends": ends})
}

// WatchPointer starts to record whether the pointer moves over the frame.
func (f Frame) WatchPointer(ctx context.Context) error {
	return f.call(ctx, "watchPointer", struct{}{}, nil)
}

// PointerCame reports whether the pointer moved over the frame since
// WatchPointer.
func (f Frame) PointerCame(ctx context.Context) (bool, error) {
	return ask[bool](ctx, f, "pointerCame", struct{}{})
}

// Active returns the element that receives keys. If it is the element of q, the
// frame then expects its key events.
func (f Frame) Active(ctx context.Context, q Pinned) (Active, error) {
	return ask[Active](ctx, f, "focused", q)
}

// RefusedAgo returns how many milliseconds ago the frame last refused input, nil if
// it refused none.
func (f Frame) RefusedAgo(ctx context.Context) (*float64, error) {
	return ask[*float64](ctx, f, "refusedAgo", struct{}{})
}

// OptionLabels returns the labels of the options that a choice would select, or
// of all options where it has no values.
func (f Frame) OptionLabels(ctx context.Context, q Choice) ([]string, error) {
	return ask[[]string](ctx, f, "optionLabels", q)
}

// Choose selects options of a select element.
func (f Frame) Choose(ctx context.Context, q Choice) (Chosen, error) {
	return ask[Chosen](ctx, f, "choose", q)
}

// Assign sets the value of a field with a format of its own.
func (f Frame) Assign(ctx context.Context, q Assignment) (Assigned, error) {
	return ask[Assigned](ctx, f, "assign", q)
}

// Insert inserts text of several lines into the element that has the focus, or goes on
// from a box of one character.
func (f Frame) Insert(ctx context.Context, q Insertion) (Inserted, error) {
	return ask[Inserted](ctx, f, "insert", q)
}

// Fill puts a secret into a field in one step, and removes it when the field no
// longer hides it.
func (f Frame) Fill(ctx context.Context, q FillQuery) (Filled, error) {
	return ask[Filled](ctx, f, "fill", q)
}

// Scroll scrolls the document or an element, and returns the new position.
func (f Frame) Scroll(ctx context.Context, q Scroll) (Scrolled, error) {
	return ask[Scrolled](ctx, f, "scroll", q)
}

// Text returns the visible text of the frame, at most 1 MiB, including closed
// shadow roots.
func (f Frame) Text(ctx context.Context) (Text, error) {
	var r Text
	err := f.read(ctx, "text", struct{}{}, &r)
	return r, err
}

// Wait waits in the page for conditions, up to c.Wait.
func (f Frame) Wait(ctx context.Context, c Conditions) (Waited, error) {
	var r Waited
	if err := f.call(ctx, "waitFor", c, &r); err != nil {
		return Waited{}, err
	}
	return r, Found{Error: r.Error, Message: r.Message}.Fault()
}

// Embedded returns the position of an iframe's viewport in that of its parent,
// and whether a point of it would reach the iframe.
func (f Frame) Embedded(ctx context.Context, q Embedded) (Embedding, error) {
	return ask[Embedding](ctx, f, "embedded", q)
}

// Snapshot reads the frame as a tree. Closed shadow roots are included after
// Pierce.
func (f Frame) Snapshot(ctx context.Context, q SnapshotOptions) (*Tree, error) {
	var t Tree
	if err := f.call(ctx, "snapshot", q, &t); err != nil {
		return nil, err
	}
	return &t, nil
}
