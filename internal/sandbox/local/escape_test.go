package local_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/escapetest"
	"github.com/gloveboxhq/glovebox/internal/sandbox/local"
)

// runEscapeAttempts makes every escape attempt from a confined process and prints the
// answers.
func runEscapeAttempts() int {
	if _, _, err := local.Enter(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := json.NewEncoder(os.Stdout).Encode(escapetest.Run(false)); err != nil {
		return 1
	}
	return 0
}

// localAnswers are the answers that differ from those in a docker box.
var localAnswers = map[string][]string{
	// in its user namespace there is no such user id
	"identity: setuid": {"EINVAL"}, "identity: setgid": {"EINVAL"}, "identity: setreuid": {"EINVAL"},
	"identity: setresuid": {"EINVAL"}, "identity: setresgid": {"EINVAL"},
	// its profile is in its home
	"running what was written: /tmp/prof": {"ENOENT"},
	// the process list is shared (docs/all-in-one.md): with a gateway that is root, a process of it is visible
	"other processes: see one of another user": {"", "ESRCH"},
}

// The attempts are those made in a docker box.
func TestEscapeAttemptsFail(t *testing.T) {
	inTestContainer(t)
	d := openDriver(t, testOptions(t))
	home := filepath.Join("/run/boxes", sandbox.NewID())
	if err := os.Mkdir(home, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(home, 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := d.RunConfined(t.Context(), home, home, "escape")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var answers []escapetest.Answer
	if err := json.Unmarshal(out, &answers); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	given := map[string]string{}
	for _, a := range answers {
		given[a.Group+": "+a.Name] = a.Errno
	}
	for _, a := range escapetest.All() {
		name := a.Group + ": " + a.Name
		errno, made := given[name]
		if want, known := localAnswers[name]; known {
			if !made || !slices.Contains(want, errno) {
				t.Errorf("%s got %q, want one of %q", name, errno, want)
			}
			continue
		}
		if !made || !a.Matches(escapetest.Answer{Group: a.Group, Name: a.Name, Errno: errno}) {
			t.Errorf("%s got %q, want %s", name, errno, a.Expected())
		}
	}
}
