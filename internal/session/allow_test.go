package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

func TestAPersonAddsAHostToASession(t *testing.T) {
	keep := with(func(c *session.Config) { c.KeepBoxes = true })
	r := newRig(t, keep)
	s := r.start(alice, action.SessionStart{})
	two := r.start(alice, action.SessionStart{Name: "two"})
	there := &action.Goto{URL: "https://new.example/"}
	wants(t, fault.BlockedDomain, errOf(r.call(t.Context(), alice, "page.goto", s.ID, there)))
	shown := r.hands(admin, "session.allow", s.ID, &action.AllowHost{Host: "New.Example."})
	if !slices.Contains(shown.Allow, "new.example") || !r.told("session", "ann allowed documents from new.example") {
		t.Errorf("it may reach %v", shown.Allow)
	}
	result, err := r.call(t.Context(), alice, "page.goto", s.ID, there)
	must(t, err)
	if len(result.Notes) != 1 || !strings.Contains(result.Notes[0], "a person allowed host new.example") {
		t.Errorf("notes %q", result.Notes)
	}
	wants(t, fault.BlockedDomain, errOf(r.call(t.Context(), alice, "page.goto", two.ID, there))) // only that session may open it
	wants(t, fault.BlockedDomain, errOf(r.call(t.Context(), alice, "page.goto", s.ID, &action.Goto{URL: "https://sub.new.example/"})))
	r = r.again(keep)
	must(t, errOf(r.call(t.Context(), alice, "page.goto", s.ID, there)))
	if shown := r.show(alice, s.ID); !slices.Contains(shown.Allow, "new.example") {
		t.Errorf("after a restart it may reach %v", shown.Allow)
	}
	r.hands(admin, "session.close", s.ID, nil)
	if shown := r.show(alice, s.ID); !slices.Contains(shown.Allow, "new.example") {
		t.Errorf("its record has %v", shown.Allow)
	}
	wants(t, fault.NotActive, errOf(r.call(t.Context(), admin, "session.allow", s.ID, &action.AllowHost{Host: "late.example"})))
}

func TestInvalidHostsChangeNothing(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	for _, bad := range []action.AllowHost{
		{Host: "https://a.example/"}, {Host: "a.example/x"}, {Host: "*"}, {Host: "*.10.0.0.1"}, {Host: "a b"}, {Host: "user@a.example"}, {Host: "*.*.example"},
		{Host: "0x7f.1"}, {Host: "a.example:80:80"}, {Host: "a.example:3000", For: "resource"}, {Host: "a.example:99999"},
	} {
		wants(t, fault.InvalidRequest, errOf(r.call(t.Context(), admin, "session.allow", s.ID, &bad)))
	}
	if shown := r.show(alice, s.ID); !slices.Equal(shown.Allow, s.Allow) {
		t.Errorf("it may reach %v", shown.Allow)
	}
	r.hands(admin, "session.allow", s.ID, &action.AllowHost{Host: "cdn.example", For: "resource"})
	wants(t, fault.BlockedDomain, errOf(r.call(t.Context(), alice, "page.goto", s.ID, &action.Goto{URL: "https://cdn.example/"})))
}

func TestAHostIsRequestableOnlyIfAddingItHelps(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{Allow: []string{"a.wide.example"}})
	for address, want := range map[string]string{
		"https://new.example/x?y":  "new.example",
		"https://NEW.example:443/": "new.example",
		"https://app.example/":     "app.example",
		"http://localhost:3000/":   "localhost", // configured, but not requested by the session
		"http://localhost:4000/":   "",          // not configured: agents cannot request private addresses
		"https://a.wide.example/":  "",          // already allowed
		"https://new.example:8443": "",
		"http://169.254.169.254/":  "",
		"http://[::1]/":            "",
		"http://10.0.0.1/":         "",
		"file:///etc/passwd":       "",
		"https://u:p@new.example/": "",
		"https://0x7f000001/":      "",
		"nonsense::":               "",
		"":                         "",
		"about:blank":              "",
	} {
		if got := r.RequestableHost(s.ID, address); got != want {
			t.Errorf("%q requests %q, want %q", address, got, want)
		}
	}
	if got := r.RequestableHost("s0000000000000000", "https://new.example/"); got != "" {
		t.Errorf("an unknown session requests %q", got)
	}
}

func TestRefusedNavigationsRequestTheirHost(t *testing.T) {
	wished := make(chan string, 1)
	r := newRig(t, func(r *rig) {
		r.options.OnHostRequest = func(s action.Session, host string) { wished <- s.ID + " " + host }
	})
	s := r.start(alice, action.SessionStart{})
	refuse := func(address string, top bool) {
		r.Refused(s.Box, action.Refusal{URL: address, Host: "x", Page: true, Top: top})
	}
	refuse("https://frame.example/", false)  // a frame's
	refuse("http://169.254.169.254/", true)  // no permission would help
	refuse("https://app.example/", true)     // already allowed
	refuse("https://new.example/page", true) // this one
	if got := <-wished; got != s.ID+" new.example" {
		t.Errorf("requested %s", got)
	}
	r.hands(admin, "session.take", s.ID, &action.Hands{})
	refuse("https://other.example/", true) // not requested while a person has taken the session
	r.hands(admin, "session.hand_back", s.ID, &action.HandBack{})
	refuse("https://third.example/", true)
	if got := <-wished; got != s.ID+" third.example" {
		t.Errorf("requested %s", got)
	}
}
