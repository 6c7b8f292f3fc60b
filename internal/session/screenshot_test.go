package session_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestOnlyOperatorsOfTheScopeGetATargetScreenshot checks that agents, and
// operators of other scopes, can neither fetch, list nor upload it.
func TestOnlyOperatorsOfTheScopeGetATargetScreenshot(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	id, err := r.TargetScreenshot(t.Context(), action.Call{Verb: "page.click", Caller: alice}, action.Pin{Session: s.ID, Node: "7"})
	must(t, err)
	for _, who := range []action.Caller{alice, {Actor: "eye", Scope: "alice", Role: action.Viewer}, bob, {Actor: "eve", Scope: "bob", Role: action.Operator}} {
		_, err := r.call(t.Context(), who, "artifact.get", "", &action.ByID{ID: id})
		wants(t, fault.NotFound, err, "no such artifact")
	}
	listed := func(who action.Caller) int {
		result, err := r.call(t.Context(), who, "artifact.list", s.ID, nil)
		must(t, err)
		return len(result.Data.(*action.ArtifactListing).Artifacts)
	}
	if a, o := listed(alice), listed(admin); a != 0 || o != 1 {
		t.Errorf("the agent lists %d, the operator %d", a, o)
	}
	result, err := r.call(t.Context(), admin, "artifact.get", "", &action.ByID{ID: id})
	must(t, err)
	if file := result.Data.(*action.File); string(file.Bytes) != "\xff\xd8\xff picture of 7" || file.MediaType != "image/jpeg" {
		t.Errorf("got %+v", file)
	}
}
