package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestANewNetworkOnlyNarrowsRunningSessions(t *testing.T) {
	r := newRig(t)
	mine := r.start(alice, action.SessionStart{})
	chosen := r.start(admin, action.SessionStart{Allow: []string{"app.example"}})
	must(t, r.SetNetwork(action.Network{Navigation: []string{"new.example"}, Subresources: "same-site"}))
	after := r.start(alice, action.SessionStart{})
	if !slices.Equal(after.Allow, []string{"new.example"}) {
		t.Errorf("a new session may reach %v", after.Allow)
	}
	_, err := r.call(t.Context(), alice, "session.start", "", &action.SessionStart{Allow: []string{"app.example"}})
	wants(t, fault.BlockedDomain, err, "app.example")
	for _, c := range []struct {
		box, url string
		allowed  bool
	}{
		{mine.Box, "https://app.example/", false},
		{mine.Box, "https://new.example/", false},
		{chosen.Box, "https://app.example/", true},
		{after.Box, "https://app.example/", false},
		{after.Box, "https://new.example/", true},
	} {
		if got := r.proxy.Judge(c.box, c.url).Allowed; got != c.allowed {
			t.Errorf("%s from box %s: allowed %v", c.url, c.box, got)
		}
	}
	result, err := r.call(t.Context(), alice, "session.show", mine.ID, nil)
	must(t, err)
	if !strings.Contains(strings.Join(result.Notes, "\n"), "not allowed any more: app.example") {
		t.Errorf("its agent gets the notes %v", result.Notes)
	}
	s := r.show(alice, mine.ID)
	if len(s.Allow) != 0 {
		t.Errorf("it is shown to reach %v", s.Allow)
	}
}

func TestANewNetworkKeepsHostsThatAPersonAllowed(t *testing.T) {
	r := newRig(t)
	mine := r.start(alice, action.SessionStart{})
	_, err := r.call(t.Context(), admin, "session.allow", mine.ID, &action.AllowHost{Host: "more.example"})
	must(t, err)
	must(t, r.SetNetwork(action.Network{Navigation: []string{"new.example"}, Subresources: "same-site"}))
	if !r.proxy.Judge(mine.Box, "https://more.example/").Allowed || r.proxy.Judge(mine.Box, "https://app.example/").Allowed {
		t.Error("only the host that a person allowed must remain")
	}
}

func TestAnInvalidNetworkChangesNothing(t *testing.T) {
	r := newRig(t)
	before := r.start(alice, action.SessionStart{})
	if err := r.SetNetwork(action.Network{Navigation: []string{"https://app.example/"}}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Fatalf("error %v", err)
	}
	if s := r.start(alice, action.SessionStart{}); !slices.Contains(s.Allow, "app.example") {
		t.Errorf("allowed %v", s.Allow)
	}
	if !r.proxy.Judge(before.Box, "https://app.example/").Allowed {
		t.Error("a session that runs lost a host")
	}
}
