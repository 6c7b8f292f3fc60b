package guest_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// shortLease is a lease that a test waits for, and long enough for a busy machine to keep.
func shortLease(c *guest.Config) { c.Lease = 10 * time.Second }

// processStates counts the processes below root by their state (proc(5)).
func processStates(t *testing.T, root int) map[string]int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	parents, state := map[int]int{}, map[int]string{}
	for _, e := range entries {
		raw, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		pid, number := strconv.Atoi(e.Name())
		if err != nil || number != nil {
			continue
		}
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		state[pid] = fields[0]
		parents[pid], _ = strconv.Atoi(fields[1])
	}
	found := map[string]int{}
	for pid := range parents {
		for at := parents[pid]; at > 1; at = parents[at] {
			if at == root {
				found[state[pid]]++
				break
			}
		}
	}
	delete(found, "Z")
	return found
}

// startCounter starts a counter in a tab and returns a function that reads it.
func startCounter(t *testing.T, s sandbox.Stream) (count func() int) {
	t.Helper()
	session, id := attach(t, s), 200
	evaluate := func(expression string) string {
		id++
		return string(call(t, s, id, session+method("Runtime.evaluate"), `{"expression":"`+expression+`","returnByValue":true}`))
	}
	evaluate("n = 0; setInterval(() => n++, 10)")
	return func() int {
		var n int
		answer := evaluate("n")
		if _, err := fmt.Sscanf(answer[strings.Index(answer, `"value":`):], `"value":%d`, &n); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		return n
	}
}

// A box that is frozen for longer than its lease keeps the lease, because its guest
// still answers.
func TestFrozenBoxStopsAndKeepsItsLease(t *testing.T) {
	b, command := spawn(t, shortLease)
	count := startCounter(t, b.cdp())
	for count() < 5 {
		continue
	}
	if _, err := b.link.Freeze(testwait.Context(t)); err != nil {
		t.Fatal(err)
	}
	before := processStates(t, command.Process.Pid)
	if len(before) != 1 || before["T"] < 4 { // at least the browser, two zygotes and a renderer
		t.Fatalf("processes by state: %v", before)
	}
	b.eventually("a lease to go by", func(h sandbox.Health) bool {
		if !h.Frozen || h.Phase != "ready" || len(h.Renderers) == 0 {
			t.Fatalf("health %+v", h)
		}
		return time.Now().After(h.Since.Add(b.config.Lease + time.Second))
	})
	if after := processStates(t, command.Process.Pid); after["T"] != before["T"] || len(after) != 1 {
		t.Errorf("processes by state: %v", after)
	}
	was := count()
	for count() == was {
		continue
	}
	if left := processStates(t, command.Process.Pid); left["T"] != 0 {
		t.Errorf("processes by state after the thaw: %v", left)
	}
	if h := b.health(); h.Frozen || h.Restarts != 0 {
		t.Errorf("health after the thaw: %+v", h)
	}
}

func TestFrozenBoxCanBeEnded(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *box){
		"by a signal": func(_ *testing.T, b *box) { b.cancel() },
		"without a gateway": func(t *testing.T, b *box) {
			if err := b.link.Close(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := spawn(t, shortLease)
			h := b.health()
			if _, err := b.link.Freeze(testwait.Context(t)); err != nil {
				t.Fatal(err)
			}
			end(t, b)
			b.waitEnd()
			if !isGone(h.Browser.PID) {
				t.Error("the browser outlives the guest")
			}
		})
	}
}

func TestBrowserKilledWhileFrozenIsRestarted(t *testing.T) {
	b := start(t, func(c *guest.Config) { c.Headless, c.RestartAttempts = false, 1 })
	b.ready()
	before := b.health()
	if _, err := b.link.Freeze(testwait.Context(t)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(before.Browser.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	after := b.eventually("restart", func(h sandbox.Health) bool { return h.Restarts == 1 && h.Phase == "ready" })
	if after.Frozen {
		t.Errorf("it is still frozen: %+v", after)
	}
	wantVersion(t, b.cdp())
}
