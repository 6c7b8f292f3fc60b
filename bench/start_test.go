package bench

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/gateway"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// image is what boxes are made of: $GLOVEBOX_BENCH_IMAGE, or that of a build
// from source.
func image() string {
	if tag := os.Getenv("GLOVEBOX_BENCH_IMAGE"); tag != "" {
		return tag
	}
	return "glovebox-browser:0.1.0-dev"
}

// localGateway is a gateway without surfaces, with the real engine.
type localGateway struct {
	*gateway.Gateway
	caller  action.Caller
	records *store.DB
	readied int // warm boxes that were waited for
}

func openGateway(b *testing.B, site string, change func(*config.Config)) *localGateway {
	b.Helper()
	if err := exec.CommandContext(b.Context(), "docker", "image", "inspect", image()).Run(); err != nil {
		b.Skipf("no image %s: glovebox image build", image())
	}
	dir, err := os.MkdirTemp("", "gb") // short: socket paths have 108 bytes
	must(b, err)
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := config.Default()
	c.Server.StateDir = dir
	c.Browser.Sandbox.Image = image()
	c.Security.MaxConcurrent, c.Security.MaxSessions = -1, -1
	c.Security.Network.Navigation = []string{"localhost"}
	c.Security.Network.AllowPrivate = []string{"localhost:" + portOf(b, site)}
	change(&c)
	h := &localGateway{caller: action.Caller{Actor: "bench", Scope: "bench", Role: action.Operator}}
	h.Gateway, err = gateway.Open(b.Context(), c, "bench", nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(b, err)
	h.records, err = store.Open(b.Context(), filepath.Join(dir, "glovebox.db"))
	must(b, err)
	b.Cleanup(func() {
		must(b, h.records.Close())
		if err := h.Close(testwait.Context(b)); err != nil {
			b.Error(err)
		}
	})
	return h
}

func portOf(b *testing.B, address string) string {
	b.Helper()
	u, err := url.Parse(address)
	must(b, err)
	return u.Port()
}

func (h *localGateway) call(b *testing.B, session, verb string, args any) action.Result {
	b.Helper()
	result, err := h.Gate.Call(b.Context(), action.Call{Verb: verb, Session: session, Args: args, Caller: h.caller, Surface: "bench"})
	if err != nil {
		b.Fatalf("%s: %v", verb, err)
	}
	return result
}

// start starts a session, goes to a page, and ends it. It returns how long
// the first two took.
func (h *localGateway) start(b *testing.B, address string) (started, shown time.Duration) {
	b.Helper()
	begin := time.Now()
	id := h.call(b, "", "session.start", &action.SessionStart{}).Session
	started = time.Since(begin)
	begin = time.Now()
	h.call(b, id, "page.goto", &action.Goto{URL: address})
	shown = time.Since(begin)
	h.call(b, id, "session.close", nil)
	return started, shown
}

// ready waits until one more box is warm. The record of it belongs to no
// scope, so that the gate shows it to nobody.
func (h *localGateway) ready(b *testing.B) {
	b.Helper()
	h.readied++
	testwait.For(b, "a warm box", func() bool {
		var seen int
		must(b, h.records.Reader.QueryRowContext(b.Context(), `SELECT COUNT(*) FROM audit WHERE record LIKE '%warm box is ready%'`).Scan(&seen))
		return seen >= h.readied
	})
}

func BenchmarkSessionStartWarm(b *testing.B) {
	site := site(b)
	h := openGateway(b, site, func(c *config.Config) { c.Browser.Sandbox.WarmPool = 1 })
	var took []time.Duration
	for b.Loop() {
		h.ready(b)
		started, _ := h.start(b, "http://localhost:"+portOf(b, site)+"/small")
		took = append(took, started)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(median(took)), "start-ms")
}

// BenchmarkSessionStartCold starts boxes with half a processor and with a
// whole one in turn, and beside them what is not ours to make faster: a
// container of the engine that ends at once, and a Chromium that is asked for
// a page.
func BenchmarkSessionStartCold(b *testing.B) {
	site := site(b)
	address := "http://localhost:" + portOf(b, site) + "/table"
	share := []float64{0.5, 1}
	var gateways []*localGateway
	for _, cpus := range share {
		gateways = append(gateways, openGateway(b, site, func(c *config.Config) {
			c.Browser.Sandbox.WarmPool, c.Browser.Sandbox.Container.CPUs = 0, cpus
		}))
	}
	started, shown := make([][]time.Duration, len(share)), make([][]time.Duration, len(share))
	var engine, browser []time.Duration
	for b.Loop() {
		for i, h := range gateways {
			start, show := h.start(b, address)
			started[i], shown[i] = append(started[i], start), append(shown[i], show)
		}
		engine = append(engine, bareContainer(b))
		browser = append(browser, bareChromium(b))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(median(engine)), "engine-ms")
	b.ReportMetric(milliseconds(median(browser)), "chromium-ms")
	for i, cpus := range share {
		b.ReportMetric(milliseconds(median(started[i])), fmt.Sprintf("start-%gcpu-ms", cpus))
		b.ReportMetric(milliseconds(median(shown[i])), fmt.Sprintf("table-%gcpu-ms", cpus))
	}
}

// bareContainer is how long the engine takes for a container that ends at
// once.
func bareContainer(b *testing.B) time.Duration {
	b.Helper()
	begin := time.Now()
	must(b, exec.CommandContext(b.Context(), "docker", "run", "--rm", "--network", "none", "--entrypoint", "/bin/true", image()).Run())
	return time.Since(begin)
}

// bareChromium is how long Chromium takes from its start to an empty page, on
// this machine and with all of it.
func bareChromium(b *testing.B) time.Duration {
	b.Helper()
	begin := time.Now()
	c, err := browsertest.Start()
	must(b, err)
	defer c.Stop()
	browser, err := engine.Open(b.Context(), c.Transport(), engine.Options{Width: width, Height: height})
	must(b, err)
	took := time.Since(begin)
	_ = browser.Close()
	return took
}

// BenchmarkMemory is what the gateway itself holds for each open session that
// shows a page; the browser's memory is the box's.
func BenchmarkMemory(b *testing.B) {
	const sessions = 3
	site := site(b)
	h := openGateway(b, site, func(c *config.Config) { c.Browser.Sandbox.WarmPool = 0 })
	for b.Loop() {
		before := held()
		var open []string
		for range sessions {
			id := h.call(b, "", "session.start", &action.SessionStart{}).Session
			h.call(b, id, "page.goto", &action.Goto{URL: "http://localhost:" + portOf(b, site) + "/table"})
			h.call(b, id, "page.snapshot", &action.TakeSnapshot{})
			open = append(open, id)
		}
		b.ReportMetric(float64(held()-before)/sessions/1024, "KiB/session")
		for _, id := range open {
			h.call(b, id, "session.close", nil)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// held is the heap that is in use, in bytes.
func held() int64 {
	runtime.GC()
	runtime.GC() // what finalizers let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
