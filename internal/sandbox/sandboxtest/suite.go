package sandboxtest

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Open makes a driver like a gateway process that starts. leave closes it like the end
// of that process; the boxes stay. All drivers that one Open makes belong to the same
// gateway instance.
type Open func(t *testing.T) (driver sandbox.Driver, leave func())

// Run runs the test suite for a driver. instance makes an Open for a new gateway
// instance without boxes, on the same machine as the other instances.
func Run(t *testing.T, instance func(t *testing.T) Open) {
	for name, check := range map[string]func(*testing.T, func(*testing.T) Open){
		"StartAnswersAndStops":             checkStart,
		"InvalidSpecIsRefused":             checkInvalidSpecs,
		"CancelledStartLeavesNothing":      checkCancelled,
		"IDIsUsedOnce":                     checkSameID,
		"WarmBoxIsAssignedOnce":            checkAssign,
		"BoxWithAScopeIsNotAssigned":       checkAssignTwice,
		"NewConnectionEndsThePreviousOne":  checkReplacedConnection,
		"BrowserReachesEgress":             checkEgress,
		"ProfileIsLoadedAndSaved":          checkProfile,
		"DisplayIsEncoded":                 checkVideo,
		"DisplayTakesInput":                checkInput,
		"FrozenBoxIsThawed":                checkFreeze,
		"NextProcessAttachesToBoxes":       checkAttach,
		"NextProcessThawsBoxes":            checkFrozenAttach,
		"UnknownBoxesAreNotFound":          checkUnknown,
		"TwoBoxesAreIndependent":           checkTwoBoxes,
		"InstancesDoNotSeeEachOthersBoxes": checkInstances,
	} {
		t.Run(name, func(t *testing.T) { check(t, instance) })
	}
}

func checkStart(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	var phases []string
	spec.Progress = func(phase string) { phases = append(phases, phase) }
	box := start(t, driver, spec)
	if len(phases) < 2 || slices.Contains(phases, "") {
		t.Errorf("Progress got the phases %q", phases)
	}
	wantInfo(t, box.Info(), spec)
	if got := list(t, driver); len(got) != 1 || got[0].State != "running" {
		t.Errorf("the list is %+v", got)
	} else {
		wantInfo(t, got[0], spec)
	}
	wantVersion(t, connect(t, box))
	h, err := box.Health(t.Context())
	if err != nil || h.Phase != "ready" || !h.Browser.Running {
		t.Errorf("health %+v, %v", h, err)
	}
	if err := box.Err(); err != nil {
		t.Errorf("a running box has the error %v", err)
	}
	checkFiles(t, box)
	stop(t, driver, spec.ID)
	waitEnded(t, box)
	if _, err := box.Put(t.Context(), "late", nil); err == nil {
		t.Error("a stopped box accepts files")
	}
	if _, err := box.Health(t.Context()); err == nil {
		t.Error("a stopped box is healthy")
	}
	if _, err := box.CDP(t.Context()); err == nil {
		t.Error("a stopped box accepts connections")
	}
	wantEmpty(t, driver)
	stop(t, driver, spec.ID)
}

// checkFiles puts a file into a box and removes it, and tries invalid names and ids.
func checkFiles(t *testing.T, box sandbox.Box) {
	t.Helper()
	const name = "a b%2F ü 漢.txt"
	at, err := box.Put(t.Context(), name, []byte("content"))
	if err != nil || path.Base(at) != name || path.Dir(path.Dir(at)) != box.Info().Uploads() {
		t.Errorf("put at %q, %v", at, err)
	}
	other, err := box.Put(t.Context(), name, nil)
	if err != nil || other == at {
		t.Errorf("put another at %q, %v", other, err)
	}
	for _, name := range []string{"", ".", "..", "../x", "/etc/passwd", "a/b"} {
		if at, err := box.Put(t.Context(), name, nil); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q was put at %q, %v", name, at, err)
		}
	}
	for range 2 {
		if err := box.Remove(t.Context(), at); err != nil {
			t.Errorf("cannot remove %s: %v", at, err)
		}
	}
	if _, err := box.Fetch(t.Context(), "01234567-89ab-cdef-0123-456789abcdef", 1); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("fetched a file that does not exist: %v", err)
	}
}

func checkInvalidSpecs(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	for name, spoil := range map[string]func(*sandbox.Spec){
		"no id":                   func(s *sandbox.Spec) { s.ID = "" },
		"an id that is a path":    func(s *sandbox.Spec) { s.ID = "../../../../etc0" },
		"an id in capitals":       func(s *sandbox.Spec) { s.ID = "ABCDEF0123456789" },
		"no width":                func(s *sandbox.Spec) { s.Width = 0 },
		"a negative height":       func(s *sandbox.Spec) { s.Height = -1 },
		"no dpi":                  func(s *sandbox.Spec) { s.DPI = 0 },
		"no egress":               func(s *sandbox.Spec) { s.Egress = nil },
		"a scope and no session":  func(s *sandbox.Spec) { s.Session = "" },
		"a session and no scope":  func(s *sandbox.Spec) { s.Scope = "" },
		"a display of gigapixels": func(s *sandbox.Spec) { s.Width, s.Height = 1<<20, 1<<20 },
	} {
		spec := Spec("alice")
		spoil(&spec)
		box, err := driver.Start(t.Context(), spec)
		if fault.CodeOf(err) != fault.InvalidRequest || fault.From(err).Hint == "" || box != nil {
			t.Errorf("%s: %v, %v", name, box, err)
		}
	}
	wantEmpty(t, driver)
}

// checkCancelled cancels a Start in its first phase, then one in its second, and so on
// until a Start has no further phase and succeeds.
func checkCancelled(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	for at := 1; ; at++ {
		ctx, cancel := context.WithCancel(t.Context())
		spec := Spec("alice")
		seen := 0
		spec.Progress = func(string) {
			if seen++; seen == at {
				cancel()
			}
		}
		box, err := driver.Start(ctx, spec)
		cancelled := ctx.Err() != nil
		cancel()
		if !cancelled {
			if err != nil {
				t.Fatalf("a Start that was not cancelled failed: %v", err)
			}
			wantVersion(t, connect(t, box))
			stop(t, driver, spec.ID)
			return
		}
		if err == nil || box != nil {
			t.Fatalf("a Start cancelled in phase %d returned %v", at, box)
		}
		if fault.CodeOf(err) == fault.Internal {
			t.Errorf("a Start cancelled in phase %d returned an unexpected fault: %v", at, err)
		}
		wantEmpty(t, driver)
	}
}

func checkSameID(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	box := start(t, driver, spec)
	second := Spec("bob")
	second.ID = spec.ID
	if _, err := driver.Start(t.Context(), second); fault.CodeOf(err) != fault.StartFailed {
		t.Errorf("the same id again: %v", err)
	}
	wantVersion(t, connect(t, box))
	wantInfo(t, box.Info(), spec)
	stop(t, driver, spec.ID)
}

func checkAssign(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("")
	box := start(t, driver, spec)
	wantInfo(t, box.Info(), spec)
	for _, c := range [][2]string{{"", "s1"}, {"alice", ""}, {"", ""}} {
		if err := box.Assign(t.Context(), c[0], c[1]); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("assigned to %q: %v", c, err)
		}
	}
	if err := box.Assign(t.Context(), "alice", "s1"); err != nil {
		t.Fatalf("cannot assign: %v", err)
	}
	spec.Scope, spec.Session = "alice", "s1"
	wantInfo(t, box.Info(), spec)
	if got := list(t, driver); len(got) != 1 || got[0].ScopeHash != sandbox.ScopeHash("alice") {
		t.Errorf("the list is %+v", got)
	}
	wantVersion(t, connect(t, box))
	for _, scope := range []string{"alice", "bob"} {
		if err := box.Assign(t.Context(), scope, "s2"); fault.CodeOf(err) != fault.AlreadyActive {
			t.Errorf("assigned again to %s: %v", scope, err)
		}
	}
	wantInfo(t, box.Info(), spec)
	stop(t, driver, spec.ID)
}

func checkAssignTwice(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	box := start(t, driver, spec)
	if err := box.Assign(t.Context(), "bob", "s2"); fault.CodeOf(err) != fault.AlreadyActive {
		t.Errorf("alice's box was assigned to bob: %v", err)
	}
	wantInfo(t, box.Info(), spec)
	stop(t, driver, spec.ID)
}

func checkReplacedConnection(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	box := start(t, driver, spec)
	first := connect(t, box)
	wantVersion(t, first)
	second := connect(t, box)
	waitClosed(t, first)
	wantVersion(t, second)
	stop(t, driver, spec.ID)
	waitClosed(t, second)
}

func checkEgress(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	spec := Spec("alice")
	asked := newEgressLog()
	spec.Egress = asked.serve
	box := start(t, driver, spec)
	openTab(t, connect(t, box), "http://glovebox.test/first")
	asked.wait(t, "GET http://glovebox.test/first HTTP/1.1")
	stop(t, driver, spec.ID)
}

func checkAttach(t *testing.T, instance func(*testing.T) Open) {
	open := instance(t)
	driver, leave := open(t)
	started, warm := Spec("alice"), Spec("")
	start(t, driver, started)
	box := start(t, driver, warm)
	if err := box.Assign(t.Context(), "bob", "s7"); err != nil {
		t.Fatal(err)
	}
	warm.Scope, warm.Session = "bob", "s7"
	leave()

	driver, leave = open(t)
	defer leave()
	if got := list(t, driver); len(got) != 2 {
		t.Errorf("in the next process the list is %+v", got)
	}
	for _, spec := range []sandbox.Spec{started, warm} {
		asked := newEgressLog()
		box, err := driver.Attach(testwait.Context(t), spec.ID, asked.serve)
		if err != nil {
			t.Fatalf("cannot attach: %v", err)
		}
		wantInfo(t, box.Info(), spec)
		stream := connect(t, box)
		wantVersion(t, stream)
		openTab(t, stream, "http://glovebox.test/again")
		asked.wait(t, "GET http://glovebox.test/again HTTP/1.1")
		stop(t, driver, spec.ID)
		waitEnded(t, box)
	}
	wantEmpty(t, driver)
}

func checkUnknown(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	stop(t, driver, sandbox.NewID())
	for _, id := range []string{sandbox.NewID(), "../x", ""} {
		box, err := driver.Attach(t.Context(), id, newEgressLog().serve)
		if fault.CodeOf(err) != fault.NotFound || box != nil {
			t.Errorf("attached to %q: %v, %v", id, box, err)
		}
	}
	wantEmpty(t, driver)
}

func checkTwoBoxes(t *testing.T, instance func(*testing.T) Open) {
	driver, leave := instance(t)(t)
	defer leave()
	specs := []sandbox.Spec{Spec("alice"), Spec("bob")}
	boxes := make([]sandbox.Box, len(specs))
	errs := make([]error, len(specs))
	ctx := testwait.Context(t)
	var wg sync.WaitGroup
	for i, spec := range specs {
		wg.Go(func() { boxes[i], errs[i] = driver.Start(ctx, spec) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	first, second := connect(t, boxes[0]), connect(t, boxes[1])
	wantVersion(t, first)
	wantVersion(t, second)
	stop(t, driver, specs[0].ID)
	waitClosed(t, first)
	wantVersion(t, second)
	stop(t, driver, specs[1].ID)
	wantEmpty(t, driver)
}

func checkInstances(t *testing.T, instance func(*testing.T) Open) {
	ours, leaveOurs := instance(t)(t)
	defer leaveOurs()
	theirs, leaveTheirs := instance(t)(t)
	defer leaveTheirs()
	spec := Spec("alice")
	box := start(t, ours, spec)
	wantEmpty(t, theirs)
	if _, err := theirs.Attach(t.Context(), spec.ID, newEgressLog().serve); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("another instance attached: %v", err)
	}
	stop(t, theirs, spec.ID)
	wantVersion(t, connect(t, box))
	stop(t, ours, spec.ID)
}
