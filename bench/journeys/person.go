package journeys

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
)

// question is one that a person was asked, and when the answer was given.
type question struct {
	action.Question
	Approved time.Time // just before the answer was sent; zero where it was refused
}

// person approves every question, and keeps them all.
type person struct {
	operator *client.Client
	mu       sync.Mutex
	asked    []question
}

// openPerson has a person answer for a gateway until the test ends.
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

// answer approves a question. One that is over by then was not answered, which
// is no error.
func (p *person) answer(ctx context.Context, q *action.Question) error {
	if q == nil || q.State != "pending" {
		return nil
	}
	place := p.keep(question{Question: *q, Approved: time.Now()})
	_, err := p.operator.Call(ctx, action.Call{Verb: "approval.answer", Args: &action.Answer{ID: q.ID, Approve: true, Reason: "it is part of the journey"}})
	if ctx.Err() != nil {
		return fmt.Errorf("the journey is over: %w", ctx.Err())
	}
	if err != nil {
		p.mu.Lock()
		p.asked[place].Approved = time.Time{}
		p.mu.Unlock()
	}
	return nil
}

// keep adds a question, before it is answered: what was asked is known as soon
// as an act goes on.
func (p *person) keep(q question) (place int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, q)
	return len(p.asked) - 1
}

// since returns the questions of a session that were asked after the first n
// of all, and how many there are in all.
func (p *person) since(session string, n int) (fresh []question, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.asked[n:] {
		if q.Session == session {
			fresh = append(fresh, q)
		}
	}
	return fresh, len(p.asked)
}
