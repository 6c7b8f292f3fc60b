// Package engine explains why a container engine cannot be reached.
package engine

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// IsUnreachable reports whether an error of the engine's client means that it could
// not connect to the engine.
func IsUnreachable(err error) bool { return client.IsErrConnectionFailed(err) || noPermission(err) }

// Unreachable returns the fault for an engine that could not be reached. err is the
// client's error. then is appended to the hint and says what to do afterwards.
// Fault: sandbox_runtime_required.
func Unreachable(err error, then string) *fault.Fault {
	if noPermission(err) {
		return fault.New(fault.SandboxRuntimeRequired, "the container engine runs, but this user may not open its socket").
			Hinted("add the user to the engine's group (sudo usermod -aG docker $USER) and log in again, or run a rootless engine%s", then).Because(err)
	}
	return fault.New(fault.SandboxRuntimeRequired, "no container engine answers").
		Hinted("start Docker (on Linux: sudo systemctl start docker), install it (glovebox install engine) or point DOCKER_HOST at an engine%s", then).Because(err)
}

// noPermission reports whether this user has no permission to open the engine's socket.
// The client keeps only the text of that error.
func noPermission(err error) bool {
	return errors.Is(err, fs.ErrPermission) || client.IsErrConnectionFailed(err) && strings.Contains(err.Error(), "permission denied")
}
