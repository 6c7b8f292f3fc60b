package docker

import (
	"context"
	"errors"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// Reap removes the containers of other gateways that have ended or were never
// started, and that the engine did not remove: those of versions that did not
// request it. It waits until their lease is over, when a running gateway would have
// removed its own. It never touches running containers, which end by themselves. It
// returns how many it removed. Faults: sandbox_runtime_required, start_failed when
// the engine cannot remove one.
func (d *Driver) Reap(ctx context.Context) (int, error) {
	listing, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	boxes := client.Filters{}.Add("label", labelInstance).Add("label", labelBox).Add("label", labelLease)
	answer, err := d.engine.ContainerList(listing, client.ContainerListOptions{All: true, Filters: boxes})
	if err != nil {
		return 0, d.engineFault(err, "list the boxes")
	}
	removed := 0
	var failed error
	for _, c := range answer.Items {
		if c.Labels[labelInstance] == d.options.Instance || !d.abandoned(ctx, c) {
			continue
		}
		if err := d.removeEnded(ctx, c.ID); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		d.options.Log.Info("removed a box that another gateway left", "box", c.Labels[labelBox], "instance", c.Labels[labelInstance])
		removed++
	}
	return removed, failed
}

// abandoned reports whether a container has ended or was never started, for longer
// than its lease and the time that its gateway needs to make and remove it.
func (d *Driver) abandoned(ctx context.Context, c container.Summary) bool {
	lease, err := time.ParseDuration(c.Labels[labelLease])
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	inspected, err := d.engine.ContainerInspect(ctx, c.ID, client.ContainerInspectOptions{})
	if err != nil || inspected.Container.State == nil {
		return false
	}
	switch inspected.Container.State.Status {
	case container.StateCreated:
		return time.Since(time.Unix(c.Created, 0)) > lease+createTimeout+removeTimeout
	case container.StateExited, container.StateDead:
		ended, err := time.Parse(time.RFC3339Nano, inspected.Container.State.FinishedAt)
		return err == nil && !ended.IsZero() && time.Since(ended) > lease+d.options.ReapAfter
	}
	return false
}

// removeEnded removes a container. The engine refuses to remove one that runs.
func (d *Driver) removeEnded(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	_, err := d.engine.ContainerRemove(ctx, id, client.ContainerRemoveOptions{RemoveVolumes: true})
	if err == nil || errdefs.IsNotFound(err) || errdefs.IsConflict(err) { // a conflict: it is being removed, or runs
		return nil
	}
	return d.engineFault(err, "remove a box that was left")
}
