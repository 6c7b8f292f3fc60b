package stream

import (
	"context"
	"encoding/binary"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	queueLength = 1024 // events of a viewer that wait; a viewer who sends more waits
	maxBatch    = 256  // events in a call of the session
	maxTyped    = 4096 // bytes of a text that is typed
	maxWheel    = 100  // wheel clicks of an event
	releaseTime = 3 * time.Second
)

// task is an event of input, or a call of the session that keeps its place among
// them.
type task struct {
	input action.PersonInput
	event string                          // of call
	call  func(ctx context.Context) error // nil for input
}

// put adds a task. It waits while the queue is full, so that a viewer who sends
// faster than the session takes is slowed down and no event is lost.
func (v *viewer) put(t task) {
	select {
	case v.queue <- t:
	case <-v.ctx.Done():
	}
}

func (v *viewer) enqueue(events ...action.PersonInput) {
	for _, e := range events {
		v.put(task{input: e})
	}
}

// work carries out tasks in order, and releases what is still pressed at the end.
func (v *viewer) work() {
	held := heldInput{}
	defer held.release(v)
	for {
		var t task
		select {
		case t = <-v.queue:
		case <-v.ctx.Done():
			return
		}
		for next := (*task)(nil); ; t = *next {
			var batch []action.PersonInput
			if t.call == nil {
				batch, next = v.batch(t.input)
				v.sendInput(batch, held)
			} else {
				next = nil
				if t.event == eventControlRelease {
					held.release(v)
				}
				v.do(t)
			}
			if next == nil {
				break
			}
		}
	}
}

// batch collects the events that wait after the first one. It returns a task that
// is not input and comes after them, or nil. Of moves in a row it keeps the last.
func (v *viewer) batch(first action.PersonInput) ([]action.PersonInput, *task) {
	batch := []action.PersonInput{first}
	for len(batch) < maxBatch {
		select {
		case t := <-v.queue:
			if t.call != nil {
				return batch, &t
			}
			if last := len(batch) - 1; t.input.Kind == action.InputMove && batch[last].Kind == action.InputMove {
				batch[last] = t.input
			} else {
				batch = append(batch, t.input)
			}
		default:
			return batch, nil
		}
	}
	return batch, nil
}

func (v *viewer) sendInput(batch []action.PersonInput, held heldInput) {
	ctx, cancel := context.WithTimeout(v.ctx, v.server.limits.call)
	defer cancel()
	if err := v.view.Input(ctx, batch); err != nil {
		v.refuse("control", err)
		return
	}
	for _, e := range batch {
		held.note(e)
	}
}

func (v *viewer) do(t task) {
	ctx, cancel := context.WithTimeout(v.ctx, v.server.limits.call)
	defer cancel()
	if err := t.call(ctx); err != nil {
		v.refuse(t.event, err)
	}
}

// heldKey names a key, button or finger that is down.
type heldKey struct {
	kind string // of the event that releases it
	code uint32
}

// heldInput has what is down, with the event that releases it.
type heldInput map[heldKey]action.PersonInput

func (h heldInput) note(e action.PersonInput) {
	up := e
	switch e.Kind {
	case action.InputKeyDown, action.InputKeyUp:
		up.Kind = action.InputKeyUp
	case action.InputButtonDown, action.InputButtonUp:
		up.Kind = action.InputButtonUp
	case action.InputTouchDown, action.InputTouchMove, action.InputTouchUp:
		up.Kind = action.InputTouchUp
	default:
		return
	}
	key := heldKey{up.Kind, e.Keysym + uint32(e.Button) + uint32(e.Touch)} // one of them is set
	if e.Kind == up.Kind {
		delete(h, key)
	} else {
		h[key] = up
	}
}

// release releases everything, so that no key stays down when its viewer is gone.
func (h heldInput) release(v *viewer) {
	if len(h) == 0 {
		return
	}
	var events []action.PersonInput
	for key, e := range h {
		events = append(events, e)
		delete(h, key)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx), releaseTime)
	defer cancel()
	_ = v.view.Input(ctx, events) // the session may have ended
}

// within moves a coordinate into the picture.
func (v *viewer) within(x, y int) (int, int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return max(0, min(x, v.state.Width-1)), max(0, min(y, v.state.Height-1))
}

// control reads an event of input that came as JSON.
func (v *viewer) control(m message) error {
	var c controlPayload
	if err := read(m, &c); err != nil {
		return err
	}
	var pos action.PersonInput
	if c.X != nil && c.Y != nil {
		pos.X, pos.Y = v.within(*c.X, *c.Y)
		if m.Event != "control/move" && !strings.HasPrefix(m.Event, "control/touch") {
			v.enqueue(v.at([]action.PersonInput{{Kind: action.InputMove, X: pos.X, Y: pos.Y}})...)
		}
	} else if m.Event == "control/move" {
		return fault.New(fault.InvalidRequest, "a move has no x and y")
	}
	events, err := c.events(m.Event, pos)
	if err != nil {
		return err
	}
	v.enqueue(v.at(events)...)
	return nil
}

// at gives buttons and the wheel the position of the pointer.
func (v *viewer) at(events []action.PersonInput) []action.PersonInput {
	for i, e := range events {
		switch e.Kind {
		case action.InputMove:
			v.pointer.Store(uint64(uint32(e.X))<<32 | uint64(uint32(e.Y)))
		case action.InputButtonDown, action.InputButtonUp, action.InputScroll:
			p := v.pointer.Load()
			events[i].X, events[i].Y = int(p>>32), int(p&math.MaxUint32)
		}
	}
	return events
}

// buttons has the session's number of each button: Neko's clients count those of
// a mouse, X11 has the wheel among them.
var buttons = map[uint32]int{1: 1, 2: 2, 3: 3, 4: 8, 5: 9, 8: 8, 9: 9}

func button(code uint32) (int, error) {
	if b, known := buttons[code]; known {
		return b, nil
	}
	return 0, fault.New(fault.InvalidRequest, "there is no button %d", code)
}

// wheel makes an event of the wheel. Up and left are positive in the protocol, as
// in Neko; down and right are for the session.
func wheel(dx, dy int) []action.PersonInput {
	bound := func(n int) int { return max(-maxWheel, min(n, maxWheel)) }
	dx, dy = -bound(dx), -bound(dy)
	if dx == 0 && dy == 0 {
		return nil
	}
	return []action.PersonInput{{Kind: action.InputScroll, DX: dx, DY: dy}}
}

func (c controlPayload) events(event string, pos action.PersonInput) ([]action.PersonInput, error) {
	key := func(kinds ...string) (out []action.PersonInput, err error) {
		if c.Keysym == 0 {
			return nil, fault.New(fault.InvalidRequest, "a key has no keysym")
		}
		for _, kind := range kinds {
			out = append(out, action.PersonInput{Kind: kind, Keysym: c.Keysym})
		}
		return out, nil
	}
	press := func(kinds ...string) (out []action.PersonInput, err error) {
		b, err := button(c.Code)
		for _, kind := range kinds {
			out = append(out, action.PersonInput{Kind: kind, Button: b})
		}
		return out, err
	}
	touch := func(kind string) ([]action.PersonInput, error) {
		return []action.PersonInput{{Kind: kind, X: pos.X, Y: pos.Y, Touch: int(c.Touch % math.MaxInt16)}}, nil
	}
	switch event {
	case "control/move":
		return []action.PersonInput{{Kind: action.InputMove, X: pos.X, Y: pos.Y}}, nil
	case "control/scroll":
		return wheel(c.DeltaX, c.DeltaY), nil
	case "control/buttondown":
		return press(action.InputButtonDown)
	case "control/buttonup":
		return press(action.InputButtonUp)
	case "control/buttonpress":
		return press(action.InputButtonDown, action.InputButtonUp)
	case "control/keydown":
		return key(action.InputKeyDown)
	case "control/keyup":
		return key(action.InputKeyUp)
	case "control/keypress":
		return key(action.InputKeyDown, action.InputKeyUp)
	case "control/touchbegin":
		return touch(action.InputTouchDown)
	case "control/touchupdate":
		return touch(action.InputTouchMove)
	case "control/touchend":
		return touch(action.InputTouchUp)
	}
	return typed(c.Text)
}

func typed(text string) ([]action.PersonInput, error) {
	if len(text) > maxTyped || !utf8.ValidString(text) {
		return nil, fault.New(fault.InvalidRequest, "a typed text is longer than %d bytes, or no UTF-8", maxTyped).Hinted("paste it instead")
	}
	if text == "" {
		return nil, nil
	}
	return []action.PersonInput{{Kind: action.InputText, Text: text}}, nil
}

// Operations of the data channel.
const (
	opMove        = 1
	opScroll      = 2
	opKeyDown     = 3
	opKeyUp       = 4
	opButtonDown  = 5
	opButtonUp    = 6
	opPing        = 7
	opTouchBegin  = 8
	opTouchUpdate = 9
	opTouchEnd    = 10
	opText        = 32 // our own: UTF-8

	opPong = 3 // to the viewer

	headerLength = 3 // bytes: operation, length of the rest
)

// onData reads a message of the data channel, or a binary message of the WebSocket
// in the same form. It waits while the viewer sends too fast.
func (v *viewer) onData(data []byte) {
	if v.pace.Wait(v.ctx) != nil {
		return
	}
	events, err := v.decode(data)
	if err != nil {
		v.refuse("data", err)
		return
	}
	v.enqueue(v.at(events)...)
}

func (v *viewer) decode(data []byte) ([]action.PersonInput, error) {
	bad := fault.New(fault.InvalidRequest, "a message of the data channel is not valid").Hinted("docs/live.md has its form")
	if len(data) < headerLength || int(binary.BigEndian.Uint16(data[1:])) != len(data)-headerLength {
		return nil, bad
	}
	op, body := data[0], data[headerLength:]
	lengths := map[byte][]int{
		opMove: {4}, opScroll: {4, 5}, opKeyDown: {4}, opKeyUp: {4}, opButtonDown: {4}, opButtonUp: {4},
		opTouchBegin: {13}, opTouchUpdate: {13}, opTouchEnd: {13},
	}
	if op == opText {
		return typed(string(body))
	}
	allowed, known := lengths[op]
	if !known {
		return nil, nil // of a later version
	}
	if len(body) != allowed[0] && len(body) != allowed[len(allowed)-1] {
		return nil, bad
	}
	word := binary.BigEndian.Uint32(body)
	switch op {
	case opMove:
		x, y := v.within(int(word>>16), int(word&0xffff))
		return []action.PersonInput{{Kind: action.InputMove, X: x, Y: y}}, nil
	case opScroll:
		return wheel(int(int16(word>>16)), int(int16(word&0xffff))), nil
	case opKeyDown:
		return controlPayload{Keysym: word}.events("control/keydown", action.PersonInput{})
	case opKeyUp:
		return controlPayload{Keysym: word}.events("control/keyup", action.PersonInput{})
	case opButtonDown:
		return controlPayload{Code: word}.events("control/buttondown", action.PersonInput{})
	case opButtonUp:
		return controlPayload{Code: word}.events("control/buttonup", action.PersonInput{})
	}
	x, y := v.within(int(int32(binary.BigEndian.Uint32(body[4:]))), int(int32(binary.BigEndian.Uint32(body[8:]))))
	events := map[byte]string{opTouchBegin: "control/touchbegin", opTouchUpdate: "control/touchupdate", opTouchEnd: "control/touchend"}
	return controlPayload{Touch: word}.events(events[op], action.PersonInput{X: x, Y: y})
}

// pong answers a ping of the data channel: the viewer's time, and ours.
func pong(data []byte) ([]byte, bool) {
	if len(data) != headerLength+8 || data[0] != opPing {
		return nil, false
	}
	answer := append([]byte{opPong, 0, 16}, data[headerLength:]...)
	now := uint64(time.Now().UnixMilli())
	answer = binary.BigEndian.AppendUint32(answer, uint32(now/math.MaxUint32)) // as Neko splits it
	return binary.BigEndian.AppendUint32(answer, uint32(now%math.MaxUint32)), true
}
