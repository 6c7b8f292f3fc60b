package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const callers = 64 // at once

// BenchmarkAlone measures one caller. For comparison it measures a flushed write to a file, and a
// row in a plain table.
func BenchmarkAlone(b *testing.B) {
	text, err := json.Marshal(record(1))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("flush=file", func(b *testing.B) {
		file, err := os.Create(filepath.Join(b.TempDir(), "file"))
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		page := bytes.Repeat([]byte{'x'}, 4096+24) // one page of a write-ahead log
		for b.Loop() {
			if _, err := file.Write(page); err != nil {
				b.Fatal(err)
			}
			if err := file.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range settings {
		b.Run("flush="+c.name+"/table", func(b *testing.B) {
			db := plain(b, c.pragma)
			for b.Loop() {
				insert(b, db, text)
			}
		})
		b.Run("flush="+c.name+"/trail", func(b *testing.B) {
			s := newSealed(b, func(o *audit.Options) { o.NoFlush = c.name == "no" })
			for b.Loop() {
				if err := s.Begin(record(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTogether measures records per second of many callers. For comparison it measures a plain
// table with a commit for each record.
func BenchmarkTogether(b *testing.B) {
	text, err := json.Marshal(record(1))
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range settings {
		b.Run(fmt.Sprintf("flush=%s/table-%d", c.name, callers), func(b *testing.B) {
			db := plain(b, c.pragma)
			together(b, func() { insert(b, db, text) })
		})
		b.Run(fmt.Sprintf("flush=%s/trail-%d", c.name, callers), func(b *testing.B) {
			s := newSealed(b, func(o *audit.Options) { o.NoFlush = c.name == "no" })
			together(b, func() {
				if err := s.Begin(record(1)); err != nil {
					b.Error(err)
				}
			})
		})
	}
}

var settings = []struct{ name, pragma string }{{"no", "NORMAL"}, {"yes", "FULL"}}

// plain is a table without index, chain or trigger.
func plain(b *testing.B, synchronous string) *store.DB {
	b.Helper()
	db := openStore(b)
	for _, statement := range []string{"PRAGMA synchronous = " + synchronous, `CREATE TABLE plain (seq INTEGER PRIMARY KEY, record TEXT)`} {
		if _, err := db.Writer.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	return db
}

func insert(b *testing.B, db *store.DB, text []byte) {
	if _, err := db.Writer.Exec(`INSERT INTO plain (record) VALUES (?)`, text); err != nil {
		b.Error(err)
	}
}

// together shares the work among callers.
func together(b *testing.B, work func()) {
	b.Helper()
	todo := make(chan struct{}, callers)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range todo {
				work()
			}
		})
	}
	n := 0
	for b.Loop() {
		todo <- struct{}{}
		n++
	}
	close(todo)
	wg.Wait()
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkVerify measures the verification of one record.
func BenchmarkVerify(b *testing.B) {
	s := newSealed(b)
	fill(b, s.Log, 2000)
	s.sign(b)
	for b.Loop() {
		if v, err := s.Verify(b.Context()); err != nil || !v.OK {
			b.Fatal(v, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4000, "ns/record")
}
