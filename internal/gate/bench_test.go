package gate_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// BenchmarkCall measures the gate alone, with sessions that do nothing: a click
// whose intent is flushed to disk before it runs, the same without the flush, and
// a read. Flush measures one flush of this disk: a page appended to a file, and
// fsync.
func BenchmarkCall(b *testing.B) {
	for _, of := range []struct {
		name string
		lazy bool
		call action.Call
	}{
		{"click, flushed", false, click(agent)}, {"click, not flushed", true, click(agent)}, {"read", false, snapshot(agent)},
	} {
		b.Run(of.name, func(b *testing.B) {
			g := bare(b, of.lazy)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Call(b.Context(), of.call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("flush", func(b *testing.B) {
		file, err := os.Create(filepath.Join(b.TempDir(), "flushed"))
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		page := make([]byte, 4096)
		for b.Loop() {
			if _, err := file.Write(page); err != nil {
				b.Fatal(err)
			}
			if err := file.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// bare is a gate whose clicks are LOW.
func bare(b *testing.B, lazy bool) *gate.Gate {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"))
	must(b, err)
	trail, err := audit.Open(b.Context(), audit.Options{DB: db, Log: log, NoFlush: lazy})
	must(b, err)
	queue, err := approval.Open(b.Context(), approval.Options{DB: db, Log: log})
	must(b, err)
	rules, err := policy.New(policy.Config{Enabled: true})
	must(b, err)
	pageSessions := &fakeSessions{element: &action.Element{Role: "tab", Name: "History"}}
	g, err := gate.New(gate.Options{Sessions: pageSessions, Policy: rules, Approvals: queue, Audit: trail, Log: log})
	must(b, err)
	b.Cleanup(func() {
		queue.Close()
		trail.Close()
		must(b, db.Close())
	})
	return g
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
