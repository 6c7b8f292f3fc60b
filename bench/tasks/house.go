package tasks

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/tasks/sites"
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
)

// house is where the sites are, at two origins.
type house struct {
	*sites.Server
	address, far string // of the sites, and of the frames of another site
	begun        atomic.Int64
}

// openHouse serves the sites on ports that the system chooses, until the test
// ends. localhost and 127.0.0.1 are two sites to a browser.
func openHouse(tb testing.TB) *house {
	tb.Helper()
	far := httptest.NewUnstartedServer(nil)
	server := sites.New("http://" + far.Listener.Addr().String())
	far.Config.Handler = server
	far.Start()
	near := httptest.NewServer(server)
	tb.Cleanup(func() {
		for _, s := range []*httptest.Server{near, far} {
			s.CloseClientConnections()
			s.Close()
		}
	})
	return &house{Server: server, address: strings.Replace(near.URL, "127.0.0.1", "localhost", 1), far: far.URL}
}

// begin begins a run that no other has the address of.
func (h *house) begin(site sites.Site, seed uint64) *sites.Run {
	return h.Begin(site, fmt.Sprintf("run-%d", h.begun.Add(1)), seed)
}

// person answers what Glovebox asks: yes in tasks in which a person agrees,
// and no in all others, where nothing should be asked.
type person struct {
	operator *client.Client
	agrees   atomic.Bool
	asked    atomic.Int64
}

// attend says whether the person agrees from now on.
func (p *person) attend(agrees bool) {
	if p != nil {
		p.agrees.Store(agrees)
	}
}

// openPerson has a person answer for a server until the test ends.
func openPerson(tb testing.TB, server *peer.Server) *person {
	tb.Helper()
	operator, err := server.Person()
	if err != nil {
		tb.Fatal(err)
	}
	p := &person{operator: operator}
	ctx, stop := context.WithCancel(tb.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		if err := p.follow(ctx); ctx.Err() == nil {
			tb.Errorf("the person hears no more questions: %v", err)
		}
	}()
	tb.Cleanup(func() { stop(); <-over })
	return p
}

// follow hears questions until ctx ends. A stream that ends is taken up where
// it was.
func (p *person) follow(ctx context.Context) error {
	for heard := int64(0); ; {
		after := heard
		_, err := p.operator.Call(ctx, action.Call{
			Verb: "events.follow", Args: &action.FollowEvents{Kinds: "question", After: &after},
			Events: &action.EventWatch{Event: func(e action.Event) error {
				heard = e.ID
				return p.answer(ctx, e.Question)
			}},
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

func (p *person) answer(ctx context.Context, q *action.Question) error {
	if q == nil || q.State != "pending" {
		return nil
	}
	p.asked.Add(1)
	_, err := p.operator.Call(ctx, action.Call{Verb: "approval.answer", Args: &action.Answer{
		ID: q.ID, Approve: p.agrees.Load(), Reason: "the task says so",
	}})
	return err
}
