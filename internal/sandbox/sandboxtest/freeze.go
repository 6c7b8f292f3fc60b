package sandboxtest

import (
	"context"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Freeze marks a box as frozen (sandbox.Box).
func (b *box) Freeze(context.Context) (<-chan struct{}, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.machine.err != nil {
		return nil, b.machine.err
	}
	if b.machine.thawed == nil {
		b.machine.thawed = make(chan struct{})
	}
	return b.machine.thawed, nil
}

// Thaw resumes a frozen box (sandbox.Box).
func (b *box) Thaw(context.Context) error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.machine.err != nil {
		return b.machine.err
	}
	b.machine.thaw()
	return nil
}

// thaw resumes the box. The caller must hold the engine's mu.
func (m *machine) thaw() {
	if m.thawed != nil {
		close(m.thawed)
		m.thawed = nil
	}
}

// Write thaws a frozen box and sends the message.
func (s *stream) Write(message []byte) error {
	s.engine.mu.Lock()
	s.machine.thaw()
	s.engine.mu.Unlock()
	return s.Stream.Write(message)
}

// Frozen reports whether a box is frozen.
func (e *Engine) Frozen(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.boxes[id]
	return m != nil && m.thawed != nil
}

// freeze freezes a box and checks that its health shows that. It returns nil when the
// driver never freezes boxes.
func freeze(t *testing.T, box sandbox.Box) <-chan struct{} {
	t.Helper()
	thawed, err := box.Freeze(bounded(t))
	if fault.CodeOf(err) == fault.ProviderNotSupported {
		return nil
	}
	if err != nil {
		t.Fatalf("cannot freeze: %v", err)
	}
	wantFrozen(t, box, true)
	select {
	case <-thawed:
		t.Fatal("the box is thawed at once")
	default:
	}
	return thawed
}

func wantFrozen(t *testing.T, box sandbox.Box, want bool) {
	t.Helper()
	h, err := box.Health(bounded(t))
	if err != nil || h.Phase != "ready" || !h.Browser.Running || h.Frozen != want {
		t.Errorf("frozen is %t, want %t; health %+v, %v", h.Frozen, want, h, err)
	}
}

func wantThawed(t *testing.T, box sandbox.Box, thawed <-chan struct{}) {
	t.Helper()
	select {
	case <-thawed:
	case <-bounded(t).Done():
		t.Fatal("thawed is not closed")
	}
	wantFrozen(t, box, false)
}

// checkFreeze freezes a box and thaws it in every way.
func checkFreeze(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	box := start(t, driver, spec)
	if err := box.Thaw(bounded(t)); err != nil {
		t.Errorf("a box that runs cannot be thawed: %v", err)
	}
	stream := connect(t, box)
	version(t, stream)
	for name, thaw := range map[string]func(){
		"a message":        func() { version(t, stream) },
		"Thaw":             func() { must(t, box.Thaw(bounded(t))) },
		"a new connection": func() { stream = connect(t, box) },
	} {
		thawed := freeze(t, box)
		if thawed == nil {
			t.Skip("the driver never freezes boxes")
		}
		if again := freeze(t, box); again != thawed {
			t.Errorf("before %s: frozen twice", name)
		}
		at, err := box.Put(bounded(t), "while it is frozen", nil)
		must(t, err)
		must(t, box.Remove(bounded(t), at))
		wantFrozen(t, box, true)
		thaw()
		wantThawed(t, box, thawed)
		version(t, stream)
	}
	freeze(t, box)
	stop(t, driver, spec.ID)
	gone(t, box)
	wantEmpty(t, driver)
	if _, err := box.Freeze(bounded(t)); err == nil {
		t.Error("a stopped box is frozen")
	}
}

// checkFrozenAttach attaches to one frozen box from the next process and stops another.
func checkFrozenAttach(t *testing.T, instance func(*testing.T) Open) {
	open := instance(t)
	driver, leave := open(t)
	kept, left := Spec("alice"), Spec("bob")
	for _, spec := range []sandbox.Spec{kept, left} {
		box := start(t, driver, spec)
		version(t, connect(t, box))
		if freeze(t, box) == nil {
			stop(t, driver, spec.ID)
		}
	}
	leave()

	driver, leave = open(t)
	defer leave()
	if len(list(t, driver)) == 0 {
		t.Skip("the driver never freezes boxes")
	}
	for _, info := range list(t, driver) {
		if info.State != "running" {
			t.Errorf("a frozen box is listed as %s", info.State)
		}
	}
	box, err := driver.Attach(bounded(t), kept.ID, newLog().take)
	if err != nil {
		t.Fatalf("cannot attach to a frozen box: %v", err)
	}
	version(t, connect(t, box))
	wantFrozen(t, box, false)
	stop(t, driver, left.ID)
	stop(t, driver, kept.ID)
	wantEmpty(t, driver)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
