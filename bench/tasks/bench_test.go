package tasks

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/person"
	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

var (
	peers = flag.Bool("peers", true, "do the tasks with the other servers too")
	only  = flag.String("only", "", "the tasks that are done, with commas between; all when empty")
	out   = flag.String("out", "", "the file whose part between the marks for tasks is written anew")
)

// BenchmarkTasks does every task with every server that is there, in turns.
func BenchmarkTasks(b *testing.B) {
	h := openSiteServer(b)
	report := newReport()
	var workers []*Worker
	for _, kind := range peer.Kinds() {
		if kind != peer.Glovebox && !*peers {
			continue
		}
		w, err := open(b, kind, h)
		var missing *peer.Missing
		if errors.As(err, &missing) {
			report.Missing = append(report.Missing, fmt.Sprintf("%s is %s.", kind, err))
			continue
		}
		if err != nil {
			b.Fatal(err)
		}
		workers, report.Kinds = append(workers, w), append(report.Kinds, kind)
	}
	for i, site := range sites.All() {
		if *only != "" && !strings.Contains(","+*only+",", ","+site.Name+",") {
			continue
		}
		for turn := range workers {
			w := workers[(i+turn)%len(workers)]
			o := w.Do(b.Context(), site, uint64(i))
			report.Note(w.server.Kind, o)
			fmt.Fprintf(os.Stderr, "%s, %s: %s\n", site.Name, w.server.Kind, o)
			if o.Err != nil { // whatever it left behind is not the next task's
				w.server.Close()
				fresh, err := open(b, w.server.Kind, h)
				if err != nil {
					b.Fatal(err)
				}
				workers[(i+turn)%len(workers)] = fresh
			}
		}
	}
	publish(b, report.Markdown())
}

func open(b *testing.B, kind peer.Kind, h *siteServer) (*Worker, error) {
	b.Helper()
	crew, err := peer.Open(b, kind, 1, h.address, h.far)
	if err != nil {
		return nil, err
	}
	var p *person.Person
	if kind == peer.Glovebox {
		p = person.Open(b, crew[0])
	}
	return newWorker(crew[0], h, p), nil
}

// publish writes the tables into the file that was named, or shows them.
func publish(b *testing.B, tables string) {
	b.Helper()
	if *out == "" {
		fmt.Println(tables)
		return
	}
	measured := fmt.Sprintf("Measured on %s.\n\n", time.Now().UTC().Format(time.DateOnly))
	if err := golden.Write(*out, "tasks", measured+tables); err != nil {
		b.Fatal(err)
	}
}
