package policy

import (
	"reflect"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// judgement is what the built-in table says about a call. Its risk is only ever raised.
type judgement struct {
	risk   action.Risk
	rule   string
	why    string
	refuse fault.Code // set where no answer can allow the call
	hint   string
	auto   bool     // MEDIUM runs on hosts that are not trusted: the destination is allowed anyway
	hosts  []string // that must all be trusted for MEDIUM to run

	grant string // of a HIGH call: the host on which a person may allow it for the session

	forAll  bool // the refusal holds for operators too
	private bool // what is typed must not be recorded or shown
}

// placeRules are the rules that only say where an act leads. A rule of the same risk that
// says what the act does replaces them.
var placeRules = map[string]bool{"navigation.sensitive": true, "navigation.settings": true}

// raise raises the risk of j to at least risk, for the given reason.
func (j *judgement) raise(risk action.Risk, rule, why string) {
	if risk > j.risk || risk == j.risk && placeRules[j.rule] && !placeRules[rule] {
		j.risk, j.rule, j.why = risk, rule, why
	}
}

// join raises j to what is worse in other, and adds its hosts.
func (j *judgement) join(other judgement) {
	j.raise(other.risk, other.rule, other.why)
	if other.refuse != "" && j.refuse == "" {
		j.refuse, j.hint, j.rule, j.why = other.refuse, other.hint, other.rule, other.why
	}
	j.auto = j.auto && other.auto
	j.private = j.private || other.private
	j.hosts = append(j.hosts, other.hosts...)
}

// judge applies the built-in risk table to a write call (docs/policy.md).
func (p *Policy) judge(call action.Call, verb *action.Verb, facts action.Facts) judgement {
	if navigates(call.Args) {
		return p.navigate(facts, facts.Destination, true)
	}
	if j, found := p.judgeMany(call, facts); found {
		return j
	}
	switch args := call.Args.(type) {
	case action.Pressing:
		if !reflect.ValueOf(args).IsNil() {
			return p.pressing(args, facts)
		}
	case *action.Drag:
		if args != nil {
			return p.drag(facts)
		}
	case *action.Type:
		if args != nil {
			return p.typing(args, facts)
		}
	case *action.FillSecret:
		if args != nil {
			return secret(facts)
		}
	case *action.Press:
		if args != nil {
			return p.press(args.Key, facts)
		}
	case *action.Upload:
		if args != nil {
			return p.upload(args, facts)
		}
	case *action.Select:
		if args != nil {
			return p.choose(args, facts)
		}
	case *action.Reload:
		if args != nil {
			return p.reload(verb, facts)
		}
	case *action.AnswerDialog:
		if args != nil {
			return p.dialog(args, facts)
		}
	case *action.MouseButton, *action.KeyHold:
		return p.held(args, verb, facts)
	}
	return ownRisk(verb, facts)
}

// pressing judges a click. It has no effect if the control is already as the call wants it.
func (p *Policy) pressing(args any, facts action.Facts) judgement {
	var wanted *bool
	switch a := args.(type) {
	case *action.SetChecked:
		if wanted = a.Checked; wanted == nil {
			wanted = new(true)
		}
	case *action.Click:
		wanted = a.Checked
	}
	if e := facts.Element; e != nil && wanted != nil && *wanted && e.On {
		return judgement{risk: action.Low, rule: "click.unchanged", why: "it is on already, and stays on", hosts: hostsOf(facts)}
	}
	return p.activate(facts)
}

// held judges a button or key that is pressed or released: as a click or a press of
// that key on the element that gets it, and MEDIUM at least.
func (p *Policy) held(args any, verb *action.Verb, facts action.Facts) judgement {
	j := ownRisk(verb, facts)
	if facts.Element == nil {
		return j
	}
	var on judgement
	if key, isKey := args.(*action.KeyHold); isKey && key != nil {
		on = p.press(key.Key, facts)
	} else {
		on = p.activate(facts)
	}
	j.hosts = nil
	j.join(on)
	return j
}

// navigates reports whether the arguments send the browser to an address.
func navigates(args any) bool {
	switch a := args.(type) {
	case *action.Goto:
		return a != nil
	case *action.OpenTab:
		return a != nil && a.URL != ""
	case *action.Scrape:
		return a != nil && a.Navigates()
	case *action.SessionStart:
		return a != nil && a.URL != ""
	case *action.BrowserStart:
		return a != nil && a.URL != ""
	}
	return false
}

// judgeMany judges the calls of crawls and runs, and their steps.
func (p *Policy) judgeMany(call action.Call, facts action.Facts) (j judgement, found bool) {
	switch args := call.Args.(type) {
	case *action.Crawl:
		if args != nil {
			return p.crawl(call, args, facts), true
		}
	case *action.CrawlPage, *action.CrawlFile:
		return p.crawlPage(facts), true
	case *action.RunStart:
		if args != nil {
			return runStart(args), true
		}
	case *action.RunOpen:
		return p.runOpen(facts), true
	case *action.RunGuide:
		return runGuide(args), true
	case *action.RunAllow:
		return runAllow(facts), true
	}
	return judgement{}, false
}

// dialog judges the answer to a JavaScript dialog by the dialog's text.
func (p *Policy) dialog(args *action.AnswerDialog, facts action.Facts) judgement {
	if !args.Accept {
		return dismissed(facts)
	}
	d := facts.Dialog
	if d != nil && d.Kind == "alert" {
		return judgement{risk: action.Low, rule: "dialog.alert", why: "it only tells something", hosts: hostsOf(facts)}
	}
	j := judgement{risk: action.Medium, rule: "dialog.accept", why: "a dialog of the page is confirmed", hosts: hostsOf(facts)}
	if d == nil {
		return j
	}
	judgeWords(&j, d.Message)
	if d.Kind == "prompt" && words().secret.in(d.Message) {
		j.private = true
		j.raise(action.Critical, "field.secret", "the dialog asks for a password or another secret")
		j.refuse, j.hint = fault.DeniedByPolicy, "secrets are never typed by agents: dismiss the dialog and ask the operator to sign in"
	}
	return j
}

// dismissed judges dismissing a dialog, which does harm if the dialog says so.
func dismissed(facts action.Facts) judgement {
	j := judgement{risk: action.Low, rule: "dialog.dismiss", why: "a dialog is dismissed", hosts: hostsOf(facts)}
	if d := facts.Dialog; d != nil && d.Kind != "alert" && d.Kind != "beforeunload" {
		judgeDismissal(&j, d.Message)
	}
	return j
}

// reload judges loading the page again.
func (p *Policy) reload(verb *action.Verb, facts action.Facts) judgement {
	if facts.Resubmits {
		return judgement{risk: action.High, rule: "reload.resubmit", why: "it posts a form for a second time", hosts: hostsOf(facts)}
	}
	return ownRisk(verb, facts)
}

// ownRisk is the judgement of a verb that has no rules of its own.
func ownRisk(verb *action.Verb, facts action.Facts) judgement {
	j := judgement{risk: verb.Risk, rule: "verb", why: "it is the verb's own risk", hosts: hostsOf(facts)}
	if j.risk < action.Low || j.risk > action.Critical {
		j.risk = action.Critical
	}
	return j
}

// hostsOf are the hosts of the page and of the frames that its elements are in.
func hostsOf(facts action.Facts) []string {
	hosts := []string{hostOf(facts.Page.URL)}
	for _, e := range []*action.Element{facts.Element, facts.Onto} {
		if e == nil || e.FrameURL == "" {
			continue
		}
		if h := hostOf(e.FrameURL); h != hosts[0] && e.FrameURL != "about:blank" && e.FrameURL != "about:srcdoc" {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// withheld refuses what a role may not have in a session with credentials: no rule, grant or
// answer gives it to that role.
func withheld(caller action.Caller, verb *action.Verb, facts action.Facts) (v Verdict, refused bool) {
	if !facts.Session.Credentialed || !verb.WithheldFrom(caller.Role) {
		return Verdict{}, false
	}
	return deny(action.WithheldRule, action.WithheldWhy, verb.Instead()), true
}
