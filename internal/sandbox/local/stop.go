package local

import (
	"context"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	removeTimeout = 30 * time.Second // to end a box and remove its files
	exitTimeout   = 5 * time.Second  // for a guest to end its programs, which takes at most 3 s
)

// Stop ends a box and removes everything that belongs to it, within 30 seconds
// (sandbox.Driver). It cancels a pending Start of the box first. Faults:
// invalid_request for a malformed id, start_failed when something cannot be removed.
func (d *Driver) Stop(ctx context.Context, id string) error {
	if !sandbox.ValidID(id) {
		return fault.New(fault.InvalidRequest, "the box id is not 16 hex digits").Hinted("pass an id that List shows")
	}
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	if err := d.boxes.CancelPending(ctx, id); err != nil {
		return cancelledFault(ctx)
	}
	connected, found := d.boxes.Get(id)
	if found {
		connected.Finish(endedFault(id, "was stopped"))
		<-connected.closed
	}
	r, there, err := d.loadRecord(id)
	if err != nil || !there {
		return err
	}
	if err := d.endBox(ctx, r); err != nil {
		return err
	}
	d.boxes.Remove(id, connected)
	return nil
}

// endBox ends the processes of a box and removes its files. It gives the guest time to
// shut down in order.
func (d *Driver) endBox(ctx context.Context, r record) error {
	if pidfd, err := r.Guest.openPidfd(); err == nil {
		sendSignal(pidfd, unix.SIGTERM)
		exiting, cancel := context.WithTimeout(ctx, exitTimeout)
		if !waitExit(exiting, pidfd) {
			sendSignal(pidfd, unix.SIGKILL)
		}
		cancel()
		_ = pidfd.Close()
	}
	if r.Guest.Namespace != 0 {
		if err := killNamespace(ctx, r.Guest.Namespace); err != nil {
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
		d.releaseUser(r.User)
	}
	return nil
}
