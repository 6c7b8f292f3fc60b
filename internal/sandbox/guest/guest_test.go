package guest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const testUser = 10001 // as in the image; Chromium's sandbox does not run as root

func TestMain(m *testing.M) {
	if os.Getenv(asGuest) != "" {
		os.Exit(runAsGuest())
	}
	goleak.VerifyTestMain(m)
}

// box is a guest in this process and the gateway's link to it.
type box struct {
	t      *testing.T
	config guest.Config
	key    *bridge.Key
	link   *bridge.Link
	cancel context.CancelFunc
	ended  chan struct{}
	err    error
}

// prepare makes the link and the configuration of a guest.
func prepare(t *testing.T, change func(*guest.Config), links ...func(*bridge.LinkOptions)) *box {
	t.Helper()
	testenv.Require(t, testenv.Chromium, testenv.Program("Xvfb"))
	key, err := bridge.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gb-") // a short path, because Chromium makes sockets below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	work := filepath.Join(dir, "w")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(work, 0o777), os.Chmod(work, 0o777)); err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, key: key, ended: make(chan struct{}), config: guest.Config{
		Boot: bridge.Boot{
			Box: sandbox.NewID(), PublicKey: key.Public(), Lease: 30 * time.Minute,
			Width: 800, Height: 600, DPI: 96, Headless: true,
		},
		SocketDir: filepath.Join(dir, "s"), Dir: work,
		Chromium: testenv.ChromiumPath(), Xvfb: "/usr/bin/Xvfb", UID: testUser,
		DisplayTimeout: 10 * time.Minute, LaunchTimeout: 10 * time.Minute,
		Log: slog.New(slog.DiscardHandler),
	}}
	if change != nil {
		change(&b.config)
	}
	b.listen(links...)
	t.Cleanup(func() { _ = b.link.Close() })
	return b
}

func (b *box) listen(links ...func(*bridge.LinkOptions)) {
	b.t.Helper()
	o := bridge.LinkOptions{
		Dir: b.config.SocketDir, Box: b.config.Box, ScopeHash: b.config.ScopeHash, Session: b.config.Session,
		Headless: b.config.Headless, Key: b.key, Lease: b.config.Lease,
		Egress: func(c net.Conn) { _ = c.Close() },
	}
	for _, change := range links {
		change(&o)
	}
	link, err := bridge.Listen(o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.link = link
}

// start runs the guest until the test ends.
func start(t *testing.T, change func(*guest.Config), links ...func(*bridge.LinkOptions)) *box {
	t.Helper()
	b := prepare(t, change, links...)
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	go func() {
		defer close(b.ended)
		b.err = guest.Run(ctx, b.config)
	}()
	t.Cleanup(func() { b.stop() })
	return b
}

// stop ends the guest.
func (b *box) stop() {
	b.cancel()
	b.waitEnd()
}

func (b *box) waitEnd() {
	b.t.Helper()
	testwait.Receive(b.t, b.ended, "the end of the guest")
}

func (b *box) ready() {
	b.t.Helper()
	if err := b.link.WaitReady(testwait.Context(b.t), nil); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) health() sandbox.Health {
	b.t.Helper()
	h, err := b.link.Health(testwait.Context(b.t))
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

// eventually waits until holds accepts the health.
func (b *box) eventually(what string, holds func(sandbox.Health) bool) sandbox.Health {
	b.t.Helper()
	var h sandbox.Health
	testwait.For(b.t, what, func() bool {
		h = b.health()
		return holds(h)
	})
	return h
}

func (b *box) cdp() sandbox.Stream {
	b.t.Helper()
	s, err := b.link.CDP(testwait.Context(b.t))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = s.Close() })
	return s
}

// call makes one CDP call over a stream and returns the result.
func call(t *testing.T, s sandbox.Stream, id int, method, params string) json.RawMessage {
	t.Helper()
	result, err := tryCall(s, id, method, params)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return result
}

func tryCall(s sandbox.Stream, id int, method, params string) (json.RawMessage, error) {
	if err := s.Write(fmt.Appendf(nil, `{"id":%d,%s,"params":%s}`, id, method, params)); err != nil {
		return nil, err
	}
	for {
		data, err := s.Read()
		if err != nil {
			return nil, err
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			return nil, err
		}
		if answer.ID == id {
			if answer.Error != nil {
				return nil, fmt.Errorf("%s", answer.Error)
			}
			return answer.Result, nil
		}
	}
}

func method(name string) string { return `"method":"` + name + `"` }

func wantVersion(t *testing.T, s sandbox.Stream) {
	t.Helper()
	if got := call(t, s, 1, method("Browser.getVersion"), "{}"); !bytes.Contains(got, []byte("Chrome/")) {
		t.Fatalf("the browser answered %s", got)
	}
}

// script writes a shell script for the guest to run in place of a program.
func script(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	for d := filepath.Dir(path); d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := "#!/bin/sh\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// phases collects the phases that WaitReady reports.
type phases struct {
	mu    sync.Mutex
	names []string
}

func (p *phases) add(phase string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.names = append(p.names, phase)
}
