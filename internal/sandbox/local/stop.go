package local

import (
	"context"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	removeTime = 30 * time.Second // to end a box and remove its files
	grace      = 5 * time.Second  // for a guest to end its programs, which takes at most 3 s
)

// Stop ends a box and removes everything that belongs to it, within 30 seconds
// (sandbox.Driver). It cancels a pending Start of the box first. Faults:
// invalid_request for a malformed id, start_failed when something cannot be removed.
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
		held.Finish(ended(id, "was stopped"))
		<-held.released
	}
	r, there, err := d.read(id)
	if err != nil || !there {
		return err
	}
	if err := d.end(ctx, r); err != nil {
		return err
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
		return givenUp(ctx)
	}
}

// end ends the processes of a box and removes its files. It gives the guest time to
// shut down in order.
func (d *Driver) end(ctx context.Context, r record) error {
	if pidfd, err := r.Guest.watch(); err == nil {
		signal(pidfd, unix.SIGTERM)
		patient, cancel := context.WithTimeout(ctx, grace)
		if !await(patient, pidfd) {
			signal(pidfd, unix.SIGKILL)
		}
		cancel()
		_ = pidfd.Close()
	}
	if r.Guest.Namespace != 0 {
		if err := sweep(ctx, r.Guest.Namespace); err != nil {
			return fault.New(fault.StartFailed, "box %s cannot be ended", r.ID).
				Hinted("restart the container").Because(err)
		}
	}
	if r.Guest.PID != 0 {
		reap(r.Guest.PID)
	}
	if err := d.removeFolders(r.ID); err != nil {
		return err
	}
	if r.User != 0 {
		d.giveUser(r.User)
	}
	return nil
}
