package session_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestACrawlIsOpenedOnceAndStepsNeedItsID(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	args := &action.Crawl{URL: "https://app.example/docs#part"}
	result, err := r.call(t.Context(), alice, "page.crawl", s.ID, args)
	if err != nil {
		t.Fatal(err)
	}
	opened := result.Data.(*action.CrawlOpened)
	if opened.Start != "https://app.example/docs" || len(opened.Hosts) != 1 || opened.Hosts[0] != "app.example" {
		t.Errorf("opened %+v", opened)
	}
	_, err = r.call(t.Context(), alice, "page.crawl", s.ID, args)
	wants(t, fault.LimitReached, err)
	for _, step := range []struct {
		verb string
		args any
	}{
		{"crawl.page", &action.CrawlPage{Crawl: "none", URL: "https://app.example/"}},
		{"crawl.file", &action.CrawlFile{URL: "https://app.example/robots.txt"}},
		{"crawl.end", &action.CrawlEnd{}},
	} {
		_, err := r.call(t.Context(), alice, step.verb, s.ID, step.args)
		wants(t, fault.NotFound, err)
		_, err = r.call(t.Context(), bob, step.verb, s.ID, step.args)
		wants(t, fault.SessionNotFound, err)
	}
	facts, _, err := r.Look(t.Context(), action.Call{Verb: "crawl.page", Caller: alice, Session: s.ID, Args: &action.CrawlPage{Crawl: opened.ID, URL: "https://app.example/x"}})
	if err != nil || facts.Crawl == nil || facts.Destination == nil || facts.Destination.Host != "app.example" {
		t.Errorf("facts %+v %v", facts, err)
	}
	if got := r.show(alice, s.ID); got.Actions != 1 {
		t.Errorf("a crawl counts %d", got.Actions)
	}
	if _, err := r.call(t.Context(), alice, "crawl.end", s.ID, &action.CrawlEnd{Crawl: opened.ID}); err != nil {
		t.Error(err)
	}
	if _, err := r.call(t.Context(), alice, "page.crawl", s.ID, args); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}

func TestHostsOfACrawlMustBeAllowedInTheSession(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	for domain, allowed := range map[string]bool{"app.example": true, "evil.example": false, "*.evil.example": false} {
		facts, _, err := r.Look(t.Context(), action.Call{Verb: "page.crawl", Caller: alice, Session: s.ID, Args: &action.Crawl{URL: "https://app.example/", AllowedDomains: []string{domain}}})
		if err != nil || len(facts.Crawl.Also) != 1 || facts.Crawl.Also[0].Allowed != allowed {
			t.Errorf("%s: %+v %v", domain, facts.Crawl, err)
		}
	}
	for _, domain := range []string{"https://app.example", "a b", "", "*", "app.example/x", "exa\u00admple.com:1"} {
		_, _, err := r.Look(t.Context(), action.Call{Verb: "page.crawl", Caller: alice, Session: s.ID, Args: &action.Crawl{URL: "https://app.example/", AllowedDomains: []string{domain}}})
		wants(t, fault.InvalidRequest, err)
	}
}
