package e2e

import (
	"context"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// person approves every question until the test ends, and records the questions.
type person struct {
	mu    sync.Mutex
	asked []string // verb and the element's name
}

// approving begins to answer questions.
func (g *gateway) approving(t *testing.T) *person {
	t.Helper()
	p := &person{}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	sinceEver := int64(0)
	go func() {
		defer close(over)
		_, err := g.operator.Call(ctx, action.Call{
			Verb: "events.follow", Args: &action.FollowEvents{Kinds: "question", After: &sinceEver},
			Events: &action.EventWatch{Event: func(e action.Event) error { return p.answer(ctx, g, e.Question) }},
		})
		if ctx.Err() == nil {
			t.Errorf("the person gets no more questions: %v", err)
		}
	}()
	t.Cleanup(func() { stop(); <-over })
	return p
}

func (p *person) answer(ctx context.Context, g *gateway, q *action.Question) error {
	if q == nil || q.State != "pending" {
		return nil
	}
	about := q.Verb
	if q.Element != nil {
		about += " " + q.Element.Name
	}
	p.mu.Lock()
	p.asked = append(p.asked, about)
	p.mu.Unlock()
	_, err := g.operator.Call(ctx, action.Call{Verb: "approval.answer", Args: &action.Answer{ID: q.ID, Approve: true, Reason: "the owner agreed"}})
	return err
}

// was lists what was asked so far.
func (p *person) was() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.asked...)
}
