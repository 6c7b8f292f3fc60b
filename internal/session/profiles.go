package session

import (
	"context"
	"log/slog"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// profileVerbs carries out the verbs about profiles.
type profileVerbs struct {
	sessions *directory
	networks *networks
	creds    *credentialAccess
	keeper   *profileKeeper
	saver    *saver
	plans    *planner
	life     *lifecycle
	log      *slog.Logger
}

func (v *profileVerbs) list(ctx context.Context, call action.Call) (action.Result, error) {
	list, err := v.keeper.profiles.List(ctx, call.Caller.Scope)
	if err != nil {
		return action.Result{}, err
	}
	for i, p := range list {
		user, _ := v.sessions.userOf(p.ID)
		list[i].Session = user.ID
	}
	return action.Result{Data: &action.ProfileListing{Contexts: list}}, nil
}

func (v *profileVerbs) create(ctx context.Context, call action.Call, args *action.ProfileCreate) (action.Result, error) {
	p, err := v.keeper.profiles.Create(ctx, call.Caller.Scope, args.Name, args.KeepCredentials)
	return action.Result{Data: &p}, err
}

// unused finds a profile, by id or name, that no session uses. Faults:
// not_found, already_active.
func (v *profileVerbs) unused(ctx context.Context, scope, id string) (action.Profile, error) {
	p, err := v.keeper.profiles.Find(ctx, scope, id)
	if err != nil {
		return action.Profile{}, err
	}
	if user, used := v.sessions.userOf(p.ID); used {
		return action.Profile{}, profileInUse(user)
	}
	return p, nil
}

// delete deletes an unused profile, by id or name. A session that starts with it
// at the same moment fails.
func (v *profileVerbs) delete(ctx context.Context, call action.Call, args *action.ByID) (action.Result, error) {
	p, err := v.unused(ctx, call.Caller.Scope, args.ID)
	if err != nil {
		return action.Result{}, err
	}
	if err := v.keeper.profiles.Delete(ctx, call.Caller.Scope, p.ID); err != nil {
		return action.Result{}, err
	}
	return action.Result{Data: &action.ProfileDeleted{OK: true, ID: p.ID}}, nil
}
