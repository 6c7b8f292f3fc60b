package session_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// behind configures a proxy for alice, one for bob, and one for everybody.
func behind(r *rig) {
	all := map[string]*egress.Upstream{}
	for _, name := range []string{"paris", "oslo", "rome", "bonn"} {
		u, err := egress.ParseUpstream("http://"+name+".proxy:3128", "")
		must(r.t, err)
		all[name] = u
	}
	r.proxy = egress.New(egress.Options{Upstreams: all})
	r.options.Egress = r.proxy
	r.options.Config.Proxies = []session.Proxy{{Name: "rome"}, {Name: "paris", Scopes: []string{"alice"}}, {Name: "bonn", Scopes: []string{"alice"}}, {Name: "oslo", Scopes: []string{"bob"}}}
}

func TestASessionUsesTheProxyOfItsScope(t *testing.T) {
	r := newRig(t, behind)
	carol := action.Caller{Actor: "agent-c", Scope: "carol", Role: action.Agent}
	for _, c := range []struct {
		who         action.Caller
		asked, want string
	}{
		{alice, "", "paris"}, {alice, "bonn", "bonn"}, {bob, "", "oslo"}, {carol, "", ""}, {carol, "rome", "rome"}, {carol, "default", ""},
		{admin, "", "paris"}, {admin, "rome", "rome"}, {admin, "default", ""}, {admin, "direct", "direct"},
	} {
		s := r.start(c.who, action.SessionStart{Proxy: c.asked})
		if s.Proxy != c.want || r.show(c.who, s.ID).Proxy != c.want {
			t.Errorf("%s of %s asked for %q and goes out by %q, want %q", c.who.Role, c.who.Scope, c.asked, s.Proxy, c.want)
		}
		r.shut(c.who, s.ID)
	}
}

func TestASessionCannotUseAProxyOfAnotherScope(t *testing.T) {
	r := newRig(t, behind)
	for _, c := range []struct {
		who   action.Caller
		asked string
	}{
		{alice, "oslo"}, {alice, "rome"}, {alice, "default"}, {alice, "direct"}, {bob, "paris"}, {admin, "oslo"}, {admin, "nowhere"},
	} {
		_, err := r.call(t.Context(), c.who, "session.start", "", &action.SessionStart{Proxy: c.asked})
		wants(t, fault.InvalidRequest, err, "no upstream proxy", "leave proxy out")
	}
	if n := len(r.boxes()); n != 0 {
		t.Errorf("%d boxes were started", n)
	}
}

// TestASessionWithoutItsProxyIsNotRecovered checks that a session does not
// continue with another proxy.
func TestASessionWithoutItsProxyIsNotRecovered(t *testing.T) {
	keep := with(func(c *session.Config) { c.KeepBoxes = true })
	r := newRig(t, behind, keep)
	s, other := r.start(alice, action.SessionStart{}), r.start(bob, action.SessionStart{})
	without := func(r *rig) {
		behind(r)
		u, err := egress.ParseUpstream("http://oslo.proxy:3128", "")
		must(r.t, err)
		r.proxy = egress.New(egress.Options{Upstreams: map[string]*egress.Upstream{"oslo": u}})
		r.options.Egress = r.proxy
	}
	next := r.again(without, keep)
	if got := next.show(alice, s.ID); got.State != "failed" {
		t.Errorf("it is %s by %q", got.State, got.Proxy)
	}
	if got := next.show(bob, other.ID); got.State != "open" || got.Proxy != "oslo" {
		t.Errorf("the other is %s by %q", got.State, got.Proxy)
	}
}
