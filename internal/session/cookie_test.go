package session_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

func TestCookiesAreLimitedToHostsOfTheSession(t *testing.T) {
	for name, tweaks := range map[string][]tweak{
		"cold": nil, "warm": {pooled(1)},
		"other port": {with(func(c *session.Config) { c.Network.Ports = []int{8443} })},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, tweaks...)
			for name == "warm" && !r.told("box", "warm box is ready") {
				<-r.news
			}
			s := r.start(alice, action.SessionStart{})
			owns := r.page(s.Box).options.Owns
			for host, allowed := range map[string]bool{
				"app.example": true, "a.wide.example": true, "a.b.wide.example": true, "localhost": true,
				"wide.example": false, "example": false, "sub.app.example": false, "notwide.example": false,
				"app.example.evil.example": false, "127.0.0.1": false, "": false,
			} {
				err := owns(host)
				if allowed && err != nil {
					t.Errorf("%s: %v", host, err)
				}
				if !allowed {
					wants(t, fault.BlockedDomain, err, "security.network.navigation")
				}
			}
		})
	}
}

func TestCookieCallsReachThePage(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	for verb, args := range map[string]any{"cookie.list": &action.CookieList{}, "cookie.set": &action.CookieSet{}, "cookie.delete": &action.CookieDelete{}} {
		result, err := r.call(t.Context(), admin, verb, s.ID, args)
		must(t, err)
		if result.Session != s.ID {
			t.Errorf("%s went to %q", verb, result.Session)
		}
	}
	if got := r.show(alice, s.ID); got.Actions != 0 {
		t.Errorf("cookies counted as %d actions", got.Actions)
	}
}
