package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// offline makes a call about tokens or the vault on the state directory while no
// gateway uses it. The call goes through a gate, which records it, but there are
// no sessions. A user who can open the directory is an operator. Faults:
// already_active if a gateway uses it.
func offline(ctx context.Context, c config.Config, call action.Call) (result action.Result, err error) {
	if !strings.HasPrefix(call.Verb, "token.") && call.Verb != action.VerbCredentialCheck.Name {
		return result, fault.New(fault.NotActive, "no gateway is running").Hinted("start it: glovebox serve")
	}
	if call.Verb == action.VerbTokenRevoke.Name {
		c.Auth.Tokens = nil // so that a stored token can be revoked whose name is also in the configuration
	}
	log := slog.New(slog.DiscardHandler)
	h := &Gateway{config: c}
	defer func() { err = errors.Join(err, h.Close(context.WithoutCancel(ctx))) }()
	db, trail, err := h.openRecords(ctx, c, log)
	if err != nil {
		return result, err
	}
	if err := h.openVault(c); err != nil {
		return result, err
	}
	if err := h.openPolicy(ctx, c, db, trail, log); err != nil {
		return result, err
	}
	if err := h.openGate(ctx, c, db, log); err != nil {
		return result, err
	}
	trail.Record(action.Record{EventType: action.EventConfig, Detail: "no gateway ran: the command line opened the state directory"})
	call.Caller = action.Caller{Actor: string(action.Operator), Scope: cmp.Or(call.Caller.Scope, auth.DefaultScope), Role: action.Operator}
	call.Surface = "offline"
	return h.Gate.Call(ctx, call)
}
