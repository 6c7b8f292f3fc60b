// Package bench measures Glovebox against the bare protocol in the same run,
// on the same pages: floor is the fewest protocol calls that do the thing at
// all, engine adds finding, checking and pinning, gate adds judging and the
// audit. Results with date and machine are in docs/benchmarks.md.
package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const width, height = 1280, 720

// rig is one way of doing things to a page.
type rig struct {
	load     func(url string)
	click    func()
	fill     func(text string)
	snapshot func()
	shoot    func()       // a screenshot
	size     func() int   // bytes of a snapshot as an agent gets it
	calls    func() int64 // protocol messages sent so far
}

var rigs = []struct {
	name string
	open func(b *testing.B) rig
}{
	{"floor", floorRig}, {"engine", engineRig}, {"gate", gateRig},
}

func BenchmarkClick(b *testing.B) {
	turns(b, "/small", func(r rig, _ int) { r.click() })
}

func BenchmarkType(b *testing.B) {
	turns(b, "/small", func(r rig, round int) { r.fill(fmt.Sprintf("some text %d", round)) })
}

func BenchmarkSnapshotSmall(b *testing.B) {
	benchmarkSnapshot(b, "/small")
}

func BenchmarkSnapshotTable(b *testing.B) {
	benchmarkSnapshot(b, "/table")
}

func benchmarkSnapshot(b *testing.B, path string) {
	for i, r := range turns(b, path, func(r rig, _ int) { r.snapshot() }) {
		b.ReportMetric(float64(r.size()), rigs[i].name+"-bytes")
	}
}

func BenchmarkClickTable(b *testing.B) {
	turns(b, "/table", func(r rig, _ int) { r.click() })
}

// The same on pages as applications have them, of 5,000 and 50,000 nodes.

func BenchmarkLargeClick(b *testing.B) {
	onLarge(b, func(r rig, _ int) { r.click() })
}

func BenchmarkLargeType(b *testing.B) {
	onLarge(b, func(r rig, round int) { r.fill(fmt.Sprintf("some text %d", round)) })
}

func BenchmarkLargeSnapshot(b *testing.B) {
	onLarge(b, func(r rig, _ int) { r.snapshot() })
}

func BenchmarkLargeScreenshot(b *testing.B) {
	onLarge(b, func(r rig, _ int) { r.shoot() })
}

func onLarge(b *testing.B, do func(r rig, round int)) {
	for _, size := range []string{"5k", "50k"} {
		b.Run(size, func(b *testing.B) { turns(b, "/"+size, do) })
	}
}

func BenchmarkNavigate(b *testing.B) {
	address := site(b) + "/small"
	turnsAt(b, address, func(r rig, _ int) { r.load(address) })
}

func chromium(b *testing.B) *counted {
	b.Helper()
	c := browsertest.For(b)
	return &counted{Pieces: pieces(b, c)}
}

func pieces(b *testing.B, c *browsertest.Chromium) cdp.Pieces {
	b.Helper()
	pipe, ok := c.Transport().(cdp.Pieces)
	if !ok {
		b.Fatal("the pipe does not hand out pieces")
	}
	return pipe
}

func floorRig(b *testing.B) rig {
	ctx := b.Context()
	wire := chromium(b)
	f := newFloor(ctx, b, wire)
	return rig{
		calls:    wire.sent.Load,
		size:     func() int { return f.snapshot(ctx, b) },
		load:     func(url string) { f.load(url) },
		click:    func() { f.click(ctx, b, "#count") },
		fill:     func(text string) { f.fill(ctx, b, "#name", text) },
		snapshot: func() { f.snapshot(ctx, b) },
		shoot:    func() { f.shoot(ctx, b) },
	}
}

func engineRig(b *testing.B) rig {
	ctx := b.Context()
	browser, wire := openPage(b)
	return verbs(b, wire, func(verb string, args any) (action.Result, error) {
		_, pin, err := browser.Look(ctx, verb, args)
		if err != nil {
			return action.Result{}, err
		}
		return browser.Do(ctx, verb, args, pin)
	})
}

func openPage(b *testing.B) (*engine.Browser, *counted) {
	b.Helper()
	wire := chromium(b)
	browser, err := engine.Open(b.Context(), wire, engine.Options{Width: width, Height: height, Guard: func(string) error { return nil }})
	must(b, err)
	b.Cleanup(func() { _ = browser.Close() })
	return browser, wire
}

func verbs(b *testing.B, wire *counted, call func(verb string, args any) (action.Result, error)) rig {
	do := func(verb string, args any) action.Result {
		b.Helper()
		result, err := call(verb, args)
		if err != nil {
			b.Fatalf("%s: %v", verb, err)
		}
		return result
	}
	return rig{
		calls: wire.sent.Load,
		size: func() int {
			shown, _ := do("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot)
			return len(shown.Text)
		},
		load:  func(url string) { do("page.goto", &action.Goto{URL: url}) },
		click: func() { do("page.click", &action.Click{Locator: action.Locator{Selector: "#count"}}) },
		fill: func(text string) {
			do("page.type", &action.Type{Locator: action.Locator{Selector: "#name"}, Input: text, Clear: true})
		},
		snapshot: func() { do("page.snapshot", &action.TakeSnapshot{}) },
		shoot:    func() { do("page.screenshot", &action.TakeScreenshot{}) },
	}
}

// single is the gate's view of one browser that is always open.
type single struct{ browser *engine.Browser }

func (s single) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	var facts action.Facts
	var pin action.Pin
	var err error
	if call.Verb != attachVerb { // which is the session room's
		facts, pin, err = s.browser.Look(ctx, call.Verb, call.Args)
	}
	facts.Session = action.SessionFacts{ID: "bench", State: "open"}
	if facts.Destination != nil {
		facts.Destination.Host, facts.Destination.Allowed = "127.0.0.1", true
	}
	return facts, pin, err
}

func (single) Picture(context.Context, action.Call, action.Pin) (action.Picture, error) {
	return nil, errors.New("nobody watches here")
}

func (s single) TargetScreenshot(context.Context, action.Call, action.Pin) (string, error) {
	return "", nil
}

// Pause pauses nothing: nobody asks for it here.
func (s single) Pause(context.Context, string, string, string) error {
	return errors.New("there is nobody to pause for")
}

// RequestableHost knows no host: every one is open.
func (s single) RequestableHost(string, string) string { return "" }

// PageAct is for no call that is measured.
func (single) PageAct(_ context.Context, call action.Call) (action.Call, bool, error) {
	return call, false, nil
}

// QueueNotice is for no call that is measured.
func (s single) QueueNotice(string, string) {}

func (s single) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	return s.browser.Do(ctx, call.Verb, call.Args, pin)
}

func gateRig(b *testing.B) rig {
	door, wire := openDoor(b)
	caller := action.Caller{Actor: "bench", Scope: "bench", Role: action.Agent}
	return verbs(b, wire, func(verb string, args any) (action.Result, error) {
		return door.Call(b.Context(), action.Call{Verb: verb, Args: args, Caller: caller, Surface: "bench"})
	})
}

// openDoor is a gate with everything real, before one open page.
func openDoor(b *testing.B) (*gate.Gate, *counted) {
	b.Helper()
	ctx := b.Context()
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(ctx, filepath.Join(b.TempDir(), "glovebox.db"))
	must(b, err)
	b.Cleanup(func() { _ = db.Close() })
	trail, err := audit.Open(ctx, audit.Options{DB: db, Log: log})
	must(b, err)
	b.Cleanup(trail.Close)
	desk, err := approval.Open(ctx, approval.Options{DB: db, Log: log})
	must(b, err)
	browser, wire := openPage(b)
	rules, err := policy.New(policy.Config{Enabled: true, Trusted: []string{"127.0.0.1"}})
	must(b, err)
	door, err := gate.New(gate.Options{Sessions: single{browser}, Policy: rules, Approvals: desk, Audit: trail, Log: log})
	must(b, err)
	return door, wire
}
