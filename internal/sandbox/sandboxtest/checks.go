package sandboxtest

import (
	"io"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// freeze freezes a box and checks that its health shows that. It returns nil when the
// driver never freezes boxes.
func freeze(t *testing.T, box sandbox.Box) <-chan struct{} {
	t.Helper()
	thawed, err := box.Freeze(testwait.Context(t))
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
	h, err := box.Health(testwait.Context(t))
	if err != nil || h.Phase != "ready" || !h.Browser.Running || h.Frozen != want {
		t.Errorf("frozen is %t, want %t; health %+v, %v", h.Frozen, want, h, err)
	}
}

func wantThawed(t *testing.T, box sandbox.Box, thawed <-chan struct{}) {
	t.Helper()
	select {
	case <-thawed:
	case <-testwait.Context(t).Done():
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
	if err := box.Thaw(testwait.Context(t)); err != nil {
		t.Errorf("a box that runs cannot be thawed: %v", err)
	}
	stream := connect(t, box)
	wantVersion(t, stream)
	for name, thaw := range map[string]func(){
		"a message":        func() { wantVersion(t, stream) },
		"Thaw":             func() { fatalOn(t, box.Thaw(testwait.Context(t))) },
		"a new connection": func() { stream = connect(t, box) },
	} {
		thawed := freeze(t, box)
		if thawed == nil {
			t.Skip("the driver never freezes boxes")
		}
		if again := freeze(t, box); again != thawed {
			t.Errorf("before %s: frozen twice", name)
		}
		at, err := box.Put(testwait.Context(t), "while it is frozen", nil)
		fatalOn(t, err)
		fatalOn(t, box.Remove(testwait.Context(t), at))
		wantFrozen(t, box, true)
		thaw()
		wantThawed(t, box, thawed)
		wantVersion(t, stream)
	}
	freeze(t, box)
	stop(t, driver, spec.ID)
	waitEnded(t, box)
	wantEmpty(t, driver)
	if _, err := box.Freeze(testwait.Context(t)); err == nil {
		t.Error("a stopped box is frozen")
	}
}

// checkFrozenAttach attaches to one frozen box from the next process and stops another.
func checkFrozenAttach(t *testing.T, instance func(*testing.T) Open) {
	open := instance(t)
	driver, leave := open(t)
	attached, stopped := Spec("alice"), Spec("bob")
	for _, spec := range []sandbox.Spec{attached, stopped} {
		box := start(t, driver, spec)
		wantVersion(t, connect(t, box))
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
	box, err := driver.Attach(testwait.Context(t), attached.ID, newEgressLog().serve)
	if err != nil {
		t.Fatalf("cannot attach to a frozen box: %v", err)
	}
	wantVersion(t, connect(t, box))
	wantFrozen(t, box, false)
	stop(t, driver, stopped.ID)
	stop(t, driver, attached.ID)
	wantEmpty(t, driver)
}

func fatalOn(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkProfile starts boxes with a profile, with an unreadable profile, and without one.
func checkProfile(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	broken := Spec("alice")
	broken.Profile = func(io.Writer) error { return fault.New(fault.NotFound, "it is gone").Hinted("create it") }
	if _, err := driver.Start(t.Context(), broken); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a profile that cannot be read: %v", err)
	}
	wantEmpty(t, driver)

	keeping := Spec("alice")
	keeping.Profile = func(io.Writer) error { return nil }
	box := start(t, driver, keeping)
	wantVersion(t, connect(t, box))
	for range 2 {
		readProfile(t, box)
	}
	stop(t, driver, keeping.ID)

	plain := Spec("alice")
	box = start(t, driver, plain)
	if _, err := box.Profile(t.Context()); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("a box without a profile: %v", err)
	}
	wantVersion(t, connect(t, box))
	stop(t, driver, plain.ID)
}

func readProfile(t *testing.T, box sandbox.Box) {
	t.Helper()
	files, err := box.Profile(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	if _, err := io.Copy(io.Discard, files); err != nil {
		t.Error(err)
	}
}
