package docker

import (
	"context"
	"errors"
	"fmt"

	"github.com/containerd/errdefs"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/engine"
)

const buildCommand = "glovebox image build"

// engineFault returns the fault for an error of the engine. doing is what failed,
// such as "start the box".
func (d *Driver) engineFault(err error, doing string) error {
	switch {
	case engine.IsUnreachable(err):
		return engine.Unreachable(err, "; do not retry before")
	case errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.StartFailed, "the container engine did not %s in time", doing).
			Hinted("look whether the machine is overloaded, then try again").Because(err)
	case errors.Is(err, context.Canceled):
		return fault.New(fault.StartFailed, "nobody waited for the engine to %s", doing).
			Hinted("try again").Because(err)
	}
	return fault.New(fault.StartFailed, "the container engine could not %s", doing).
		Hinted("the gateway's log has the engine's reason; glovebox doctor checks the engine").Because(err)
}

// createFault returns the fault for an error of making a container, including a
// missing image and a name that is taken.
func (d *Driver) createFault(err error) error {
	switch {
	case errdefs.IsNotFound(err):
		return fault.New(fault.InstallRequired, "the image %s is not there", d.options.Image).
			Hinted("run: %s; do not retry before", buildCommand).With("command", buildCommand).Because(err)
	case errdefs.IsConflict(err):
		return fault.New(fault.StartFailed, "a container of that name is there already").
			Hinted("use a fresh id").Because(err)
	}
	return d.engineFault(err, "make the box")
}

func notFound(id string) *fault.Fault {
	return fault.New(fault.NotFound, "there is no running box %s", id).Hinted("start a new session")
}

func endedFault(id, how string, args ...any) *fault.Fault {
	return fault.New(fault.NotActive, "box %s %s", id, fmt.Sprintf(how, args...)).Hinted("start a new session")
}

func invalidOptions(what string) *fault.Fault {
	return fault.New(fault.InvalidRequest, "the docker driver needs %s", what).
		Hinted("see browser.sandbox in the configuration")
}

func folderFault(dir string, err error) error {
	return fault.New(fault.StartFailed, "the folder for sockets %s cannot be used", dir).
		Hinted("make it writable for the gateway alone").Because(err)
}
