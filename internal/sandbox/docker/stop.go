package docker

import (
	"context"
	"errors"
	"os"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Stop ends a box and removes everything that belongs to it, within 30 seconds
// (sandbox.Driver). It cancels a pending Start of the box first. Faults:
// invalid_request for a malformed id, sandbox_runtime_required, start_failed when
// the engine cannot remove the container.
func (d *Driver) Stop(ctx context.Context, id string) error {
	if !sandbox.ValidID(id) {
		return fault.New(fault.InvalidRequest, "the box id is not 16 hex digits").Hinted("pass an id that List shows")
	}
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	if err := d.boxes.CancelPending(ctx, id); err != nil {
		return d.engineFault(err, "end the start of the box")
	}
	connected, found := d.boxes.Get(id)
	if found {
		connected.finish(endedFault(id, "was stopped"))
		<-connected.closed
	}
	containers, err := d.findContainers(ctx, id)
	if err != nil {
		return err
	}
	for _, c := range containers {
		if err := d.remove(ctx, c.ID); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(d.boxDir(id)); err != nil {
		return folderFault(d.boxDir(id), err)
	}
	d.boxes.Remove(id, connected)
	return nil
}

// remove kills and removes a container. It waits for one that is already being
// removed, and ignores one that does not exist.
func (d *Driver) remove(ctx context.Context, containerID string) error {
	_, err := d.engine.ContainerRemove(ctx, containerID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	switch {
	case err == nil || errdefs.IsNotFound(err):
		return nil
	case !errdefs.IsConflict(err):
		return d.engineFault(err, "remove the box")
	}
	wait := d.engine.ContainerWait(ctx, containerID, client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
	select {
	case exit := <-wait.Result:
		if exit.Error != nil {
			return d.engineFault(errors.New(exit.Error.Message), "remove the box")
		}
	case err := <-wait.Error:
		if !errdefs.IsNotFound(err) {
			return d.engineFault(err, "remove the box")
		}
	}
	return nil
}

// removeUnanswered removes containers of a box that the engine may have made after a request
// timed out.
func (d *Driver) removeUnanswered(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	found, err := d.findContainers(ctx, id)
	for _, c := range found {
		err = errors.Join(err, d.remove(ctx, c.ID))
	}
	if err != nil {
		d.options.Log.Error("a box may be left on the engine", "box", id, "reason", err)
	}
}
