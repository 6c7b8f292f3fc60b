// Package person answers the questions of a gateway over REST, as a person does
// who is asked.
package person

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
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

// Person answers every question, and keeps them all.
type Person struct {
	operator *client.Client
	refuses  atomic.Bool
	mu       sync.Mutex
	asked    []Question
}

// Open has a person answer for a gateway until the test ends, who agrees to
// everything unless Agree says otherwise.
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

// Agree says whether the person approves what is asked from now on, or refuses
// it.
func (p *Person) Agree(agrees bool) { p.refuses.Store(!agrees) }

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

// answer answers a question. One that is over by then was not answered, which
// is no error.
func (p *Person) answer(ctx context.Context, q *action.Question) error {
	if q == nil || q.State != "pending" {
		return nil
	}
	agrees := !p.refuses.Load()
	kept := Question{Question: *q}
	if agrees {
		kept.Approved = time.Now()
	}
	place := p.keep(kept)
	_, err := p.operator.Call(ctx, action.Call{Verb: "approval.answer", Args: &action.Answer{ID: q.ID, Approve: agrees, Reason: "the task says so"}})
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
