package policy

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func crawlFacts(start string, also ...string) action.Facts {
	f := action.Facts{Destination: to(start), Crawl: &action.CrawlGrant{Start: start, Hosts: []string{hostOf(start)}}}
	for _, a := range also {
		f.Crawl.Also = append(f.Crawl.Also, *to(a))
	}
	return f
}

func decideCrawl(t *testing.T, role action.Role, verb string, args any, f action.Facts) Verdict {
	t.Helper()
	p := mustNew(t, Config{Enabled: true})
	return p.Decide(action.Call{Verb: verb, Args: args, Caller: action.Caller{Actor: "a", Scope: "s", Role: role}}, byName(verb), f)
}

func TestACrawlIsJudgedByEveryHostItNames(t *testing.T) {
	plain := crawlFacts("https://docs.example.com/")
	if v := decideCrawl(t, action.Agent, "page.crawl", &action.Crawl{}, plain); v.Decision != Allow {
		t.Errorf("an allowed host: %+v", v)
	}
	bank := crawlFacts("https://docs.example.com/", "https://banking.example.com/")
	if v := decideCrawl(t, action.Agent, "page.crawl", &action.Crawl{}, bank); v.Decision != Ask || v.Risk != action.High {
		t.Errorf("a bank beside it: %+v", v)
	}
	closed := crawlFacts("https://docs.example.com/")
	closed.Crawl.Also = []action.Destination{{Host: "evil.example", Reason: "not listed"}}
	for _, role := range []action.Role{action.Agent, action.Operator} {
		if v := decideCrawl(t, role, "page.crawl", &action.Crawl{}, closed); v.Decision != Deny || v.Code != fault.BlockedDomain {
			t.Errorf("a host that is not allowed, as %s: %+v", role, v)
		}
	}
}

func TestOnlyOperatorsCrawlWithoutLimitsOrForHTML(t *testing.T) {
	for _, args := range []*action.Crawl{{IgnoreRobots: true}, {MaxPages: 101}, {PerDomain: 2}, {Delay: new(0)}, {Extract: "html"}} {
		f := crawlFacts("https://docs.example.com/")
		if v := decideCrawl(t, action.Agent, "page.crawl", args, f); v.Decision != Deny || v.Code != fault.DeniedByPolicy || v.Hint == "" {
			t.Errorf("an agent's %+v: %+v", args, v)
		}
		if v := decideCrawl(t, action.Operator, "page.crawl", args, f); v.Decision != Allow {
			t.Errorf("an operator's %+v: %+v", args, v)
		}
	}
}

func TestNobodyIsAskedAboutAPageOfACrawl(t *testing.T) {
	for address, want := range map[string]Decision{
		"https://docs.example.com/guide":           Allow,
		"https://docs.example.com/settings":        Allow, // where the crawl began
		"https://docs.example.com/items/1/delete":  Deny,
		"https://docs.example.com/?action=logout":  Deny,
		"https://docs.example.com/checkout":        Deny,
		"https://docs.example.com.evil.example/":   Deny,
		"https://other.example.com/":               Deny,
		"https://docs.example.com/admin/users.php": Deny,
	} {
		f := crawlFacts("https://docs.example.com/settings")
		f.Destination = to(address)
		if v := decideCrawl(t, action.Agent, "crawl.page", &action.CrawlPage{}, f); v.Decision != want {
			t.Errorf("%s: %+v", address, v)
		}
	}
	for address, want := range map[string]Decision{"https://docs.example.com/settings/x": Allow, "https://docs.example.com/items/1/delete": Deny, "https://docs.example.com/logout": Deny} {
		f := crawlFacts("https://docs.example.com/")
		f.Destination = to(address)
		if v := decideCrawl(t, action.Operator, "crawl.page", &action.CrawlPage{}, f); v.Decision != want {
			t.Errorf("an operator's %s: %+v", address, v)
		}
	}
	f := crawlFacts("https://docs.example.com/")
	f.Crawl = nil
	if v := decideCrawl(t, action.Operator, "crawl.page", &action.CrawlPage{}, f); v.Decision != Deny {
		t.Errorf("without a crawl: %+v", v)
	}
}

func TestACrawlRefusesAddressesThatMayAct(t *testing.T) {
	for path, want := range map[string]Decision{
		"/delete_item?id=3": Deny, "/api/deleteUser/3": Deny, "/a?delete=1": Deny, "/index.php?page=logout": Deny, "/x;delete=1": Deny,
		"/docs/delete-a-branch": Allow, "/docs/how-to-remove": Allow, "/search?q=how+to+delete": Allow, "/a?page=2": Allow,
	} {
		f := crawlFacts("https://docs.example.com/")
		f.Destination = to("https://docs.example.com" + path)
		for _, role := range []action.Role{action.Agent, action.Operator} {
			if v := decideCrawl(t, role, "crawl.page", &action.CrawlPage{}, f); v.Decision != want {
				t.Errorf("%s as %s: %+v", path, role, v)
			}
		}
	}
}

func TestACrawlsPagesStayOnItsHosts(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.StringMatching(`([a-z]{1,8}\.){1,3}(com|org)`).Draw(t, "host")
		granted := rapid.SampledFrom([]string{"a.com", "*.a.com", "x.a.com", "*.org", host, "*." + host}).Draw(t, "granted")
		f := action.Facts{Destination: to("https://" + host + "/"), Crawl: &action.CrawlGrant{Hosts: []string{granted}}}
		v := p.Decide(action.Call{Verb: "crawl.page", Args: &action.CrawlPage{}, Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Operator}}, byName("crawl.page"), f)
		allowed, err := parsePatterns([]string{granted})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Decision == Allow; got != allowed.match(host) {
			t.Fatalf("%s under %s: %+v", host, granted, v)
		}
	})
}
