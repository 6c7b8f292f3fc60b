package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const hiddenToken = "9f86d081884c7d659a2feaa0c55ad015"

// holding makes a session hold credentials whose secret is the hiddenToken.
func holding(o *engine.Options) {
	o.Credentialed = func() bool { return true }
	o.Secrets = func(text string) (all [][2]int) {
		for at := 0; ; {
			i := strings.Index(text[at:], hiddenToken)
			if i < 0 {
				return all
			}
			all = append(all, [2]int{at + i, at + i + len(hiddenToken)})
			at += i + len(hiddenToken)
		}
	}
}

const vaulted = `<title>Account</title><meta name=csrf content="` + hiddenToken + `">
	<main id=main class="page wide"><h1>Account</h1>
	<form><input type=hidden name=token value="` + hiddenToken + `"><label>Name <input name=user value="ada" placeholder="Your name"></label>
	<input type=password name=pw aria-label="Password" value="` + hiddenToken + `"><button disabled>Save</button></form>
	<p id=key data-key="` + hiddenToken + `">Key: ` + hiddenToken + ` is yours</p><p>Key: none</p>
	<button aria-label="Copy ` + hiddenToken + `">Copy</button><a href="/next?page=2" title="On" data-token="` + hiddenToken + `">Next</a>
	<p style="display:none" id=gone>quiet ` + hiddenToken + `</p><p id=faint style="opacity:0">faint words</p><p id=half>seen <span style="display:none">unseen</span> words</p>
	<template><i class=inert></i></template><script>var t = "` + hiddenToken + `"</script></main>`

func TestSelectorsOfAgentsAskForStructureAlone(t *testing.T) {
	tr := start(t, holding)
	tr.visit(vaulted)
	for _, css := range []string{"main", "#main.wide > h1", "input[name=user]", "a[href='/next?page=2']", "form:has(button:disabled)", "button[disabled]", "p:nth-of-type(2)", "body"} {
		if r := tr.must("page.wait_for", &action.WaitFor{Locator: selector(css)}); !r.Data.(*action.Waited).Found {
			t.Errorf("%s does not match", css)
		}
	}
	for _, css := range []string{"[value^='9']", "input[name=token][value]", "[data-key]", "meta[content]", "p:not([data-key^='9'])", "a[href^='/']", "::before"} {
		for verb, args := range map[string]any{
			"page.click": &action.Click{Locator: selector(css)}, "page.hover": &action.Hover{Locator: selector(css)}, "page.type": &action.Type{Locator: selector(css), Input: "x"},
			"page.press": &action.Press{Locator: selector(css), Key: "a"}, "page.select": &action.Select{Locator: selector(css), Values: []string{"a"}},
			"page.drag": &action.Drag{From: selector("h1"), To: selector(css)}, "page.upload": &action.Upload{Locator: selector(css), Clear: true}, "page.scroll": &action.Scroll{Locator: selector(css)},
			"page.wait_for": &action.WaitFor{Locator: selector(css)}, "page.screenshot": &action.TakeScreenshot{Selector: css}, "page.find": &action.Find{Text: "Key", Selector: css},
			"page.scrape": &action.Scrape{Selectors: map[string]string{"x": css}},
		} {
			if f := tr.refuse(fault.InvalidSelector, verb, args); !strings.Contains(f.Hint, "ref") && !strings.Contains(f.Hint, "selectors") {
				t.Errorf("%s of %s is refused with the hint %q", verb, css, f.Hint)
			}
		}
	}
}

func TestWhatAPersonCouldNotSeeIsNotThereForAgents(t *testing.T) {
	tr := start(t, holding)
	tr.visit(vaulted)
	for _, css := range []string{"input[type=hidden]", "meta", "title", "script", "template", ".inert", "#gone", "#faint", "head", "input[name=token]"} {
		if r := tr.must("page.wait_for", &action.WaitFor{Locator: selector(css), Timeout: new(int)}); r.Data.(*action.Waited).Found {
			t.Errorf("%s matches", css)
		}
		if r := tr.must("page.wait_for", &action.WaitFor{Locator: selector(css), State: "detached", Timeout: new(int)}); !r.Data.(*action.Waited).Found {
			t.Errorf("%s is not away", css)
		}
		scraped := tr.must("page.scrape", &action.Scrape{Selectors: map[string]string{"x": css}}).Data.(*action.Scraped)
		if n := len(scraped.Data["x"]); n != 0 {
			t.Errorf("%s is scraped %d times", css, n)
		}
	}
	for text, want := range map[string]bool{
		"Key: none": true, "seen words": true, "Account": true, "is yours": true,
		"quiet": false, "faint words": false, "unseen": false, "seen unseen words": false, "var t": false,
	} {
		tr.wantText(text, want)
	}
}

func (tr *trial) wantText(text string, want bool) {
	tr.t.Helper()
	none := 0
	if r := tr.must("page.wait_for", &action.WaitFor{Locator: action.Locator{Text: text}, Timeout: &none}); r.Data.(*action.Waited).Found != want {
		tr.t.Errorf("the text %q is there: %t", text, !want)
	}
	if r := tr.must("page.wait_for", &action.WaitFor{TextGone: text, Timeout: &none}); r.Data.(*action.Waited).Found == want {
		tr.t.Errorf("the text %q is gone: %t", text, want)
	}
}

func TestNoAnswerTellsALetterOfAKnownSecret(t *testing.T) {
	tr := start(t, holding)
	s := tr.visit(vaulted)
	none := 0
	for _, piece := range []string{hiddenToken, hiddenToken[:1] + hiddenToken[1:2], hiddenToken[:8], "Key: 9", "key: 9f86", hiddenToken[24:] + " is", "5 is yours", "Copy 9"} {
		tr.wantText(piece, false)
		named := action.Locator{Role: "button", Name: piece}
		if r := tr.must("page.wait_for", &action.WaitFor{Locator: named, Timeout: &none}); r.Data.(*action.Waited).Found {
			t.Errorf("a button is named %q", piece)
		}
		tr.refuse(fault.NotFound, "page.hover", &action.Hover{Locator: action.Locator{Text: piece}, Timing: action.Timing{Timeout: 1}})
		for _, a := range []action.Find{{Text: piece}, {Regex: piece}, {Name: piece}} {
			if n := tr.found(a).Total; n != 0 {
				t.Errorf("%+v finds %d", a, n)
			}
		}
	}
	if got := tr.found(action.Find{Text: "Key:", Context: 12}); got.Total != 2 || strings.Contains(got.Matches[0].Text, hiddenToken[:2]) {
		t.Errorf("beside the key there is %+v", got.Matches)
	}
	tr.must("page.goto", &action.Goto{URL: s.URL + "/?k=1&token=" + hiddenToken + "#" + hiddenToken})
	for _, piece := range []string{"token=9", "#9", "#9f86d0"} {
		if r := tr.must("page.wait_for", &action.WaitFor{URL: piece, Timeout: &none}); r.Data.(*action.Waited).Found {
			t.Errorf("the address has %q", piece)
		}
	}
	if r := tr.must("page.wait_for", &action.WaitFor{URL: "?k=1&token="}); !r.Data.(*action.Waited).Found {
		t.Error("what is shown of the address is not found in it")
	}
	requests := tr.must("page.network", &action.ReadNetwork{Pattern: "#?9f86"}).Data.(*action.NetworkListing)
	if len(requests.Requests) != 0 {
		t.Errorf("requests: %+v", requests.Requests)
	}
}

func TestOnlyHarmlessAttributesAreScraped(t *testing.T) {
	tr := start(t, holding)
	s := tr.visit(vaulted)
	got := tr.must("page.scrape", &action.Scrape{Selectors: map[string]string{"to": "a@href", "says": "a@title", "name": "input[name=user]@placeholder"}}).Data.(*action.Scraped)
	if got.Data["to"][0] != s.URL+"/next?page=2" || got.Data["says"][0] != "On" || got.Data["name"][0] != "Your name" {
		t.Errorf("scraped %v", got.Data)
	}
	for _, css := range []string{"a@data-token", "p@data-key", "input[name=user]@value", "a@onclick", "form@action", "p@style"} {
		tr.refuse(fault.DeniedByPolicy, "page.scrape", &action.Scrape{Selectors: map[string]string{"x": css}})
	}
}

func TestOperatorsAskForWhatTheyLike(t *testing.T) {
	tr := start(t, holding)
	tr.visit(vaulted)
	tr.ctx = engine.Trusted(tr.ctx)
	got := tr.must("page.scrape", &action.Scrape{Selectors: map[string]string{"x": "p[data-key^='9']@data-key"}}).Data.(*action.Scraped)
	if len(got.Data["x"]) != 1 {
		t.Errorf("scraped %v", got.Data)
	}
	if r := tr.must("page.wait_for", &action.WaitFor{Locator: selector("meta[content]")}); !r.Data.(*action.Waited).Found {
		t.Error("an operator does not find it")
	}
}

func TestWithoutCredentialsSelectorsAreFree(t *testing.T) {
	tr := start(t)
	tr.visit(vaulted)
	if r := tr.must("page.wait_for", &action.WaitFor{Locator: selector("a[href^='/']")}); !r.Data.(*action.Waited).Found {
		t.Error("it does not match")
	}
}

func TestACrawlOfAnAgentsTakesNoHTMLWhereThereAreCredentials(t *testing.T) {
	tr := start(t, holding)
	s := serve(t, vaulted)
	for _, extract := range []string{"html", "text"} {
		c := tr.Crawl(engine.CrawlOptions{Extract: extract})
		visit, err := c.Visit(tr.ctx, s.URL, ample)
		if extract == "html" && (err == nil || fault.CodeOf(err) != fault.DeniedByPolicy) {
			t.Errorf("HTML is %+v, %v", visit, err)
		}
		if extract == "text" && (err != nil || !strings.Contains(visit.Page.Content, "Key: none")) {
			t.Errorf("the text is %+v, %v", visit, err)
		}
		must(t, c.Close(tr.ctx))
	}
	c := tr.Crawl(engine.CrawlOptions{Extract: "html"})
	visit, err := c.Visit(engine.Trusted(tr.ctx), s.URL, ample)
	if err != nil || !strings.Contains(visit.Page.Content, "<template>") {
		t.Errorf("an operator's is %+v, %v", visit, err)
	}
	must(t, c.Close(tr.ctx))
}
