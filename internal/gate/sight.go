package gate

import (
	"cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Sights keeps the texts that agents were answered with, by session. Read returns
// those that are wanted, in the order of their calls.
type Sights interface {
	Keep(session string, seen action.Sight) error
	Read(session string, wanted func(correlation string) bool) ([]action.Sight, error)
}

// keepSight keeps what an agent is shown of a page, as the redacted answer has it. A
// call does not fail because of it.
func (p *invocation) keepSight(result action.Result) {
	session, text := cmp.Or(result.Session, p.facts.Session.ID), sightOf(result)
	if p.g.sights == nil || p.call.Caller.Role != action.Agent || session == "" || text == "" {
		return
	}
	if err := p.g.sights.Keep(session, action.Sight{CorrelationID: p.call.ID, Text: text}); err != nil {
		p.g.log.Warn("what an agent saw was not kept", "id", p.call.ID, "session", session, "error", err)
	}
}

// sightOf returns the text of a page that an answer has; empty if it has none.
func sightOf(result action.Result) string {
	switch data := result.Data.(type) {
	case *action.Snapshot:
		return data.Text
	case *action.Marked:
		return data.Markdown
	case *action.Extracted:
		return data.Text
	}
	switch c := result.Changes; {
	case c == nil:
		return ""
	case c.Snapshot != nil:
		return c.Snapshot.Text
	default:
		return cmp.Or(c.Text, c.Outcome)
	}
}

// addSights adds what an agent saw in the calls of a part.
func (p *invocation) addSights(part *action.Replay) (err error) {
	part.Seen = []action.Sight{}
	if p.g.sights == nil {
		return nil
	}
	ended := map[string]bool{}
	for _, r := range part.Records {
		if r.EventType == action.EventOutcome {
			ended[r.CorrelationID] = true
		}
	}
	part.Seen, err = p.g.sights.Read(part.Session.ID, func(id string) bool { return ended[id] })
	return err
}
