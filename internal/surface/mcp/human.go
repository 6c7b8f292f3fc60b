package mcp

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

type humanIn struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
	in
}

// requestHuman asks for a person, and waits as for an approval.
func requestHuman(ctx context.Context, t *turn, in *humanIn) error {
	result, err := t.call(ctx, action.VerbSessionRequestHuman.Name, &action.HumanRequest{Reason: in.Reason})
	if err != nil {
		return err
	}
	got, ok := result.Data.(*action.HumanRequested)
	if !ok {
		return nil
	}
	t.reply.data = got
	if got.State != action.HandedBack {
		t.reply.did = append(t.reply.did, "Nobody has handed the session back yet. Call browser_request_human again to go on waiting; nothing else works meanwhile.")
		return nil
	}
	t.reply.did = append(t.reply.did, "A person handed the session back.")
	t.show(ctx)
	return nil
}
