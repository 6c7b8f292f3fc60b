package gateway

import (
	"context"
	"errors"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// slow is a gateway whose clicks last until the test releases them or their call
// is cancelled.
type slow struct {
	*records
	began chan string   // the clicked references
	let   chan struct{} // lets a click end
}

// openSlow opens a gateway where the click of a cancelled call ends with the
// result of ends.
func openSlow(t *testing.T, ends func(context.Context) error) *slow {
	t.Helper()
	c := openManyAgents(t, limits(5, 10))
	s := &slow{began: make(chan string, 8), let: make(chan struct{})}
	c.click = func(ctx context.Context, ref string) error {
		s.began <- ref
		select {
		case <-s.let:
			return nil
		case <-ctx.Done():
			return ends(ctx)
		}
	}
	s.records = &records{tokens: map[action.Role]string{}, trail: c.trail}
	s.serve(t, c.Gate, t.TempDir())
	return s
}

func givesUp(ctx context.Context) error { return context.Cause(ctx) }
func isDone(context.Context) error      { return nil }

// try clicks, and cancels the call when cancel is called.
func (s *slow) try(t *testing.T, p *person, ref string) (cancel func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	params := &sdk.CallToolParams{Name: "browser_click", Arguments: map[string]any{"target": ref}}
	params.SetProgressToken("p")
	left := make(chan struct{})
	go func() {
		defer close(left)
		if result, err := p.CallTool(ctx, params); err == nil && ctx.Err() != nil {
			t.Errorf("a cancelled call was answered: %+v", result)
		}
	}()
	return func() {
		stop()
		<-left
	}
}

// outcome returns the only outcome of the clicks with this result.
func (s *slow) outcome(t *testing.T, result string) action.Record {
	t.Helper()
	ctx := testwait.Context(t)
	found := errors.New("found")
	var outcome action.Record
	err := s.trail.Follow(ctx, "default", 0, func(r action.Record) error {
		if r.EventType == action.EventOutcome && r.Action == "page.click" && r.Result == result {
			outcome = r
			return found
		}
		return nil
	})
	if !errors.Is(err, found) {
		t.Fatalf("no outcome is %s: %v", result, err)
	}
	page, err := s.trail.Query(t.Context(), action.AuditQuery{Limit: 1000}, "default")
	check(t, err)
	for _, r := range page.Records {
		if r.EventType == action.EventOutcome && r.CorrelationID == outcome.CorrelationID && r.Seq != outcome.Seq {
			t.Errorf("there is another outcome: %+v", r)
		}
	}
	return outcome
}

// intents waits until this many intents are recorded.
func (s *slow) intents(t *testing.T, n int) {
	t.Helper()
	ctx := testwait.Context(t)
	enough := errors.New("enough")
	err := s.trail.Follow(ctx, "default", 0, func(r action.Record) error {
		if r.EventType == action.EventIntent && r.Action == "page.click" {
			n--
		}
		if n == 0 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatalf("%d intents are missing: %v", n, err)
	}
}

// notices returns what the next answer says about cancelled calls.
func (p *person) notices(t *testing.T) (said []string) {
	t.Helper()
	result, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_snapshot"})
	if err != nil || result.IsError {
		t.Fatalf("%v %+v", err, result)
	}
	for line := range strings.SplitSeq(result.Content[0].(*sdk.TextContent).Text, "\n") {
		if _, words, found := strings.Cut(line, "the call before, "); found {
			said = append(said, words)
		}
	}
	return said
}

// checkCancelled checks what a cancelled call has left: one outcome, and one
// notice to the agent, once.
func (s *slow) checkCancelled(t *testing.T, p *person, became string) {
	t.Helper()
	if outcome := s.outcome(t, "cancelled"); !strings.Contains(outcome.Detail, became) {
		t.Errorf("outcome %+v", outcome)
	}
	if said := p.notices(t); len(said) != 1 || said[0] != "browser_click, was cancelled: "+became {
		t.Errorf("the next answer says %q", said)
	}
	if said := p.notices(t); len(said) != 0 {
		t.Errorf("the one after it says %q", said)
	}
}

func overBothSlow(t *testing.T, ends func(context.Context) error, f func(t *testing.T, s *slow, p *person)) {
	t.Helper()
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			s := openSlow(t, ends)
			p := s.person(t, transport(t, s.records), "2025-11-25", nil, nil)
			if said := p.notices(t); len(said) != 0 { // the first call starts the session
				t.Errorf("the first answer says %q", said)
			}
			f(t, s, p)
		})
	}
}

func TestACallCancelledDuringItsApprovalIsNotCarriedOut(t *testing.T) {
	overBothSlow(t, givesUp, func(t *testing.T, s *slow, p *person) {
		cancel := s.try(t, p, "e7")
		id := p.question(t)
		cancel()
		s.checkCancelled(t, p, "it was not carried out")
		if got := s.state(t, id); got != "pending" {
			t.Errorf("its question is %s", got)
		}
	})
}

func TestACallCancelledInTheQueueIsNotCarriedOut(t *testing.T) {
	overBothSlow(t, givesUp, func(t *testing.T, s *slow, p *person) {
		came := p.click(t)
		testwait.Receive(t, s.began, "the first click")
		cancel := s.try(t, p, "e2")
		s.intents(t, 2)
		cancel()
		if outcome := s.outcome(t, "cancelled"); !strings.Contains(outcome.Detail, "it was not carried out") {
			t.Errorf("outcome %+v", outcome)
		}
		close(s.let)
		first := testwait.Receive(t, came, "the first click's answer") // the next answer
		if words := first.Content[0].(*sdk.TextContent).Text; strings.Count(words, "the call before, browser_click, was cancelled: it was not carried out") != 1 {
			t.Errorf("the next answer is %s", words)
		}
		if said := p.notices(t); len(said) != 0 || len(s.began) != 0 {
			t.Errorf("the one after it says %q; %d more clicks", said, len(s.began))
		}
	})
}

func TestACallCancelledDuringItsActionReportsTheOutcome(t *testing.T) {
	for became, ends := range map[string]func(context.Context) error{"it may have been carried out": givesUp, "it was carried out": isDone} {
		t.Run(became, func(t *testing.T) {
			overBothSlow(t, ends, func(t *testing.T, s *slow, p *person) {
				cancel := s.try(t, p, "e1")
				testwait.Receive(t, s.began, "the click")
				cancel()
				s.checkCancelled(t, p, became)
			})
		})
	}
}
