package gate

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const defaultReplay = 200 // records of a part; action.SessionReplay.Limit

// replaySession returns a part of what happened in a session. The cursor names the
// last record of the part before and the newest record of the whole replay.
func replaySession(ctx context.Context, p *invocation, a *action.SessionReplay) (any, error) {
	if p.call.Caller.Role == action.Agent { // must not see what people are asked about it, and what they answer
		return nil, fault.New(fault.DeniedByPolicy, "agents do not see the audit trail").
			Hinted("ask an operator, who can export the replay").With("rule", "class.admin")
	}
	session, err := p.replayedSession(ctx)
	if err != nil {
		return nil, err
	}
	part := &action.Replay{Session: *session, Pictures: []action.ReplayPicture{}, Questions: []action.Question{}}
	var after, upTo int64
	if a.Cursor != "" {
		_, err = fmt.Sscanf(a.Cursor, "%d-%d", &after, &upTo) // its form was checked
	} else if part.Trail, err = p.g.audit.SessionTrail(ctx, session.Scope, session.ID); err == nil {
		upTo = part.Trail.Seq
	}
	if err != nil {
		return nil, err
	}
	limit := a.Limit
	if limit <= 0 {
		limit = defaultReplay
	}
	if part.Records, err = p.g.audit.SessionRecords(ctx, session.Scope, session.ID, after, upTo, limit); err != nil {
		return nil, err
	}
	if n := len(part.Records); n == limit && part.Records[n-1].Seq < upTo {
		part.Next = fmt.Sprintf("%d-%d", part.Records[n-1].Seq, upTo)
	}
	if part.Records, err = p.redactReplay(part.Records); err != nil {
		return nil, err
	}
	if err := p.illustrateReplay(ctx, part); err != nil {
		return nil, err
	}
	if err := p.addSights(part); err != nil {
		return nil, err
	}
	return part, p.addQuestions(ctx, part)
}

// replayedSession returns the record of the session that the call is about.
func (p *invocation) replayedSession(ctx context.Context) (*action.Session, error) {
	shown, err := p.lookUp(ctx, action.VerbSessionShow.Name)
	if err != nil {
		return nil, err
	}
	session, is := shown.(*action.Session)
	if !is {
		return nil, fault.New(fault.Internal, "the record of session %s cannot be read", p.facts.Session.ID).
			Hinted("look for the correlation id in the gateway's log")
	}
	return session, nil
}

// lookUp returns the answer to a verb without arguments about the session of the call.
func (p *invocation) lookUp(ctx context.Context, verb string) (any, error) {
	result, err := p.g.sessions.Do(ctx, action.Call{
		ID: p.call.ID, Verb: verb, Caller: p.call.Caller, Session: p.facts.Session.ID, Args: &action.None{}, Surface: p.call.Surface, Quiet: true,
	}, p.pin)
	return result.Data, err
}

// sealReplay signs an answer that is a part of a replay, as it was redacted.
func (p *invocation) sealReplay(result action.Result, f *fault.Fault) (action.Result, *fault.Fault) {
	part, is := result.Data.(*action.Replay)
	args, asked := p.call.Args.(*action.SessionReplay)
	if f != nil || !is || !asked {
		return result, f
	}
	if err := p.g.audit.SealReplay(part, args.Cursor); err != nil {
		p.g.log.Error("a replay could not be signed", "id", p.call.ID, "error", err)
		return action.Result{}, fault.New(fault.Internal, "the replay could not be signed").Hinted("look for the correlation id in the gateway's log")
	}
	return result, nil
}

// redactReplay redacts records with the secrets that are known now. The line of a
// record that was changed by this is removed, since its hash cannot be verified.
func (p *invocation) redactReplay(records []action.ReplayRecord) ([]action.ReplayRecord, error) {
	clean, err := redact.Value(p.g.secrets.Of(p.facts.Session.ID), records)
	if err != nil {
		return nil, redactionFault("the replay could not be looked through for secrets").Because(err)
	}
	for i := range clean {
		if clean[i] != records[i] {
			clean[i].Line = ""
		}
	}
	return clean, nil
}

// illustrateReplay lists the pictures of the records of a part. Those of questions
// may show what only operators may see.
func (p *invocation) illustrateReplay(ctx context.Context, part *action.Replay) error {
	for _, r := range part.Records {
		if r.Screenshot != "" && (r.EventType != action.EventQuestion || p.call.Caller.Role == action.Operator) {
			part.Pictures = append(part.Pictures, action.ReplayPicture{Seq: r.Seq, Artifact: r.Screenshot, Address: "/v1/artifacts/" + r.Screenshot})
		}
	}
	if len(part.Pictures) == 0 {
		return nil
	}
	listed, err := p.lookUp(ctx, action.VerbArtifactList.Name)
	if err != nil {
		return err
	}
	listing, is := listed.(*action.ArtifactListing)
	if !is {
		return fault.New(fault.Internal, "the pictures of session %s cannot be listed", part.Session.ID).
			Hinted("look for the correlation id in the gateway's log")
	}
	sums := map[string]string{}
	for _, a := range listing.Artifacts {
		sums[a.ID] = a.SHA256
	}
	for i := range part.Pictures {
		part.Pictures[i].SHA256 = sums[part.Pictures[i].Artifact]
	}
	return nil
}

// addQuestions adds the questions that the records of a part name.
func (p *invocation) addQuestions(ctx context.Context, part *action.Replay) error {
	seen := map[string]bool{"": true}
	for _, r := range part.Records {
		if seen[r.ApprovalID] {
			continue
		}
		seen[r.ApprovalID] = true
		q, err := p.g.approvals.Show(ctx, part.Session.Scope, r.ApprovalID)
		switch {
		case fault.CodeOf(err) == fault.NotFound:
			continue
		case err != nil:
			return err
		case p.call.Caller.Role != action.Operator:
			q.Screenshot = ""
		}
		part.Questions = append(part.Questions, q)
	}
	return nil
}
