package gateway

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/local"
)

// localDir is the folder of local boxes: a tmpfs in the all-in-one container. It
// is short because socket paths are limited.
const localDir = "/run/glovebox/boxes"

// driver is a sandbox driver that can be checked and closed.
type driver interface {
	sandbox.Driver
	Check(ctx context.Context) []sandbox.Finding
	Close() error
}

// openDriver opens the configured driver, and starts to remove what gateways that
// have ended left on its engine.
func (g *Gateway) openDriver(ctx context.Context, c config.Config, version string, log *slog.Logger) (driver, error) {
	d, err := newDriver(c, version, log)
	if err != nil {
		return nil, err
	}
	g.onClose("driver", func(context.Context) error { return d.Close() })
	g.reapBoxes(ctx, d, log)
	return d, nil
}

// newDriver makes the configured driver for the gateway of this state directory.
func newDriver(c config.Config, version string, log *slog.Logger) (driver, error) {
	id, err := instance(c.Server.StateDir)
	if err != nil {
		return nil, err
	}
	key, err := bridge.LoadOrCreateKey(filepath.Join(c.Server.StateDir, "bridge.key"))
	if err != nil {
		return nil, err
	}
	known, err := authorities(c.Security.Network)
	if err != nil {
		return nil, err
	}
	trust, err := sandbox.TrustPolicy(known)
	if err != nil {
		return nil, err
	}
	switch name := c.Browser.Sandbox.Driver; name {
	case "docker":
		return openDocker(c, version, id, key, trust, log)
	case "local":
		return openLocal(c.Browser.Sandbox, id, key, trust, log)
	default:
		return nil, fault.New(fault.InvalidRequest, "there is no sandbox driver %q", name).Hinted("set browser.sandbox.driver to docker or local")
	}
}

func openLocal(box config.Sandbox, id string, key *bridge.Key, trust []byte, log *slog.Logger) (driver, error) {
	d, err := local.New(local.Options{
		Dir: localDir, NamePrefix: box.NamePrefix, Instance: id, Arguments: []string{"glovebox", "guest"}, Key: key,
		PidsLimit: box.Container.PIDs, Lease: time.Duration(box.Lease) * time.Second, RestartAttempts: box.Restarts,
		Policy: trust, AllowWeak: box.AllowWeak, Log: log,
	})
	if err != nil {
		return nil, err // not a non-nil interface with a nil pointer
	}
	return d, nil
}

func openDocker(c config.Config, version, id string, key *bridge.Key, trust []byte, log *slog.Logger) (driver, error) {
	box := c.Browser.Sandbox
	memory, err := config.Bytes(box.Container.Memory)
	if err != nil {
		return nil, err
	}
	shm, err := config.Bytes(box.Container.Shm)
	if err != nil {
		return nil, err
	}
	d, err := docker.New(docker.Options{
		Image: imageTag(c, version), NamePrefix: box.NamePrefix, Instance: id, Key: key,
		SocketDir: filepath.Join(c.Server.StateDir, "boxes"),
		Memory:    memory, CPUs: box.Container.CPUs, PidsLimit: box.Container.PIDs, ShmSize: shm,
		Lease: time.Duration(box.Lease) * time.Second, RestartAttempts: box.Restarts, Policy: trust, Log: log,
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

const reapEvery = time.Minute // for boxes of ended gateways that do not remove themselves

// reaper is a driver whose engine is shared with other gateways.
type reaper interface {
	Reap(ctx context.Context) (int, error)
}

// reapBoxes removes what ended gateways left on the engine, every reapEvery.
func (g *Gateway) reapBoxes(ctx context.Context, d driver, log *slog.Logger) {
	r, shares := d.(reaper)
	if !shares {
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(reapEvery)
		defer tick.Stop()
		for {
			if _, err := r.Reap(ctx); err != nil && ctx.Err() == nil {
				log.Debug("boxes that other gateways left are not removed; it is tried again", "error", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	g.onClose("reaper", func(context.Context) error {
		stop()
		work.Wait()
		return nil
	})
}
