// Package person answers the questions of a gateway over REST, as a person does
// who agrees to everything.
package person

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

// Question is one that a person was asked, and when the answer was given.
type Question struct {
	action.Question
	Approved time.Time // just before the answer was sent; zero where it was refused
}

// Person approves every question, and keeps them all.
type Person struct {
	operator *client.Client
	mu       sync.Mutex
	asked    []Question
}

// Open has a person answer for a gateway until the test ends.
func Open(tb testing.TB, server *peer.Server) *Person {
	tb.Helper()
	operator, err := server.Person()
	if err != nil {
		tb.Fatal(err)
	}
	p := &Person{operator: operator}
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
func (p *Person) follow(ctx context.Context) error {
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
func (p *Person) answer(ctx context.Context, q *action.Question) error {
	if q == nil || q.State != "pending" {
		return nil
	}
	place := p.keep(Question{Question: *q, Approved: time.Now()})
	_, err := p.operator.Call(ctx, action.Call{Verb: "approval.answer", Args: &action.Answer{ID: q.ID, Approve: true, Reason: "it is part of the task"}})
	if ctx.Err() != nil {
		return fmt.Errorf("the test is over: %w", ctx.Err())
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
func (p *Person) keep(q Question) (place int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, q)
	return len(p.asked) - 1
}

// Since returns the questions of a session that were asked after the first n
// of all, and how many there are in all.
func (p *Person) Since(session string, n int) (fresh []Question, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.asked[n:] {
		if q.Session == session {
			fresh = append(fresh, q)
		}
	}
	return fresh, len(p.asked)
}
