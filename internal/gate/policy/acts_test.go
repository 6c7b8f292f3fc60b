package policy

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const siteURL = "https://app.example.com"

// sample is one line of testdata/acts.
type sample struct {
	line string
	says map[string]string
}

// actsOf reads a list of acts: key=value separated by semicolons, {a|b} for several acts.
func actsOf(t *testing.T, name string) (all []sample) {
	t.Helper()
	text, err := os.ReadFile("testdata/acts/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, one := range spread(line) {
			says := map[string]string{}
			verb, rest, _ := strings.Cut(one, "; ")
			for part := range strings.SplitSeq(rest, "; ") {
				key, value, _ := strings.Cut(part, "=")
				says[key] = strings.ReplaceAll(value, `\n`, "\n")
			}
			says["verb"] = verb
			all = append(all, sample{one, says})
		}
	}
	return all
}

// spread expands {a|b}.
func spread(line string) []string {
	before, rest, found := strings.Cut(line, "{")
	choices, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{line}
	}
	var all []string
	for choice := range strings.SplitSeq(choices, "|") {
		all = append(all, spread(before+choice+after)...)
	}
	return all
}

func addressOf(says map[string]string, key string) string {
	address := says[key]
	if strings.HasPrefix(address, "/") {
		address = siteURL + address
	}
	return address
}

// facts returns the facts of a line.
func (a sample) facts() action.Facts {
	s := a.says
	f := action.Facts{Page: action.Page{URL: siteURL + "/here"}}
	if s["page"] != "" {
		f.Page.URL = addressOf(s, "page")
	}
	if address := addressOf(s, "address"); address != "" {
		f.Destination = to(address)
		return f
	}
	tag := s["tag"]
	if tag == "" {
		tag = map[string]string{"link": "a", "button": "button"}[s["role"]]
	}
	is := func(key string) bool { return s[key] == "true" }
	f.Element = &action.Element{
		Role: s["role"], Name: s["name"], Tag: tag, Type: s["type"], Label: s["label"], Within: s["within"], LinkURL: addressOf(s, "link"),
		FormAction: addressOf(s, "action"), FormMethod: s["method"], Submits: is("submits"), SubmitName: s["submitname"], Editable: is("editable"),
		Code: is("code"), Toggle: is("toggle"), Also: s["also"], Orders: s["orders"], Dialog: s["dialog"], Beside: s["beside"], Item: s["item"],
		Scripted: is("scripted"), Blank: is("blank"), Emptied: is("emptied"), FrameURL: f.Page.URL, FieldName: s["field"], Icons: s["icons"], On: is("on"),
	}
	if isWebLink(f.Element) && f.Element.LinkURL != "" {
		f.Destination = to(f.Element.LinkURL)
	}
	return f
}

func (a sample) decide(t *testing.T, p *Policy) Verdict {
	t.Helper()
	switch a.says["verb"] {
	case "click":
		return decide(t, p, action.Agent, "page.click", &action.Click{}, a.facts())
	case "press":
		return decide(t, p, action.Agent, "page.press", &action.Press{Key: a.says["key"]}, a.facts())
	case "type":
		return decide(t, p, action.Agent, "page.type", &action.Type{Input: a.says["text"], Submit: a.says["submit"] == "true"}, a.facts())
	case "goto":
		return decide(t, p, action.Agent, "page.goto", &action.Goto{}, a.facts())
	}
	t.Fatalf("no verb in %q", a.line)
	return Verdict{}
}

const mostNeedless = 2.0 // questions about 100 harmless acts

func TestHarmlessActsAreRarelyAskedAbout(t *testing.T) {
	acts := actsOf(t, "harmless.txt")
	if len(acts) < 200 {
		t.Fatalf("%d acts are few", len(acts))
	}
	allowed, trusted := mustNew(t, Config{Enabled: true}), trusting(t)
	for name, p := range map[string]*Policy{"allowed": allowed, "trusted": trusted} {
		var needless []string
		for _, a := range acts {
			if name == "allowed" && a.says["trusted"] == "true" {
				continue
			}
			if v := a.decide(t, p); v.Decision != Allow {
				needless = append(needless, fmt.Sprintf("%s: %s %s by %s (%s)", a.line, v.Decision, v.Risk, v.Rule, v.Why))
			}
		}
		rate := 100 * float64(len(needless)) / float64(len(acts))
		t.Logf("on %s hosts %d of %d harmless acts are asked about: %.1f %%", name, len(needless), len(acts), rate)
		if rate > mostNeedless {
			t.Errorf("more than %.0f %% on %s hosts:\n%s", mostNeedless, name, strings.Join(needless, "\n"))
		}
	}
}

func TestNoHarmfulActRunsUnasked(t *testing.T) {
	acts := actsOf(t, "harmful.txt")
	if len(acts) < 200 {
		t.Fatalf("%d acts are few", len(acts))
	}
	p, missed := trusting(t), 0
	for _, a := range acts {
		least := action.High
		if a.says["least"] == "CRITICAL" {
			least = action.Critical
		}
		if v := a.decide(t, p); v.Decision == Allow || v.Risk < least {
			missed++
			t.Errorf("%s: %s %s by %s (%s)", a.line, v.Decision, v.Risk, v.Rule, v.Why)
		}
	}
	t.Logf("%d of %d harmful acts would run unasked or are judged too low", missed, len(acts))
}

// BenchmarkDecide decides about acts of all kinds.
func BenchmarkDecide(b *testing.B) {
	p := trusting(b)
	item := action.Element{Role: "button", Tag: "button", Name: "Continue with this", Also: "Go on · Delete account", Dialog: "Delete repository? · All data will be lost", Beside: "Cancel", Within: "Danger zone"}
	for name, f := range map[string]action.Facts{
		"button": on(button("Save changes")), "dialog": on(item),
		"link":    on(action.Element{Role: "link", Tag: "a", Name: "How to delete files", LinkURL: siteURL + "/docs/files/delete?from=menu"}),
		"russian": on(button("Переместить в корзину")), "chinese": on(button("确定要删除吗")),
	} {
		b.Run(name, func(b *testing.B) {
			call := action.Call{Verb: "page.click", Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Agent}, Args: &action.Click{}}
			verb := row(b, "page.click")
			b.ReportAllocs()
			for b.Loop() {
				p.Decide(call, verb, f)
			}
		})
	}
}
