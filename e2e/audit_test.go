package e2e

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// trail reads the whole trail of the operator's scope, page by page.
func (g *gateway) trail(t *testing.T) []action.Record {
	t.Helper()
	var all []action.Record
	after := int64(1) // the first record is the start of the gateway
	for {
		result, err := g.operator.Call(t.Context(), action.Call{Verb: "audit.query", Args: &action.AuditQuery{After: after, Limit: 1000}, Surface: "cli"})
		if err != nil {
			t.Fatal(err)
		}
		page := result.Data.(*action.AuditPage)
		all = append(all, page.Records...)
		if len(page.Records) < 1000 {
			return all
		}
		after = all[len(all)-1].Seq
	}
}

// trailHolds checks that the chain verifies, and that every call left exactly
// one intent and then one outcome.
func (g *gateway) trailHolds(t *testing.T) {
	t.Helper()
	result, err := g.operator.Call(t.Context(), action.Call{Verb: "audit.verify", Args: &action.None{}, Surface: "cli"})
	if err != nil {
		t.Fatal(err)
	}
	if verdict := result.Data.(*action.AuditVerdict); !verdict.OK || verdict.Records == 0 {
		t.Errorf("the trail does not verify: %+v", verdict)
	}
	steps := map[string]string{}
	records := g.trail(t)
	for _, record := range records[:len(records)-1] { // the last is the intent of this very query
		if record.EventType == "intent" || record.EventType == "outcome" {
			steps[record.CorrelationID] += " " + record.EventType + ":" + record.Action
		}
	}
	for id, left := range steps {
		_, verb, _ := strings.Cut(left, ":")
		verb, _, _ = strings.Cut(verb, " ")
		if want := " intent:" + verb + " outcome:" + verb; left != want {
			t.Errorf("call %s left%s", id, left)
		}
	}
	if len(steps) == 0 {
		t.Error("no call is in the trail")
	}
}

// verbs lists the calls of a session in order, with the results of their
// outcomes.
func (g *gateway) verbs(t *testing.T, session string) string {
	t.Helper()
	var list []string
	for _, record := range g.trail(t) {
		if record.EventType == "outcome" && record.SessionID == session {
			list = append(list, record.Action+" "+record.Result)
		}
	}
	return strings.Join(list, ", ")
}
