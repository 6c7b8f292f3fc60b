package gate

import (
	"cmp"
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// redactAnswer redacts the secrets of the session in an answer, for every role,
// with the secrets that are known now. If it cannot be redacted, there is no
// answer but a fault.
func (p *invocation) redactAnswer(result action.Result, f *fault.Fault) (action.Result, *fault.Fault) {
	if state := p.exportedLogin(result); state != nil {
		result.Data = nil
		if result, f = p.redactAnswer(result, f); f == nil {
			result.Data = state
		}
		return result, f
	}
	session := cmp.Or(result.Session, p.facts.Session.ID)
	if p.secretsUnknown(p.g.secrets.Of(session)) {
		return action.Result{}, redactionFault("what the secrets of this session are is not known").
			Hinted("go to the page again, by which they are asked for, or start another session")
	}
	if p.inspection.guessedSessions == nil {
		if p.inspection.compareAnswer(result, f); p.inspection.guessedSessions != nil {
			result, f = action.Result{}, p.inspection.guessFault(context.Background())
		}
	}
	for _, known := range p.matchers(session) {
		var failed error
		result, failed = redact.Value(known.Matcher, result)
		if failed == nil && f != nil {
			f, failed = redact.Value(known.Matcher, f)
		}
		if failed != nil {
			p.g.log.Error("an answer could not be redacted", "id", p.call.ID, "verb", sanitizedFault(p.call.Verb), "error", failed)
			return action.Result{}, redactionFault("the answer could not be looked through for secrets")
		}
	}
	return result, f
}

// exportedLogin returns the login state that an operator exports; nil for other
// calls. It is not redacted, because its secrets are its purpose. It contains
// nothing of the vault (docs/credentials.md).
func (p *invocation) exportedLogin(result action.Result) *action.StorageState {
	state, is := result.Data.(*action.StorageState)
	if !is || p.call.Verb != action.VerbProfileExport.Name || p.call.Caller.Role != action.Operator {
		return nil
	}
	return state
}

// secretsUnknown reports whether the call reads a page with credentials whose
// secrets are unknown, so that the answer cannot be redacted.
func (p *invocation) secretsUnknown(known *redact.Matcher) bool {
	if !p.g.secretsGiven || known != nil || !p.facts.Session.Credentialed {
		return false
	}
	return pageFamilies[familyOf(p.call.Verb)]
}

// pageFamilies are the families of verbs whose answers contain content of a
// browser.
var pageFamilies = map[string]bool{"page": true, "tab": true, "cookie": true, "download": true, "crawl": true, "cdp": true}

func redactionFault(why string) *fault.Fault {
	return fault.New(fault.RedactionFailed, "%s: nothing is handed out", why).
		Hinted("look at the page before you repeat the call, which may have been done; if this stays so, start another session")
}

// redactProgress redacts the progress messages of the call.
func (p *invocation) redactProgress() {
	tell := p.call.Progress
	if tell == nil {
		return
	}
	p.call.Progress = func(phase string) {
		for _, m := range p.matchers("") {
			phase = m.Text(phase)
		}
		tell(phase)
	}
}

// askQuestion asks people a question, with the secrets of its session redacted.
// The subject is not redacted, since only its hash is stored.
func (g *Requests) askQuestion(ctx context.Context, r approval.Request) (action.Question, bool, error) {
	type shown struct {
		Why, Input, Within string
		Element            *action.Element
		Page               action.Page
		Held               *action.Held
		Together           []action.Held
	}
	s, err := redact.Value(g.secrets.Of(r.Subject.Session), shown{r.Why, r.Input, r.Within, r.Element, r.Page, r.Held, r.Together})
	if err != nil {
		return action.Question{}, false, redactionFault("the question could not be looked through for secrets").Because(err)
	}
	r.Why, r.Input, r.Within, r.Element, r.Page, r.Held, r.Together = s.Why, s.Input, s.Within, s.Element, s.Page, s.Held, s.Together
	return g.approvals.Ask(ctx, r)
}

// RedactRecords returns a function for audit.Options that redacts the secrets of
// every session in a record. A record that cannot be redacted keeps its ids and
// its type, and loses its texts.
func RedactRecords(known *redact.SecretStore) func(action.Record) action.Record {
	return func(r action.Record) action.Record {
		clean, err := redact.Value(known.All(), r)
		if err != nil {
			return action.Record{
				EventType: r.EventType, CorrelationID: r.CorrelationID, Timestamp: r.Timestamp, Scope: r.Scope, Actor: r.Actor, Role: r.Role,
				SessionID: r.SessionID, ContainerID: r.ContainerID, Action: r.Action, Result: r.Result, Detail: redact.Mark,
			}
		}
		return clean
	}
}

// mayReadChanges reports whether the caller may see what changed on a page: only
// a caller who may take a snapshot of it.
func (c *callInfo) mayReadChanges(page action.Page) bool {
	snapshot, _ := action.Lookup(action.VerbPageSnapshot.Name)
	call := action.Call{Verb: snapshot.Name, Args: snapshot.NewArgs(), Caller: c.call.Caller, Session: c.call.Session, Surface: c.call.Surface}
	facts := action.Facts{Session: c.facts.Session, Page: page}
	return c.policy.Decide(call, snapshot, facts).Decision == policy.Allow
}

// dropUnavailableReport removes the request for a report of changes if the verb
// has none.
func (c *callInfo) dropUnavailableReport() {
	c.call.Changes = c.call.Changes && c.verb.Tells()
}

// filterChanges removes the report of changes if the caller may not read the
// resulting page.
func (c *callInfo) filterChanges(result action.Result) action.Result {
	if result.Changes != nil && (result.Page == nil || !c.mayReadChanges(*result.Page)) {
		result.Changes = nil
		result.Notes = append(result.Notes, "what changed on the page is not told: the policy does not let you read it")
	}
	return result
}

const redacted = "[redacted]" // placeholder for what only operators may read

// maskCookies removes the values of cookies from a result, unless the role is
// operator.
func maskCookies(role action.Role, result action.Result) action.Result {
	listing, ok := result.Data.(*action.CookieListing)
	if !ok || listing == nil || role == action.Operator {
		return result
	}
	shown := &action.CookieListing{Cookies: make([]action.Cookie, len(listing.Cookies))}
	for i, c := range listing.Cookies {
		c.Value = redacted
		shown.Cookies[i] = c
	}
	result.Data = shown
	return result
}
