package tasks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/person"
	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
)

const taskLimit = 3 * time.Minute // of one task, on a machine that is busy

// Outcome is what came of a task with a server.
type Outcome struct {
	Task   string
	Err    error // nil: the goal was reached
	Calls  int
	Tokens int // of all answers, in o200k
	Took   time.Duration
}

// Cannot reports whether the server has no tool for the task.
func (o Outcome) Cannot() bool { return errors.Is(o.Err, errCannot) }

// Worker does tasks with one server.
type Worker struct {
	server *peer.Server
	sites  *siteServer
	person *person.Person // nil for servers that ask nobody
}

// newWorker has a server do tasks on the sites of a server.
func newWorker(server *peer.Server, h *siteServer, p *person.Person) *Worker {
	return &Worker{server: server, sites: h, person: p}
}

// Do does a task on a fresh run of its site, and has the site judge it.
func (w *Worker) Do(ctx context.Context, site sites.Site, seed uint64) Outcome {
	script, known := policies()[site.Name]
	if !known {
		return Outcome{Task: site.Name, Err: fmt.Errorf("no policy does %q", site.Name)}
	}
	ctx, cancel := context.WithTimeout(ctx, taskLimit)
	defer cancel()
	run := w.sites.begin(site, seed)
	if err := handsOf(ctx, w.server).reset(); err != nil {
		return Outcome{Task: site.Name, Err: fmt.Errorf("no empty tab: %w", err)}
	}
	if w.person != nil {
		w.person.Agree(site.Person)
	}
	h := handsOf(ctx, w.server)
	a := &Agent{hands: h, told: run.Told, base: w.sites.address + run.Path}
	begin := time.Now()
	a.Open("")
	script(a)
	o := Outcome{Task: site.Name, Took: time.Since(begin), Calls: h.cost().calls, Tokens: h.cost().tokens}
	o.Err = w.verdict(ctx, run, a)
	return o
}

// verdict is the site's. What a page tells its site after the last call may be
// on its way still, so the site is asked until it says yes, for a while.
func (w *Worker) verdict(ctx context.Context, run *sites.Run, a *Agent) error {
	if errors.Is(a.err, errCannot) {
		return a.err
	}
	wrong := run.Settled(ctx, a.answer)
	if wrong != nil && a.err != nil {
		return fmt.Errorf("%w; %w", a.err, wrong)
	}
	return wrong
}

func policies() map[string]policy {
	all := map[string]policy{}
	for _, some := range []map[string]policy{forms, tables, lists, widgets, content, places} {
		maps.Copy(all, some)
	}
	return all
}

// skilled is hands that count what they cost.
type skilled interface {
	hands
	cost() *wire
}

func (w *wire) cost() *wire { return w }

func handsOf(ctx context.Context, s *peer.Server) skilled {
	w := wire{ctx: ctx, server: s}
	switch s.Kind {
	case peer.AgentBrowser:
		return &agentBrowser{w}
	case peer.DevTools:
		return &devTools{w}
	case peer.Playwright, peer.PlaywrightTuned:
		return &playwright{w}
	}
	return &glovebox{w}
}
