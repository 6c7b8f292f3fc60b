package bench

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/sandbox/enginetest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const sampleTime = 5 * time.Second // of processor time

// BenchmarkFrozen freezes the session of a page and wakes it up: the share of a
// processor that its box takes, and how long a call takes, beside the same call
// of a session that is awake: one after another, and after four seconds without
// any. "animated" draws in every frame.
func BenchmarkFrozen(b *testing.B) {
	for name, script := range map[string]string{
		"still":    "1",
		"animated": "document.body.animate([{opacity: 1}, {opacity: .5}], {duration: 1000, iterations: Infinity}); 1",
	} {
		b.Run(name, func(b *testing.B) { frozen(b, script) })
	}
}

func frozen(b *testing.B, script string) {
	site := site(b)
	h := openGateway(b, site, func(c *config.Config) {
		c.Browser.FreezeAfter, c.Browser.Sandbox.WarmPool = 5, 0
		c.Security.MaxActions = -1
	})
	id := h.call(b, "", "session.start", &action.SessionStart{}).Session
	h.call(b, id, "page.goto", &action.Goto{URL: "http://localhost:" + portOf(b, site) + "/small"})
	h.call(b, id, "page.execute", &action.Execute{Expression: script})
	box := boxOf(b, h.shown(b, id).Box)
	title := func() time.Duration {
		begin := time.Now()
		h.call(b, id, "page.extract", &action.Extract{Mode: "title"})
		return time.Since(begin)
	}
	var awake, rested, woken []time.Duration
	var atWork, still time.Duration
	for b.Loop() {
		for range 5 {
			awake = append(awake, title())
		}
		atWork += h.spends(b, box, sampleTime-time.Second) // before it is frozen
		rested = append(rested, title())
		testwait.For(b, "the session to be frozen", func() bool { return h.shown(b, id).Frozen })
		still += h.spends(b, box, sampleTime)
		woken = append(woken, title())
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(median(awake)), "awake-ms")
	b.ReportMetric(milliseconds(median(rested)), "rested-ms")
	b.ReportMetric(milliseconds(median(woken)), "woken-ms")
	b.ReportMetric(100*float64(atWork)/float64(sampleTime-time.Second)/float64(len(woken)), "awake-%cpu")
	b.ReportMetric(100*float64(still)/float64(sampleTime)/float64(len(woken)), "frozen-%cpu")
	h.call(b, id, "session.close", nil)
}

func (h *localGateway) shown(b *testing.B, id string) action.Session {
	b.Helper()
	return *h.call(b, id, "session.show", &action.None{}).Data.(*action.Session)
}

// boxOf is the engine's id of a box.
func boxOf(b *testing.B, box string) string {
	b.Helper()
	out, err := exec.CommandContext(b.Context(), "docker", "ps", "-q", "--filter", "name="+box).Output()
	must(b, err)
	return strings.TrimSpace(string(out))
}

// spends is the processor time that a container has for a while.
func (h *localGateway) spends(b *testing.B, box string, while time.Duration) time.Duration {
	b.Helper()
	before := enginetest.ProcessorTime(b, box)
	<-time.After(while)
	return enginetest.ProcessorTime(b, box) - before
}
