package e2e

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// runs runs a program in a folder and returns what it printed; a status other
// than 0 fails the test.
func runs(t *testing.T, limit time.Duration, folder string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}
