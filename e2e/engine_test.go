package e2e

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// engine is a proxy to the machine's container engine that can be cut.
type engine struct {
	t        *testing.T
	path     string
	mu       sync.Mutex
	listener net.Listener
	conns    []net.Conn
	work     sync.WaitGroup
}

func newEngine(t *testing.T) *engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "gbe2e-")
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{t: t, path: filepath.Join(dir, "engine.sock")}
	e.open()
	t.Cleanup(func() {
		e.cut()
		_ = os.RemoveAll(dir)
	})
	return e
}

// host is the engine's address for DOCKER_HOST.
func (e *engine) host() string { return "unix://" + e.path }

func (e *engine) open() {
	e.t.Helper()
	listener, err := net.Listen("unix", e.path)
	if err != nil {
		e.t.Fatal(err)
	}
	e.mu.Lock()
	e.listener = listener
	e.mu.Unlock()
	e.work.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			e.carry(in)
		}
	})
}

func (e *engine) carry(in net.Conn) {
	path, isUnix := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://")
	if !isUnix {
		path = "/var/run/docker.sock"
	}
	out, err := net.Dial("unix", path)
	if err != nil {
		_ = in.Close()
		return
	}
	e.mu.Lock()
	e.conns = append(e.conns, in, out)
	e.mu.Unlock()
	for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
		e.work.Go(func() {
			_, _ = io.Copy(pair[0], pair[1])
			if half, ok := pair[0].(*net.UnixConn); ok {
				_ = half.CloseWrite()
			}
		})
	}
}

// cut ends every connection and accepts no more.
func (e *engine) cut() {
	e.mu.Lock()
	_ = e.listener.Close()
	for _, conn := range e.conns {
		_ = conn.Close()
	}
	e.conns = nil
	e.mu.Unlock()
	e.work.Wait()
}

// TestEngineThatStopsAndComesBack cuts the gateway off from its engine: the open
// session continues, a new one is refused with a hint, and the next start ends
// the box that could not be ended.
func TestEngineThatStopsAndComesBack(t *testing.T) {
	testenv.Heavy(t)
	e := newEngine(t)
	g := start(t, settings{env: []string{"DOCKER_HOST=" + e.host()}})
	c := g.curl(t, "agent")
	c.open(`{"name": "first"}`)
	e.cut()
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	problem := c.post("/v1/sessions", `{"name": "second"}`).problem(fault.SandboxRuntimeRequired)
	if problem["hint"] == nil {
		t.Errorf("no hint: %v", problem)
	}
	if closed := c.post("/v1/sessions/first/close", "").object(http.StatusOK); closed["state"] != "closed" {
		t.Errorf("closed %v", closed)
	}
	e.open()
	c.open(`{"name": "third"}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	c.post("/v1/sessions/third/archive", "").object(http.StatusOK)
	g.end(syscall.SIGTERM) // the box is tried again each minute, and at each start
	g.run()
	g.settled(t)
	g.trailHolds(t)
}
