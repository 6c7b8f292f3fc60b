package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

// The floors stand among the servers for the bare protocol.
const (
	floorKind peer.Kind = "floor"       // with a headless Chromium on this machine
	boxedKind peer.Kind = "boxed floor" // with the Chromium of a box
)

// target is one of those that are compared, and what was measured of it.
type target struct {
	kind   peer.Kind
	server *peer.Server // nil for the floors
	hand   hand
	gone   error // why it is left out, or was given up
	values map[string]float64
	notes  map[string]error // why a value is missing
}

func newTarget(kind peer.Kind) *target {
	return &target{kind: kind, values: map[string]float64{}, notes: map[string]error{}}
}

// comparison is one run.
type comparison struct {
	b       *testing.B
	site    *mcpSite
	targets []*target
	started time.Time
	load    string // load average before
}

// BenchmarkMCP compares Glovebox through MCP with the other servers and with
// the bare protocol: all take turns in each round. -write keeps the tables.
func BenchmarkMCP(b *testing.B) {
	c := &comparison{b: b, site: newMCPSite(b), started: time.Now(), load: loadAverage()}
	c.open()
	for range b.N { // once, with -benchtime 1x
		for _, r := range rows {
			if wanted(*only, r.name) {
				c.measure(r)
			}
		}
		for _, p := range parts {
			if wanted(*only, p.name) {
				p.do(c)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	c.report()
}

// parts are what is not timed in turns.
var parts = []struct {
	name string
	do   func(c *comparison)
}{
	{valSchemas, (*comparison).schemas}, {valChange, (*comparison).changes}, {valReal, (*comparison).snapshots},
	{valFrames, (*comparison).frames}, {rowSuggest, (*comparison).suggestions}, {"task", (*comparison).tasks}, {valSessions, (*comparison).sessions},
	{"memory", (*comparison).memory},
}

func wanted(pattern, name string) bool { return regexp.MustCompile(pattern).MatchString(name) }

// open starts everybody. Who cannot be installed or does not start is left
// out, and the tables say so.
func (c *comparison) open() {
	floor, box := newTarget(floorKind), newTarget(boxedKind)
	c.targets = append(c.targets, floor, box)
	floor.hand = newFloorHand(c.b)
	hand, _, err := newBoxedHand(c.b, c.site)
	if box.hand, box.gone = hand, err; err != nil {
		say("%s is left out: %v", box.kind, err)
	}
	for _, kind := range peer.Kinds() {
		if !wanted(*among, string(kind)) {
			continue
		}
		t := newTarget(kind)
		c.targets = append(c.targets, t)
		crew, err := peer.Open(c.b, kind, 1, c.site.own, c.site.other)
		if t.gone = err; err != nil {
			say("%s is left out: %v", kind, err)
			continue
		}
		t.server = crew[0]
		operator := sync.OnceValue(func() *peer.Server { return t.server.Operator(c.b) })
		t.hand = handOf(c.b.Context(), t.server, operator)
	}
}

// here are the targets that still run.
func (c *comparison) here() []*target {
	return slices.DeleteFunc(slices.Clone(c.targets), func(t *target) bool { return t.gone != nil })
}

// failed notes why a target has no value in a row, and gives up one that does
// not answer any more.
func (c *comparison) failed(t *target, name string, err error) {
	t.notes[name] = err
	var refused *peer.Refusal
	if t.server != nil && !errors.As(err, &refused) {
		if _, lost := t.hand.look(); lost != nil && !errors.As(lost, &refused) {
			t.gone = lost
			say("%s is gone: %v", t.kind, lost)
		}
	}
	say("%s, %s: %v", t.kind, name, err)
}

// row is one thing that is timed.
type row struct {
	name   string
	rounds int
	// ready brings the page up and returns what is done in each round. It may
	// tell the time it took itself; 0 leaves that to the caller.
	ready func(c *comparison, h hand) (func(round int) (time.Duration, error), error)
}

const (
	rowLimit = 15 * time.Second // after which a row ends, when it has its fewest rounds
	fewest   = 3
	warmUps  = 1 // rounds that are not counted
)

// measure has everybody do the row's thing in turns that rotate, and keeps the
// medians.
func (c *comparison) measure(r row) {
	type turn struct {
		*target
		do   func(round int) (time.Duration, error)
		took []time.Duration
	}
	var open []*turn
	for _, t := range c.here() {
		do, err := r.ready(c, t.hand)
		for i := 0; err == nil && i < warmUps; i++ {
			_, err = do(i)
		}
		if err != nil {
			c.failed(t, r.name, err)
			continue
		}
		open = append(open, &turn{target: t, do: do})
	}
	begin := time.Now()
	for round := 0; round < min(r.rounds, *rounds) && (round < fewest || time.Since(begin) < rowLimit); round++ {
		for i := range open {
			t := open[(round+i)%len(open)]
			if t.notes[r.name] != nil {
				continue
			}
			start := time.Now()
			took, err := t.do(round + warmUps)
			if took == 0 {
				took = time.Since(start)
			}
			if err != nil {
				c.failed(t.target, r.name, err)
				continue
			}
			t.took = append(t.took, took)
		}
	}
	for _, t := range open {
		if t.notes[r.name] == nil && len(t.took) > 0 {
			t.values[r.name] = milliseconds(median(t.took))
			say("%-28s %-24s %8.1f ms (%d rounds)", r.name, t.kind, t.values[r.name], len(t.took))
		}
	}
}

// say tells whoever waits how far it is: a benchmark's log comes at its end.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	var one string
	_, _ = fmt.Sscan(string(text), &one)
	return one
}

// bounded gives a part of the comparison that is not a row its time.
func (c *comparison) bounded(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.b.Context(), limit)
}
