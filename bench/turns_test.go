package bench

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// counted counts the messages that are sent.
type counted struct {
	cdp.Pieces
	sent atomic.Int64
}

// Write sends a message.
func (c *counted) Write(message []byte) error {
	c.sent.Add(1)
	return c.Pieces.Write(message)
}

// turns has all rigs do the same thing to a page, one after the other in each
// round and each beginning as often: on a machine that does other things too,
// only what was measured at the same time can be compared.
func turns(b *testing.B, path string, do func(r rig, round int)) []rig {
	return turnsAt(b, site(b)+path, do)
}

const warming = 5 // rounds that are not counted: caches fill, and code is compiled

func turnsAt(b *testing.B, address string, do func(r rig, round int)) []rig {
	open := make([]rig, len(rigs))
	for i, way := range rigs {
		open[i] = way.open(b)
		open[i].load(address)
		for round := range warming {
			do(open[i], round)
		}
	}
	took := make([][]time.Duration, len(rigs))
	before := make([]int64, len(rigs))
	for i, r := range open {
		before[i] = r.calls()
	}
	round := 0
	for ; b.Loop(); round++ {
		for step := range open {
			i := (round + step) % len(open)
			start := time.Now()
			do(open[i], round)
			took[i] = append(took[i], time.Since(start))
		}
	}
	b.ReportMetric(0, "ns/op") // of all together says nothing
	floor := median(took[0])
	for i, way := range rigs {
		mid := median(took[i])
		b.ReportMetric(float64(mid)/float64(time.Millisecond), way.name+"-ms")
		b.ReportMetric(float64(open[i].calls()-before[i])/float64(round), way.name+"-calls")
		if i > 0 {
			b.ReportMetric(float64(mid)/float64(floor), way.name+"/floor")
		}
	}
	return open
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
