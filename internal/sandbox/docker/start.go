package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Start makes a box and waits until its browser answers (sandbox.Driver). A request
// to the engine is not cancelled, because its result would be unknown: a cancelled
// Start returns when the engine has answered, and removes everything.
func (d *Driver) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Box, error) {
	if spec.Progress == nil {
		spec.Progress = func(string) {}
	}
	if err := d.checkSpec(spec); err != nil {
		return nil, err
	}
	b, err := d.boxes.Connect(ctx, spec.ID, func(ctx context.Context) (*box, error) { return d.start(ctx, spec) })
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (d *Driver) checkSpec(spec sandbox.Spec) error {
	if err := spec.Check(); err != nil {
		return err
	}
	return d.boot(spec).Check()
}

// start makes the box. On an error it removes everything it made.
func (d *Driver) start(ctx context.Context, spec sandbox.Spec) (_ *box, err error) {
	if _, err := os.Lstat(d.boxDir(spec.ID)); !errors.Is(err, fs.ErrNotExist) {
		return nil, bridge.BoxExists(spec.ID)
	}
	spec.Progress("making the box")
	link, err := d.listen(bridge.LinkOptions{
		Box: spec.ID, ScopeHash: sandbox.ScopeHash(spec.Scope), Session: spec.Session,
		Home: home, Headless: spec.Headless, Profile: spec.Profile, Egress: spec.Egress,
	})
	var containerID string
	defer func() {
		if err != nil {
			d.discard(ctx, spec.ID, containerID, link)
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := d.writePolicy(spec.ID); err != nil {
		return nil, err
	}
	if containerID, err = d.create(ctx, spec); err != nil {
		return nil, err
	}
	spec.Progress("starting the box")
	b := d.newBox(containerID, link, sandbox.Info{
		ID: spec.ID, Name: sandbox.BoxName(d.options.NamePrefix, sandbox.ScopeHash(spec.Scope), spec.ID), ScopeHash: sandbox.ScopeHash(spec.Scope),
		Session: spec.Session, State: "running", Egress: sandbox.EgressSealed, Created: time.Now(), Dir: home,
	}, false)
	if err := d.run(ctx, b, spec.Progress); err != nil {
		b.finish(err)
		<-b.closed
		return nil, err
	}
	return b, nil
}

func (d *Driver) create(ctx context.Context, spec sandbox.Spec) (string, error) {
	request, err := d.createOptions(spec)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", d.engineFault(ctx.Err(), "make the box")
	}
	uncancelled, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	answer, err := d.engine.ContainerCreate(uncancelled, request)
	if err != nil {
		if uncancelled.Err() != nil {
			d.removeUnanswered(ctx, spec.ID) // the engine may have made it without an answer
		}
		return "", d.createFault(err)
	}
	for _, warning := range answer.Warnings {
		d.options.Log.Warn("the engine warns of a box", "box", spec.ID, "warning", warning)
	}
	return answer.ID, nil
}

// run starts a box's container and waits until its browser answers. Meanwhile it
// collects the container's output.
func (d *Driver) run(ctx context.Context, b *box, progress func(string)) error {
	if ctx.Err() != nil {
		return d.engineFault(ctx.Err(), "start the box")
	}
	uncancelled, cancel := context.WithTimeout(context.WithoutCancel(ctx), createTimeout)
	defer cancel()
	output := d.attachOutput(uncancelled, b.Info().ID, b.container)
	defer output.close()
	select {
	case <-b.waiting:
	case <-uncancelled.Done():
		return d.engineFault(uncancelled.Err(), "watch the box")
	}
	if _, err := d.engine.ContainerStart(uncancelled, b.container, client.ContainerStartOptions{}); err != nil {
		return d.engineFault(err, "start the box")
	}
	close(b.started)
	return d.waitReady(ctx, b, output, progress)
}

// waitReady waits until the browser answers or the container ends.
func (d *Driver) waitReady(ctx context.Context, b *box, output *outputTail, progress func(string)) error {
	err := b.WaitReady(ctx, progress)
	if err == nil && ctx.Err() != nil { // cancelled during the last phase
		return d.engineFault(ctx.Err(), "start the box")
	}
	if err != nil && ctx.Err() == nil && b.Err() != nil {
		return exitFault(b, output, err)
	}
	return err
}

// exitFault returns the fault for a container that ended before its browser answered,
// with the last lines of its output.
func exitFault(b *box, output *outputTail, err error) error {
	f := fault.From(err)
	phase, _ := f.Details["phase"].(string)
	return fault.New(fault.StartFailed, "sandbox_browser_launch_failed: %s; process %s; log: %s",
		phase, fault.From(b.Err()).Message, output.text()).
		Hinted("%s", f.Hint).With("phase", phase).Because(fmt.Errorf("%w: %w", b.Err(), err))
}

// discard removes everything that a failed Start made.
func (d *Driver) discard(ctx context.Context, id, containerID string, link *bridge.Link) {
	if containerID != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		if err := d.remove(ctx, containerID); err != nil {
			d.options.Log.Error("a box that failed to start is left on the engine", "box", id, "reason", err)
		}
	}
	if link != nil {
		_ = link.Close()
	}
	if err := os.RemoveAll(d.boxDir(id)); err != nil {
		d.options.Log.Error("the folder of a box is left", "box", id, "reason", err)
	}
}
