package sandboxtest

import (
	"io"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

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
	version(t, connect(t, box))
	for range 2 {
		readProfile(t, box)
	}
	stop(t, driver, keeping.ID)

	plain := Spec("alice")
	box = start(t, driver, plain)
	if _, err := box.Profile(t.Context()); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("a box without a profile: %v", err)
	}
	version(t, connect(t, box))
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
