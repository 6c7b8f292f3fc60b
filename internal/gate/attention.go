package gate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

const (
	looksFor = time.Minute     // for which somebody who listed questions is taken to be there
	alone    = 2 * time.Second // that an agent waits for a person when nobody follows questions
)

// attention knows whether people follow the questions of a scope. The zero
// attention knows of nobody.
type attention struct {
	told func() bool // by another way; nil for none

	mu     sync.Mutex
	follow map[string]int
	looked map[string]time.Time
}

// follows notes that somebody follows the questions of a scope, until the
// function it returns is called.
func (a *attention) follows(scope string) (leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.follow == nil {
		a.follow = map[string]int{}
	}
	a.follow[scope]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.follow[scope]--
	}
}

// looks notes that somebody has listed the questions of a scope.
func (a *attention) looks(scope string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.looked == nil {
		a.looked = map[string]time.Time{}
	}
	a.looked[scope] = time.Now()
}

// there reports whether anybody is there to answer.
func (a *attention) there(scope string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.follow[scope] > 0 || time.Since(a.looked[scope]) < looksFor || a.told != nil && a.told()
}

// awaitAnswer waits for the answer to a question as long as its caller does. An
// agent whose question nobody follows is not kept waiting.
func (g *Gate) awaitAnswer(ctx context.Context, call action.Call, q action.Question) (action.Question, error) {
	if call.Caller.Role != action.Agent || call.Wait <= alone || g.attention.there(call.Caller.Scope) {
		return g.desk.Await(ctx, q.ID, call.Wait)
	}
	answered, err := g.desk.Await(ctx, q.ID, alone)
	if err != nil || answered.State != approval.Pending || !g.attention.there(call.Caller.Scope) {
		return answered, err
	}
	return g.desk.Await(ctx, q.ID, call.Wait-alone)
}

// HasOpenQuestions reports whether people are asked about a session now. Where that is not
// known they are.
func (g *Gate) HasOpenQuestions(s action.Session) bool {
	ctx, cancel := context.WithTimeout(context.Background(), wishLimit) // it belongs to no call
	defer cancel()
	waiting, err := g.desk.List(ctx, s.Scope, approval.Pending)
	return err != nil || slices.ContainsFunc(waiting.Questions, func(q action.Question) bool { return q.Session == s.ID })
}

// unheard says that nobody follows a question, and how a person gets to it.
func (g *Gate) unheard(call action.Call, q action.Question) []string {
	if call.Caller.Role != action.Agent || g.attention.there(call.Caller.Scope) {
		return nil
	}
	return []string{"nobody follows questions now: tell your user to run `glovebox approvals watch`, or `glovebox approvals approve " + q.ID +
		"`; until " + q.Expires.Local().Format("15:04:05") + " an answer counts"}
}
