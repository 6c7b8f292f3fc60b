package gate_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// TestUnansweredQuestionsAreRecorded checks the record of a question that nobody
// answered.
func TestUnansweredQuestionsAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, policy.Config{Enabled: true})
		defer h.close(t)
		call := click(agent)
		call.Wait = time.Second
		result, err := h.Call(context.Background(), call)
		if err != nil || result.Pending == nil {
			t.Fatalf("got %+v, %v", result, err)
		}
		next, err := approval.Open(context.Background(), approval.Options{DB: h.db, Log: slog.New(slog.DiscardHandler), OnEnded: gate.RecordEnded(h.audit)})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		next.Close()
		var answers []action.Record
		for _, r := range h.records(t) {
			if r.EventType == action.EventAnswer {
				answers = append(answers, r)
			}
		}
		if len(answers) != 1 || answers[0].ApprovalID != result.Pending.Approval || answers[0].HITLDecision != approval.Denied ||
			answers[0].AnsweredBy != "" || answers[0].Actor != "" || answers[0].SessionID != "s1" || answers[0].Action != "page.click" ||
			answers[0].Detail != "question "+result.Pending.Approval+": the gateway restarted" {
			t.Errorf("the trail holds %+v", answers)
		}
	})
}
