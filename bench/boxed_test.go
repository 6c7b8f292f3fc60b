package bench

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// boxed is a box as a gateway in its default configuration starts it, with the same
// image, display and limits, and with the same egress proxy. Nothing of the gateway
// and of the page engine is between the bridge and its caller.
type boxed struct {
	driver *docker.Driver
	proxy  *egress.Proxy
	id     string
	stream cdp.Transport
}

// startBoxed starts a box whose browser may reach the sites. It ends with the benchmark,
// unless it was ended before.
func startBoxed(b *testing.B, sites ...string) (*boxed, error) {
	b.Helper()
	if _, err := peer.Binary(b.Context()); err != nil { // and the image
		return nil, err
	}
	driver, err := openDriver(b)
	if err != nil {
		return nil, err
	}
	x := &boxed{driver: driver, proxy: egress.New(egress.Options{}), id: sandbox.NewID()}
	b.Cleanup(func() { must(b, x.end(testwait.Context(b))) })
	rules, err := reachable(sites)
	if err != nil {
		return nil, err
	}
	if err := x.proxy.Open(x.id, rules); err != nil {
		return nil, err
	}
	display := config.Default().Browser.Viewport
	box, err := driver.Start(b.Context(), sandbox.Spec{
		ID: x.id, Width: display.Width, Height: display.Height, DPI: display.DPI,
		Egress: func(conn net.Conn) { x.proxy.Handle(x.id, conn) },
	})
	if err != nil {
		return nil, err
	}
	x.stream, err = box.CDP(b.Context())
	return x, err
}

// openDriver makes the driver that a gateway with the default configuration has.
func openDriver(b *testing.B) (*docker.Driver, error) {
	b.Helper()
	box := config.Default().Browser.Sandbox
	memory, err := config.Bytes(box.Container.Memory)
	if err != nil {
		return nil, err
	}
	shm, err := config.Bytes(box.Container.Shm)
	if err != nil {
		return nil, err
	}
	key, err := bridge.NewKey()
	if err != nil {
		return nil, err
	}
	return docker.New(docker.Options{
		Image: peer.Image(), NamePrefix: "gbbench-", Instance: sandbox.NewID(), Key: key,
		SocketDir: filepath.Join(peer.NewHome(b).Path(), "boxes"),
		Memory:    memory, CPUs: box.Container.CPUs, PidsLimit: box.Container.PIDs, ShmSize: shm,
		Lease: time.Duration(box.Lease) * time.Second, RestartAttempts: box.Restarts, Log: slog.New(slog.DiscardHandler),
	})
}

// reachable are the rules for a browser that may reach the sites, which are on
// this machine.
func reachable(sites []string) (action.Network, error) {
	rules := action.Network{Subresources: "any-public"}
	for _, site := range sites {
		u, err := url.Parse(site)
		if err != nil {
			return rules, err
		}
		rules.Navigation, rules.AllowPrivate = append(rules.Navigation, u.Hostname()), append(rules.AllowPrivate, u.Host)
	}
	return rules, nil
}

// end ends the box. It may be called more than once.
func (x *boxed) end(ctx context.Context) error {
	if x.driver == nil {
		return nil
	}
	if x.stream != nil {
		_ = x.stream.Close()
	}
	err := errors.Join(x.driver.Stop(ctx, x.id), x.proxy.Shutdown(ctx), x.driver.Close())
	x.driver = nil
	return err
}
