package sandboxtest_test

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFakePassesSuite(t *testing.T) {
	engine := sandboxtest.NewEngine()
	sandboxtest.Run(t, func(*testing.T) sandboxtest.Open {
		instance := sandbox.NewID()
		return func(*testing.T) (sandbox.Driver, func()) { return engine.Driver(instance), func() {} }
	})
	if left := engine.Boxes(); len(left) > 0 {
		t.Errorf("the suite left %+v", left)
	}
}

func TestFakeFailsAtEachPhaseAndLeavesNothing(t *testing.T) {
	fake := sandboxtest.NewFake()
	for _, phase := range sandboxtest.Phases {
		cause := errors.New("out of order")
		fake.Engine().FailAt(phase, cause)
		_, err := fake.Start(t.Context(), sandboxtest.Spec("alice"))
		if fault.CodeOf(err) != fault.StartFailed || !errors.Is(err, cause) {
			t.Errorf("%s: %v", phase, err)
		}
		fake.Engine().FailAt(phase, nil)
		if left := fake.Engine().Boxes(); len(left) > 0 {
			t.Errorf("%s: left %+v", phase, left)
		}
	}
	fake.Engine().FailAt("create", fault.New(fault.SandboxRuntimeRequired, "no engine"))
	if _, err := fake.Start(t.Context(), sandboxtest.Spec("")); fault.CodeOf(err) != fault.SandboxRuntimeRequired {
		t.Errorf("the fault is changed: %v", err)
	}
}

func TestFakeHoldsAStartUntilReleased(t *testing.T) {
	fake := sandboxtest.NewFake()
	release := fake.Engine().HoldAt("http")
	reached := make(chan struct{})
	spec := sandboxtest.Spec("")
	spec.Progress = func(phase string) {
		if phase == "http" {
			close(reached)
		}
	}
	result := make(chan error, 1)
	go func() {
		_, err := fake.Start(t.Context(), spec)
		result <- err
	}()
	<-reached
	select {
	case err := <-result:
		t.Fatalf("a held start ended: %v", err)
	default:
	}
	release()
	if err := <-result; err != nil {
		t.Error(err)
	}
}

func TestKilledFakeBoxHasAnError(t *testing.T) {
	fake := sandboxtest.NewFake()
	spec := sandboxtest.Spec("alice")
	box, err := fake.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	fake.Engine().Kill(spec.ID)
	<-box.Done()
	if box.Err() == nil {
		t.Error("a killed box has no error")
	}
	boxes := fake.Engine().Boxes()
	if len(boxes) != 1 || boxes[0].State != "exited" {
		t.Errorf("the list is %+v", boxes)
	}
	if _, err := fake.Attach(t.Context(), spec.ID, spec.Egress); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("attached to a dead box: %v", err)
	}
}

func TestFakeListsUnstartedBoxes(t *testing.T) {
	fake := sandboxtest.NewFake()
	id := sandbox.NewID()
	fake.Engine().AddUnstarted("fake", id)
	boxes, err := fake.List(t.Context())
	if err != nil || len(boxes) != 1 || boxes[0].ID != id || boxes[0].State != "created" {
		t.Errorf("the list is %+v, %v", boxes, err)
	}
	if err := fake.Stop(t.Context(), id); err != nil || len(fake.Engine().Boxes()) > 0 {
		t.Errorf("it cannot be removed: %v", err)
	}
}
