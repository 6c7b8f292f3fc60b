package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Start makes a box and waits until its browser answers (sandbox.Driver).
func (d *Driver) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Box, error) {
	if spec.Progress == nil {
		spec.Progress = func(string) {}
	}
	if err := spec.Check(); err != nil {
		return nil, err
	}
	if err := d.boot(spec).Check(); err != nil {
		return nil, err
	}
	b, err := d.boxes.Connect(ctx, spec.ID, func(ctx context.Context) (*box, error) { return d.start(ctx, spec) })
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (d *Driver) boot(spec sandbox.Spec) bridge.Boot {
	return bridge.BootFor(spec, d.options.Key, d.options.Lease, d.options.RestartAttempts)
}

// start makes the box. On an error it removes everything it made.
func (d *Driver) start(ctx context.Context, spec sandbox.Spec) (_ *box, err error) {
	if _, err := os.Lstat(d.recordFile(spec.ID)); !errors.Is(err, fs.ErrNotExist) {
		return nil, bridge.BoxExists(spec.ID)
	}
	w, err := d.detectIsolation()
	if err != nil {
		return nil, err
	}
	if err := writePolicy(d.options.Policy); err != nil {
		return nil, err
	}
	spec.Progress("making the box")
	hash := sandbox.ScopeHash(spec.Scope)
	r := record{
		ID: spec.ID, Name: sandbox.BoxName(d.options.NamePrefix, hash, spec.ID), ScopeHash: hash, Session: spec.Session,
		Headless: spec.Headless, Sealed: w.sealed, Created: time.Now(),
	}
	var link *bridge.Link
	defer func() {
		if err != nil {
			d.discard(ctx, r, link)
		}
	}()
	if r.User, err = d.allocateUser(); err != nil {
		return nil, err
	}
	if err := d.makeFolders(r.ID, r.User); err != nil {
		return nil, err
	}
	if err := d.saveRecord(r); err != nil {
		return nil, err
	}
	if link, err = d.listen(bridge.LinkOptions{
		Box: r.ID, ScopeHash: hash, Session: r.Session, Headless: r.Headless, Egress: spec.Egress,
		Home: d.homeDir(r.ID), Profile: spec.Profile,
	}); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, cancelledFault(ctx)
	}
	spec.Progress("starting the box")
	if err := d.launch(&r, spec, w); err != nil {
		return nil, err
	}
	b, err := d.newBox(r, link)
	if err != nil {
		return nil, err
	}
	if err := d.waitReady(ctx, b, spec.Progress); err != nil {
		b.Finish(err)
		<-b.closed
		return nil, err
	}
	return b, nil
}

func (d *Driver) listen(o bridge.LinkOptions) (*bridge.Link, error) {
	o.Dir, o.Key, o.Lease, o.Log = d.socketDir(o.Box), d.options.Key, d.options.Lease, d.options.Log
	return bridge.Listen(o)
}

// launch starts the guest and stores its process in the record.
func (d *Driver) launch(r *record, spec sandbox.Spec, w isolation) error {
	config, err := BoxConfig{
		Sockets: d.socketDir(r.ID), Home: d.homeDir(r.ID), Sealed: w.sealed, Files: w.files, Tasks: uint64(d.options.PidsLimit),
	}.environ()
	if err != nil {
		return err
	}
	output, err := os.OpenFile(d.logFile(r.ID), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return folderFault(d.instanceDir(), err)
	}
	defer func() { _ = output.Close() }()
	guest, err := os.StartProcess("/proc/self/exe", d.options.Arguments, &os.ProcAttr{
		Dir: "/", Env: append(d.boot(spec).Environ(), config),
		Files: []*os.File{nil, output, output}, Sys: sysProcAttr(w.sealed, r.User),
	})
	if err != nil {
		return fault.New(fault.StartFailed, "the box's process cannot be started").
			Hinted("glovebox doctor says what this container lacks").Because(err)
	}
	pid := guest.Pid
	_ = guest.Release() // it is watched by pidfd, also after a restart of the gateway
	if r.Guest, err = identify(pid); err != nil {
		r.Guest = process{PID: pid}
		return d.exitFault(r.ID, "ended at once", err)
	}
	return d.saveRecord(*r)
}

// waitReady waits until the browser answers or the guest ends.
func (d *Driver) waitReady(ctx context.Context, b *box, progress func(string)) error {
	err := b.WaitReady(ctx, progress)
	switch {
	case ctx.Err() != nil:
		return cancelledFault(ctx)
	case err != nil && b.Err() != nil:
		return d.exitFault(b.Info().ID, fault.From(b.Err()).Message, err)
	}
	return err
}

const (
	maxLines = 10
	maxLine  = 512 // characters
)

// exitFault returns the fault for a guest that ended before its browser answered, with the
// last lines of its log, sanitized.
func (d *Driver) exitFault(id, how string, err error) error {
	f := fault.From(err)
	phase, _ := f.Details["phase"].(string)
	if phase == "" {
		phase = bridge.NotReadyGuest
	}
	data, _ := os.ReadFile(d.logFile(id)) // there may be no log
	var lines []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(untrusted.LogLine(line, maxLine)); line != "" {
			lines = append(lines, line)
		}
	}
	lastOutput := "none"
	if len(lines) > 0 {
		lastOutput = strings.Join(lines[max(0, len(lines)-maxLines):], " | ")
	}
	return fault.New(fault.StartFailed, "sandbox_browser_launch_failed: %s; process %s; log: %s", phase, how, lastOutput).
		Hinted("glovebox doctor says what this container lacks").With("phase", phase).Because(fmt.Errorf("%s: %w", how, err))
}

// discard removes everything that a failed Start made.
func (d *Driver) discard(ctx context.Context, r record, link *bridge.Link) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	if link != nil {
		_ = link.Close()
	}
	if err := d.endBox(ctx, r); err != nil {
		d.options.Log.Error("a box that failed to start is left", "box", r.ID, "reason", err)
	}
}

// List returns this instance's boxes in any state (sandbox.Driver).
func (d *Driver) List(context.Context) ([]sandbox.Info, error) {
	all, err := d.loadRecords()
	if err != nil {
		return nil, err
	}
	infos := make([]sandbox.Info, 0, len(all))
	for _, r := range all {
		infos = append(infos, d.info(r))
	}
	slices.SortFunc(infos, func(a, b sandbox.Info) int { return strings.Compare(a.ID, b.ID) })
	return infos, nil
}
