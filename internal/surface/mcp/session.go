package mcp

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

func closeSession(ctx context.Context, t *turn, _ *noneIn) error {
	return t.ended(ctx, action.VerbSessionClose.Name)
}

func sessions(ctx context.Context, t *turn, in *sessionIn) error {
	switch in.Action {
	case "start":
		return startSession(ctx, t, in)
	case "list":
		return listSessions(ctx, t, in)
	}
	return t.ended(ctx, "session."+in.Action)
}

func startSession(ctx context.Context, t *turn, in *sessionIn) error {
	t.session = "" // a session that starts is not addressed
	args := &action.SessionStart{
		Name: in.Name, URL: in.URL, Width: in.Width, Height: in.Height, Headless: in.Headless, Allow: in.Allow, Proxy: in.Proxy,
		Effects: t.effects(in.Effects),
	}
	if in.Device != "" || in.Locale != "" || in.Timezone != "" {
		args.Emulate = &action.Emulation{Device: in.Device, Locale: in.Locale, Timezone: in.Timezone}
	}
	result, err := t.call(ctx, action.VerbSessionStart.Name, args)
	if err != nil {
		return err
	}
	t.surface.starts.add(t.owner())
	t.told(result)
	return nil
}

func listSessions(ctx context.Context, t *turn, in *sessionIn) error {
	result, err := t.call(ctx, action.VerbSessionList.Name, &action.SessionList{IncludeArchived: in.Archived})
	if err != nil {
		return err
	}
	listing, ok := result.Data.(*action.SessionListing)
	if !ok || len(listing.Sessions) == 0 {
		t.reply.did = append(t.reply.did, "There are no sessions.")
		return nil
	}
	t.reply.data = listing
	for _, s := range listing.Sessions {
		t.reply.did = append(t.reply.did, "- "+summary(&s))
	}
	return nil
}

func (t *turn) ended(ctx context.Context, verb string) error {
	result, err := t.call(ctx, verb, &action.None{})
	if err != nil {
		return err
	}
	t.told(result)
	return nil
}

// told keeps the session that a call answered with.
func (t *turn) told(result action.Result) {
	s, ok := result.Data.(*action.Session)
	if !ok {
		return
	}
	t.reply.session, t.reply.data, t.reply.page = s.ID, s, s.Page
	t.reply.did = append(t.reply.did, "Session "+summary(s)+".")
}

func summary(s *action.Session) string {
	text := untrusted.ToolLine(s.ID, 64)
	if s.Name != "" {
		text += " (" + untrusted.ToolLine(s.Name, 64) + ")"
	}
	text += " is " + untrusted.ToolLine(s.State, 20)
	if s.Page != nil {
		text += fmt.Sprintf(", at %s", untrusted.ToolLine(s.Page.URL, 500))
	}
	return text
}

func approvalStatus(ctx context.Context, t *turn, in *approvalIn) error {
	result, err := t.call(ctx, action.VerbApprovalStatus.Name, &action.ByID{ID: in.ID})
	if err != nil {
		return err
	}
	q, ok := result.Data.(*action.Question)
	if !ok {
		return nil
	}
	next := map[string]string{
		"pending":  "A person has not answered yet.",
		"approved": "Approved: make the same call again now.",
		"denied":   "Denied: do not try it again; tell your user.",
		"expired":  "Nobody answered in time, which denies it.",
		"used":     "It was approved and has been done.",
	}[q.State]
	if q.State == "used" && q.Verb == action.EffectVerb {
		next = "It was approved, and the request was sent: make the same call again now to hear what became of it, unless you have done so."
	}
	t.reply.data = map[string]any{"approval_id": q.ID, "state": q.State, "expires": q.Expires, "risk": q.Risk}
	t.reply.did = append(t.reply.did, "State: "+untrusted.ToolLine(q.State, 20)+". "+next)
	return nil
}

// effects returns how a session that starts here treats requests that may
// change something. A read-only client starts only read-only sessions.
func (t *turn) effects(asked string) string {
	if t.readOnly {
		return string(action.SendNone)
	}
	return asked
}
