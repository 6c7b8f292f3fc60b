package gate

import (
	"context"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

const (
	attendanceWindow = time.Minute     // for which a person who listed questions counts as attending
	unattendedWait   = 2 * time.Second // that an agent waits for a person when nobody follows questions
)

// attention tracks whether people follow the questions of a scope. The zero
// attention says that nobody does.
type attention struct {
	notifies func() bool // whether people are notified in another way; nil for none

	mu        sync.Mutex
	followers map[string]int
	listed    map[string]time.Time
}

// addFollower records a follower of a scope's questions until leave is called.
func (a *attention) addFollower(scope string) (leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.followers == nil {
		a.followers = map[string]int{}
	}
	a.followers[scope]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.followers[scope]--
	}
}

// noteListed records that a person has listed the questions of a scope.
func (a *attention) noteListed(scope string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listed == nil {
		a.listed = map[string]time.Time{}
	}
	a.listed[scope] = time.Now()
}

// isAttended reports whether a person can be expected to answer.
func (a *attention) isAttended(scope string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.followers[scope] > 0 || time.Since(a.listed[scope]) < attendanceWindow || a.notifies != nil && a.notifies()
}

// awaitAnswer waits for the answer to a question as long as its caller asked for.
// If nobody follows questions, an agent waits only for a short time.
func (g *Gate) awaitAnswer(ctx context.Context, call action.Call, q action.Question) (action.Question, error) {
	if call.Caller.Role != action.Agent || call.Wait <= unattendedWait || g.attention.isAttended(call.Caller.Scope) {
		return g.approvals.Await(ctx, q.ID, call.Wait)
	}
	answered, err := g.approvals.Await(ctx, q.ID, unattendedWait)
	if err != nil || answered.State != approval.Pending || !g.attention.isAttended(call.Caller.Scope) {
		return answered, err
	}
	return g.approvals.Await(ctx, q.ID, call.Wait-unattendedWait)
}

// unattendedNotes tells an agent that nobody follows a question, and how a person can
// answer it.
func (g *Gate) unattendedNotes(call action.Call, q action.Question) []string {
	if call.Caller.Role != action.Agent || g.attention.isAttended(call.Caller.Scope) {
		return nil
	}
	return []string{"nobody follows questions now: tell your user to run `glovebox approvals watch`, or `glovebox approvals approve " + q.ID +
		"`; until " + q.Expires.Local().Format("15:04:05") + " an answer counts"}
}
