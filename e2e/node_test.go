package e2e

import (
	"os/exec"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// runs runs a program in a folder and returns what it printed; a status other
// than 0 fails the test.
func runs(t *testing.T, folder string, command ...string) string {
	t.Helper()
	c := exec.CommandContext(testwait.Context(t), command[0], command[1:]...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}
