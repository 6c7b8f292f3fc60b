package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/image"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

const (
	diagnoseLimit = 60 * time.Second // of everything doctor does
	minFreeBytes  = 1 << 30          // bytes free in the state directory; artifacts and audit grow there
)

// diagnose checks everything that a session needs. Where the engine and the image are
// present it starts a box and checks its isolation.
func diagnose(ctx context.Context, c config.Config, version string) []cli.Check {
	ctx, cancel := context.WithTimeout(ctx, diagnoseLimit)
	defer cancel()
	checks := []cli.Check{{Name: "config", OK: true, Detail: "every key is right"}, diskCheck(c.Server.StateDir), checkpointCheck(c)}
	dir, err := os.MkdirTemp("", "glovebox-doctor-")
	if err != nil {
		return append(checks, cli.Check{Name: "disk", Detail: err.Error(), Repair: "make room in " + os.TempDir()})
	}
	defer os.RemoveAll(dir)
	own := c
	own.Server.StateDir = dir // an instance of its own: a running gateway's boxes are not touched
	driver, err := newDriver(own, version, slog.New(slog.DiscardHandler))
	if err != nil {
		return append(checks, failedCheck(own.Browser.Sandbox.Driver, err))
	}
	defer driver.Close()
	for _, finding := range driver.Check(ctx) {
		checks = append(checks, cli.Check(finding))
	}
	if c.Browser.Sandbox.Driver == "docker" {
		checks = append(checks, guestCheck(ctx, imageTag(c, version))...)
	}
	for _, check := range checks {
		if !check.OK {
			return checks // a box cannot start before these are repaired
		}
	}
	return append(checks, boxCheck(ctx, c, driver)...)
}

// guestCheck says whether the image holds this very program as its guest.
func guestCheck(ctx context.Context, tag string) []cli.Check {
	state, err := image.Inspect(ctx, tag, "")
	switch {
	case err != nil:
		return []cli.Check{failedCheck("guest", err)}
	case state == image.Absent: // the image's own line says so
		return nil
	case state == image.Stale:
		return []cli.Check{{Name: "guest", Detail: "the image was built for another version of this program", Repair: image.Command}}
	}
	return []cli.Check{{Name: "guest", OK: true, Detail: "the image holds this program"}}
}

func failedCheck(name string, err error) cli.Check {
	f := fault.From(err)
	return cli.Check{Name: name, Detail: f.Message, Repair: f.Hint}
}

func diskCheck(dir string) cli.Check {
	check := cli.Check{Name: "disk", Repair: "make room, or set server.state_dir to a folder that can be written"}
	if err := checkWritable(dir); err != nil {
		check.Detail = err.Error()
		return check
	}
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		check.Detail = err.Error()
		return check
	}
	free := stat.Bavail * uint64(stat.Bsize)
	check.Detail = fmt.Sprintf("%s, %d MiB free", dir, free>>20)
	if check.OK = free >= minFreeBytes; check.OK {
		check.Repair = ""
	}
	return check
}

// checkpointCheck says whether checkpoints of the audit trail can be written.
func checkpointCheck(c config.Config) cli.Check {
	dir := checkpointDir(c)
	if err := checkWritable(dir); err != nil {
		return cli.Check{Name: "audit", Detail: err.Error(), Repair: "make room, or set audit.checkpoint_dir to a folder that can be written"}
	}
	return cli.Check{Name: "audit", OK: true, Detail: "checkpoints are signed in " + dir}
}

// checkWritable reports whether dir can be written.
func checkWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	defer os.Remove(probe.Name())
	_, err = probe.Write(make([]byte, 1<<20)) // an audit that cannot grow stops everything
	return errors.Join(err, probe.Close())
}

// boxCheck starts a box and checks its isolation.
func boxCheck(ctx context.Context, c config.Config, driver driver) []cli.Check {
	proxy := egress.New(egress.Options{})
	defer func() { _ = proxy.Shutdown(context.WithoutCancel(ctx)) }()
	id := sandbox.NewID()
	begin := time.Now()
	box, err := driver.Start(ctx, sandbox.Spec{
		ID: id, Scope: "doctor", Session: "doctor",
		Width: c.Browser.Viewport.Width, Height: c.Browser.Viewport.Height, DPI: c.Browser.Viewport.DPI,
		Egress: func(conn net.Conn) { proxy.Handle(id, conn) },
	})
	if err != nil {
		return []cli.Check{failedCheck("box", err)}
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		_ = driver.Stop(ctx, id)
	}()
	started := cli.Check{Name: "box", OK: true, Detail: fmt.Sprintf("ready in %d ms; the box and this machine agree on the time", time.Since(begin).Milliseconds())}
	browser, err := openPage(ctx, box, engine.Options{Guard: func(string) error { return nil }})
	if err != nil {
		return []cli.Check{started, failedCheck("browser", err)}
	}
	defer browser.Close()
	health, err := box.Health(ctx)
	if err != nil {
		return []cli.Check{started, failedCheck("health", err)}
	}
	return []cli.Check{started, sandboxCheck(health), displayCheck(health), egressCheck(ctx, proxy, id, browser)}
}

func sandboxCheck(h sandbox.Health) cli.Check {
	check := cli.Check{Name: "sandbox", OK: len(h.Renderers) > 0, Detail: "no renderer to look at"}
	for _, r := range h.Renderers {
		check.Detail = fmt.Sprintf("a renderer has %d seccomp filters, own user namespace %t, own network namespace %t, capabilities %s",
			r.SeccompFilters, r.OwnUserNS, r.OwnNetNS, r.CapEff)
		check.OK = check.OK && r.Sandboxed()
	}
	if !check.OK {
		check.Repair = "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or user.max_user_namespaces above 0); " +
			"start an all-in-one container with the seccomp profile that glovebox image seccomp prints"
	}
	return check
}

func displayCheck(h sandbox.Health) cli.Check {
	if h.Display.Running {
		return cli.Check{Name: "display", OK: true, Detail: "Xvfb runs"}
	}
	return cli.Check{Name: "display", Detail: "Xvfb does not run: " + h.Display.Exit, Repair: "glovebox image build"}
}

// egressCheck sends the browser to an address that no rule allows: the proxy must refuse
// it.
func egressCheck(ctx context.Context, proxy *egress.Proxy, id string, browser interface {
	Do(context.Context, string, any, action.Pin) (action.Result, error)
}) cli.Check {
	_, err := browser.Do(ctx, action.VerbPageGoto.Name, &action.Goto{URL: "http://doctor.invalid/", Timing: action.Timing{Timeout: 10_000}}, action.Pin{})
	refusals := proxy.Refusals(id)
	if len(refusals) == 0 {
		return cli.Check{Name: "egress", Detail: fmt.Sprintf("no request reached the egress proxy: %v", err), Repair: "read the box's log: docker logs"}
	}
	return cli.Check{Name: "egress", OK: true, Detail: "the box's requests reach the egress proxy, which refuses what no rule allows"}
}
