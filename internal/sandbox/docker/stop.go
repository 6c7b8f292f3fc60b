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
	ctx, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	if err := d.halt(ctx, id); err != nil {
		return err
	}
	d.mu.Lock()
	held := d.boxes[id]
	d.mu.Unlock()
	if held != nil {
		held.finish(ended(id, "was stopped"))
		<-held.released
	}
	found, err := d.find(ctx, id)
	if err != nil {
		return err
	}
	for _, c := range found {
		if err := d.remove(ctx, c.ID); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(d.dir(id)); err != nil {
		return noDir(d.dir(id), err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.boxes[id] == held {
		delete(d.boxes, id)
	}
	return nil
}

// halt cancels a pending Start or Attach and waits for it.
func (d *Driver) halt(ctx context.Context, id string) error {
	d.mu.Lock()
	p := d.pending[id]
	d.mu.Unlock()
	if p == nil {
		return nil
	}
	p.cancel()
	select {
	case <-p.over:
		return nil
	case <-ctx.Done():
		return d.engineFault(ctx.Err(), "end the start of the box")
	}
}

// remove kills and removes a container. It waits for one that is already being
// removed, and ignores one that does not exist.
func (d *Driver) remove(ctx context.Context, made string) error {
	_, err := d.engine.ContainerRemove(ctx, made, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	switch {
	case err == nil || errdefs.IsNotFound(err):
		return nil
	case !errdefs.IsConflict(err):
		return d.engineFault(err, "remove the box")
	}
	wait := d.engine.ContainerWait(ctx, made, client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
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

// sweep removes containers of a box that the engine may have made after a request
// timed out.
func (d *Driver) sweep(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
	defer cancel()
	found, err := d.find(ctx, id)
	for _, c := range found {
		err = errors.Join(err, d.remove(ctx, c.ID))
	}
	if err != nil {
		d.o.Log.Error("a box may be left on the engine", "box", id, "reason", err)
	}
}
