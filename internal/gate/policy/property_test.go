package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// someElement draws what a page might say of an element.
func someElement(t *rapid.T) action.Element {
	name := rapid.SampledFrom([]string{"", "Next", "Search", "Save", "Delete", "Pay", "🗑", "Details", "Comment", "Password", "Send", "次へ", "الاسم", "Cancel", "Reply", "OK", "How to pay", "View post"})
	address := rapid.SampledFrom([]string{"", "https://app.example.com/a", "https://app.example.com/settings", "https://other.example.org/checkout", "javascript:x()", "https://pay.example.org/"})
	return action.Element{
		Role: rapid.SampledFrom([]string{"", "button", "link", "textbox", "searchbox", "checkbox", "tab", "combobox"}).Draw(t, "role"),
		Tag:  rapid.SampledFrom([]string{"", "a", "button", "input", "textarea", "div", "select"}).Draw(t, "tag"),
		Type: rapid.SampledFrom([]string{"", "text", "search", "submit", "email"}).Draw(t, "type"),
		Name: name.Draw(t, "name"), Label: name.Draw(t, "label"), Placeholder: name.Draw(t, "placeholder"),
		LinkURL: address.Draw(t, "link"), FormAction: address.Draw(t, "action"), FrameURL: address.Draw(t, "frame"),
		FormMethod: rapid.SampledFrom([]string{"", "get", "post"}).Draw(t, "method"),
		Submits:    rapid.Bool().Draw(t, "submits"), SubmitName: name.Draw(t, "submit name"),
		Editable: rapid.Bool().Draw(t, "editable"), Toggle: rapid.Bool().Draw(t, "toggle"),
		Code: rapid.Bool().Draw(t, "code"), Protected: rapid.Bool().Draw(t, "protected"),
		Also: name.Draw(t, "also"), Dialog: name.Draw(t, "dialog"), Scripted: rapid.Bool().Draw(t, "scripted"), Blank: rapid.Bool().Draw(t, "blank"), Emptied: rapid.Bool().Draw(t, "emptied"),
		Orders: rapid.SampledFrom([]string{"", "", "action=save", "data-method=post", "do=cancel"}).Draw(t, "orders"),
		Beside: rapid.SampledFrom([]string{"", "Save", "Cancel"}).Draw(t, "beside"), Item: rapid.SampledFrom([]string{"", "Order 5"}).Draw(t, "item"),
	}
}

// someCall draws arguments for every write verb that has rules.
func someCall(t *rapid.T) (verb string, args any) {
	switch rapid.IntRange(0, 4).Draw(t, "verb") {
	case 0:
		return "page.click", &action.Click{}
	case 1:
		return "page.type", &action.Type{Input: rapid.SampledFrom([]string{"", "x", "x\n", "x\ty", "x\ny"}).Draw(t, "input"), Submit: rapid.Bool().Draw(t, "submit")}
	case 2:
		return "page.press", &action.Press{Key: rapid.SampledFrom([]string{"Enter", "x", "Tab", " ", "Control+Enter", "Delete"}).Draw(t, "key")}
	case 3:
		return "page.select", &action.Select{}
	}
	return "page.goto", &action.Goto{}
}

// severity orders verdicts: a refusal is worse than any question.
func severity(v Verdict) int {
	if v.Decision == Deny {
		return 100
	}
	return int(v.Risk)
}

func TestRiskyWordsNeverLowerTheRisk(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}})
	rapid.Check(t, func(t *rapid.T) {
		verb, args := someCall(t)
		e := someElement(t)
		before := p.judge(action.Call{Verb: verb, Args: args}, byName(verb), on(e))
		risky := rapid.SampledFrom([]string{"delete", "Pay now", "supprimer", "删除", "delete account", "senden", "password", "Карта: пароль"}).Draw(t, "risky")
		worse := e
		// An element without a name is judged by its label and addresses, which may be
		// worse than the name that the test gives it: it would be another control.
		switch rapid.IntRange(0, 5).Draw(t, "where") {
		case 0:
			if hasWords(e.Name) {
				worse.Name = e.Name + " " + risky
			}
		case 1:
			if hasWords(e.SubmitName) {
				worse.SubmitName = e.SubmitName + " " + risky
			}
		case 2:
			worse.Placeholder = strings.TrimSpace(e.Placeholder + " " + risky)
		case 3:
			worse.Also = strings.TrimPrefix(e.Also+" · "+risky, " · ")
		case 4:
			worse.Orders = strings.TrimPrefix(e.Orders+" · action="+risky, " · ")
		case 5:
			if e.Dialog != "" {
				worse.Dialog = e.Dialog + " " + risky
			}
		}
		after := p.judge(action.Call{Verb: verb, Args: args}, byName(verb), on(worse))
		if a, b := severity(p.verdictOf(after)), severity(p.verdictOf(before)); a < b {
			t.Fatalf("%s: %+v\nwith %q: %+v", verb, before, risky, after)
		}
	})
}

func byName(verb string) *action.Verb {
	v, _ := action.Lookup(verb)
	return v
}

func TestViewersNeverWriteAndAgentsNeverAdminister(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}})
	rapid.Check(t, func(t *rapid.T) {
		verb := action.Verbs[rapid.IntRange(0, len(action.Verbs)-1).Draw(t, "verb")]
		f := on(someElement(t))
		f.Destination = to("https://app.example.com/")
		decideAs := func(role action.Role) Verdict {
			return p.Decide(action.Call{Verb: verb.Name, Args: verb.NewArgs(), Caller: action.Caller{Actor: "a", Scope: "s", Role: role}}, verb, f)
		}
		if v := decideAs(action.Viewer); verb.Class != action.Read && v.Decision != Deny {
			t.Fatalf("a viewer got %s for %s", v.Decision, verb.Name)
		}
		if v := decideAs(action.Agent); (verb.Class == action.Admin || verb.Class == action.Raw) && v.Decision != Deny && (verb.Name != scriptVerb || v.Decision != Ask) {
			t.Fatalf("an agent got %s for %s", v.Decision, verb.Name)
		}
	})
}

func TestHighAndCriticalNeverRunForAgents(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com", "other.example.org"}})
	rapid.Check(t, func(t *rapid.T) {
		verb, args := someCall(t)
		v := p.Decide(action.Call{Verb: verb, Args: args, Caller: action.Caller{Actor: "a", Scope: "s", Role: action.Agent}}, byName(verb), on(someElement(t)))
		if v.Decision == Allow && v.Risk >= action.High {
			t.Fatalf("%s ran: %+v", verb, v)
		}
	})
}
