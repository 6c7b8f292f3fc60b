package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// trusting is a policy that allows MEDIUM on the page's host: what it asks about must be HIGH.
func trusting(t testing.TB) *Policy {
	t.Helper()
	return mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}})
}

func TestDialogsAreJudgedByTheirText(t *testing.T) {
	p := trusting(t)
	accept := &action.AnswerDialog{Accept: true}
	for _, c := range []struct {
		name string
		d    *action.Dialog
		want want
	}{
		{"nothing known", nil, want{Allow, action.Medium, "dialog.accept"}},
		{"harmless", &action.Dialog{Kind: "confirm", Message: "Show it in a new window?"}, want{Allow, action.Medium, "dialog.accept"}},
		{"deletes", &action.Dialog{Kind: "confirm", Message: "Delete all 500 invoices for ever?"}, want{Ask, action.High, "click.delete"}},
		{"pays", &action.Dialog{Kind: "confirm", Message: "Place your order now?"}, want{Ask, action.Critical, "click.pay"}},
		{"tells", &action.Dialog{Kind: "alert", Message: "The invoice was deleted"}, want{Allow, action.Low, "dialog.alert"}},
		{"asks a secret", &action.Dialog{Kind: "prompt", Message: "Your password:"}, want{Deny, action.Critical, "field.secret"}},
	} {
		f := on(action.Element{})
		f.Dialog = c.d
		check(t, c.name, decide(t, p, action.Agent, "page.dialog", accept, f), c.want)
		check(t, c.name+" dismissed", decide(t, p, action.Agent, "page.dialog", &action.AnswerDialog{}, f), want{Allow, action.Low, "dialog.dismiss"})
	}
}

func TestAChoiceIsJudgedByTheOptions(t *testing.T) {
	p := trusting(t)
	list := action.Element{Role: "combobox", Tag: "select", Name: "Sort by"}
	for _, c := range []struct {
		name, verb string
		args       any
		options    []string
		want       want
	}{
		{"harmless", "page.select", &action.Select{Values: []string{"date"}}, []string{"Date"}, want{Allow, action.Low, "field.free"}},
		{"deletes by label", "page.select", &action.Select{Values: []string{"3"}}, []string{"Delete all"}, want{Ask, action.High, "click.delete"}},
		{"deletes by value", "page.select", &action.Select{Values: []string{"delete"}}, []string{"3"}, want{Ask, action.High, "click.delete"}},
		{"a letter", "page.press", &action.Press{Key: "d"}, []string{"Date", "Delete all"}, want{Ask, action.High, "click.delete"}},
		{"an arrow", "page.press", &action.Press{Key: "ArrowDown"}, []string{"Date", "Delete all"}, want{Ask, action.High, "click.delete"}},
		{"a harmless arrow", "page.press", &action.Press{Key: "ArrowDown"}, []string{"Date", "Name"}, want{Allow, action.Low, "field.free"}},
	} {
		f := on(list)
		f.Options = c.options
		check(t, c.name, decide(t, p, action.Agent, c.verb, c.args, f), c.want)
	}
}

func TestShortcutsFromAFieldAreJudged(t *testing.T) {
	p := trusting(t)
	search := action.Element{Role: "searchbox", Tag: "input", Type: "search", Editable: true}
	editor := action.Element{Role: "textbox", Tag: "div", Name: "Message", Editable: true}
	for _, c := range []struct {
		name, key string
		e         action.Element
		want      want
	}{
		{"copy", "Control+c", search, want{Allow, action.Low, "field.free"}},
		{"save", "Control+s", search, want{Allow, action.Medium, "press.shortcut"}},
		{"an access key in a field", "Alt+d", search, want{Ask, action.High, "press.accesskey"}},
		{"an access key on the page", "Alt+Shift+d", action.Element{Tag: "body"}, want{Ask, action.High, "press.accesskey"}},
		{"sends from an editor", "Control+Enter", editor, want{Ask, action.High, "press.send"}},
		{"sends from an editor on a Mac", "Meta+Enter", editor, want{Ask, action.High, "press.send"}},
		{"in a search", "Control+Enter", search, want{Allow, action.Medium, "press.enter"}},
		{"deletes what is selected", "Backspace", action.Element{Tag: "body"}, want{Ask, action.High, "press.delete"}},
	} {
		check(t, c.name, decide(t, p, action.Agent, "page.press", &action.Press{Key: c.key}, on(c.e)), c.want)
	}
}

func TestAnAddressThatActsIsAsked(t *testing.T) {
	p := trusting(t)
	const base = "https://app.example.com"
	for path, risk := range map[string]action.Risk{
		"/items/5/delete": action.High, "/delete/5": action.High, "/logout": action.High, "/users/sign_out": action.High, "/log-out.php": action.High,
		"/mail/unsubscribe?u=1": action.High, "/index.php?action=delete&id=5": action.High, "/x?do=Log-Out": action.High, "/x?_method=delete": action.High,
		"/items/5": action.Low, "/deleted": action.Low, "/posts/how-to-delete-an-account": action.Low, "/x?q=delete": action.Low, "/release/1": action.Low,
	} {
		f := action.Facts{Page: action.Page{URL: pageURL}, Destination: to(base + path)}
		if v := decide(t, p, action.Agent, "page.goto", &action.Goto{URL: base + path}, f); v.Risk != risk || (v.Decision == Ask) != (risk == action.High) {
			t.Errorf("going to %s: %s %s by %s, want %s", path, v.Decision, v.Risk, v.Rule, risk)
		}
		link := action.Element{Role: "link", Tag: "a", Name: "Item 5", LinkURL: base + path}
		if v := decide(t, p, action.Agent, "page.click", &action.Click{}, on(link)); (v.Decision == Ask) != (risk == action.High) {
			t.Errorf("a link to %s: %s %s by %s, want %s", path, v.Decision, v.Risk, v.Rule, risk)
		}
	}
	sure := action.Element{Role: "button", Tag: "button", Type: "submit", Name: "Yes, I am sure", Submits: true, SubmitName: "Yes, I am sure", FormMethod: "post", FormAction: base + "/items/5/delete/"}
	check(t, "confirmation page", decide(t, p, action.Agent, "page.click", &action.Click{}, on(sure)), want{Ask, action.High, "effect.address"})
}

func TestAnAddressThatChangesSomethingRunsOnTrustedHosts(t *testing.T) {
	for _, path := range []string{"/cart/add?id=5", "/set?led=on", "/setConfig?x=1", "/update?id=5&name=x", "/jobs/5/retry", "/job/5/build"} {
		f := action.Facts{Page: action.Page{URL: pageURL}, Destination: to("https://app.example.com" + path)}
		check(t, path, decide(t, trusting(t), action.Agent, "page.goto", &action.Goto{}, f), want{Allow, action.Medium, "navigation.changing"})
		check(t, path, decide(t, mustNew(t, Config{Enabled: true}), action.Agent, "page.goto", &action.Goto{}, f), want{Ask, action.Medium, "navigation.changing"})
	}
}

func TestReasonsDescribeTheEffect(t *testing.T) {
	p := trusting(t)
	for name, why := range map[string]string{
		"Delete": "it deletes or resets something", "Send": "it sends, publishes or shares something", "Sign out": "it cancels, stops or signs out of something",
		"Grant access": "it grants rights, signs something, or changes how somebody signs in", "Refund €900": "it moves money",
		"Pay": "it pays, buys or transfers something", "Delete account": "it deletes or closes an account, or a whole project",
	} {
		if v := decide(t, p, action.Agent, "page.click", &action.Click{}, on(button(name))); v.Why != why {
			t.Errorf("%s: %q", name, v.Why)
		}
	}
	for _, page := range []string{"https://app.example.com/admin", "https://news.example.org/"} {
		f := action.Facts{Page: action.Page{URL: page}, Destination: to("https://admin.example.com/admin/users/5/delete")}
		if v := decide(t, p, action.Agent, "page.goto", &action.Goto{}, f); v.Why != "the address deletes something" {
			t.Errorf("a deletion below /admin from %s: %q", page, v.Why)
		}
	}
}

func TestAReloadThatPostsAgainIsAsked(t *testing.T) {
	p := trusting(t)
	f := on(action.Element{})
	check(t, "plain", decide(t, p, action.Agent, "page.reload", &action.Reload{}, f), want{Allow, action.Low, "verb"})
	f.Resubmits = true
	check(t, "posted", decide(t, p, action.Agent, "page.reload", &action.Reload{}, f), want{Ask, action.High, "reload.resubmit"})
}

func TestSecretPromptsAreRefusedByCode(t *testing.T) {
	f := on(action.Element{})
	f.Dialog = &action.Dialog{Kind: "prompt", Message: "Enter your PIN code"}
	v := decide(t, trusting(t), action.Agent, "page.dialog", &action.AnswerDialog{Accept: true, Prompt: "1234"}, f)
	if v.Code != fault.DeniedByPolicy || !v.Private {
		t.Errorf("got %+v", v)
	}
}
