package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const pageURL = "https://app.example.com/invoices"

func mustNew(t testing.TB, c Config) *Policy {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func row(t testing.TB, name string) *action.Verb {
	t.Helper()
	v, found := action.Lookup(name)
	if !found {
		t.Fatalf("no verb %s", name)
	}
	return v
}

// on is a page with an element.
func on(e action.Element) action.Facts {
	f := action.Facts{Page: action.Page{URL: pageURL}, Element: &e}
	if e.LinkURL != "" {
		f.Destination = to(e.LinkURL)
	}
	return f
}

// to is an allowed destination.
func to(address string) *action.Destination {
	host := hostOf(address)
	return &action.Destination{URL: address, Host: host, Site: siteOf(host), Allowed: true}
}

func decide(t testing.TB, p *Policy, role action.Role, verb string, args any, f action.Facts) Verdict {
	t.Helper()
	return p.Decide(action.Call{Verb: verb, Caller: action.Caller{Actor: "a", Scope: "s", Role: role}, Args: args}, row(t, verb), f)
}

func button(name string) action.Element {
	return action.Element{Role: "button", Tag: "button", Name: name}
}

func field(name string) action.Element {
	return action.Element{Role: "textbox", Tag: "input", Type: "text", Name: name, Editable: true}
}

type want struct {
	decision Decision
	risk     action.Risk
	rule     string // not checked when empty
}

func check(t *testing.T, name string, v Verdict, w want) {
	t.Helper()
	if v.Decision != w.decision || v.Risk != w.risk || w.rule != "" && v.Rule != w.rule {
		t.Errorf("%s: %s %s by %s (%s), want %s %s by %s", name, v.Decision, v.Risk, v.Rule, v.Why, w.decision, w.risk, w.rule)
	}
	if v.Why == "" || v.Rule == "" {
		t.Errorf("%s: no reason given", name)
	}
	if (v.Decision == Deny) != (v.Code != "") {
		t.Errorf("%s: %s with code %q", name, v.Decision, v.Code)
	}
}

func TestClicks(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	for _, c := range []struct {
		name string
		e    action.Element
		want want
	}{
		{"link on the site", action.Element{Role: "link", Tag: "a", Name: "Invoices", LinkURL: "https://app.example.com/list"}, want{Allow, action.Low, "navigation.same-site"}},
		{"link to a sub-domain", action.Element{Role: "link", Tag: "a", Name: "Help", LinkURL: "https://help.example.com/"}, want{Allow, action.Low, "navigation.same-site"}},
		{"link to another site", action.Element{Role: "link", Tag: "a", Name: "News", LinkURL: "https://news.example.org/"}, want{Allow, action.Medium, "navigation.new-domain"}},
		{"link that saves", action.Element{Role: "link", Tag: "a", Name: "Save", LinkURL: "https://news.example.org/"}, want{Ask, action.Medium, ""}},
		{"link without a name", action.Element{Role: "link", Tag: "a", LinkURL: "https://app.example.com/x"}, want{Ask, action.Medium, "click.unnamed"}},
		{"link to a checkout", action.Element{Role: "link", Tag: "a", Name: "Continue", LinkURL: "https://app.example.com/checkout/1"}, want{Ask, action.High, "navigation.checkout"}},
		{"link to settings", action.Element{Role: "link", Tag: "a", Name: "Preferences", LinkURL: "https://app.example.com/settings"}, want{Allow, action.Low, "navigation.same-site"}},
		{"link to settings of a sub-domain", action.Element{Role: "link", Tag: "a", Name: "Preferences", LinkURL: "https://id.example.com/settings"}, want{Ask, action.High, "navigation.settings"}},
		{"link that deletes", action.Element{Role: "link", Tag: "a", Name: "Delete", LinkURL: "https://app.example.com/x/1"}, want{Ask, action.High, "click.delete"}},
		{"icon link that deletes", action.Element{Role: "link", Tag: "a", Name: "🗑", LinkURL: "https://app.example.com/items/delete"}, want{Ask, action.High, "navigation.acting"}},
		{"script link", action.Element{Role: "link", Tag: "a", Name: "Anything", LinkURL: "javascript:void(0)"}, want{Ask, action.Medium, "click.unmatched"}},
		{"toggle", action.Element{Role: "checkbox", Tag: "input", Type: "checkbox", Name: "Urgent", Toggle: true}, want{Allow, action.Low, "click.toggle"}},
		{"toggle without a name", action.Element{Role: "checkbox", Tag: "input", Type: "checkbox", Toggle: true}, want{Ask, action.Medium, "click.unnamed"}},
		{"toggle that deletes", action.Element{Role: "checkbox", Tag: "input", Name: "Delete permanently", Toggle: true}, want{Ask, action.High, "click.delete"}},
		{"tab", action.Element{Role: "tab", Name: "Frobs", Toggle: true}, want{Allow, action.Low, "click.toggle"}},
		{"what only says to be a tab", action.Element{Role: "tab", Name: "Frobs"}, want{Ask, action.Medium, "click.unmatched"}},
		{"field", field("Send to"), want{Allow, action.Low, "click.focus"}},
		{"next page", button("Next ›"), want{Allow, action.Low, "click.navigation"}},
		{"unknown button", button("Frobnicate"), want{Ask, action.Medium, "click.unmatched"}},
		{"icon button", button("\ue001"), want{Ask, action.Medium, "click.unmatched"}},
		{"save", button("Save"), want{Ask, action.Medium, ""}},
		{"delete", button("Delete invoice"), want{Ask, action.High, "click.delete"}},
		{"delete with a trick", button("D\u200be\u00adlete"), want{Ask, action.High, "click.delete"}},
		{"sign out", button("Sign out"), want{Ask, action.High, "click.delete"}},
		{"pay", button("Pay €20.00"), want{Ask, action.Critical, "click.pay"}},
		{"delete account", button("Delete my account"), want{Ask, action.Critical, "click.pay"}},
		{"unnamed with a label", action.Element{Role: "button", Tag: "button", Label: "deleteBtn"}, want{Ask, action.High, "click.delete"}},
		{"unnamed with an action", action.Element{Role: "button", Tag: "button", Submits: true, FormMethod: "post", FormAction: "https://app.example.com/account/remove"}, want{Ask, action.High, "click.delete"}},
		{"submit", action.Element{Role: "button", Tag: "button", Type: "submit", Name: "Go", Submits: true, SubmitName: "Go", FormMethod: "post"}, want{Ask, action.Medium, "submit"}},
		{"submit a search", action.Element{Role: "button", Tag: "button", Type: "submit", Name: "Search", Submits: true, SubmitName: "Search", FormMethod: "get"}, want{Allow, action.Low, "submit.search"}},
		{"submit to a payment host", action.Element{Role: "button", Tag: "button", Name: "Continue", Submits: true, SubmitName: "Continue", FormMethod: "post", FormAction: "https://checkout.stripe.com/x"}, want{Ask, action.Critical, "navigation.payment"}},
		{"nothing known", action.Element{}, want{Ask, action.Medium, "click.unmatched"}},
	} {
		check(t, c.name, decide(t, p, action.Agent, "page.click", &action.Click{}, on(c.e)), c.want)
	}
	check(t, "no element", decide(t, p, action.Agent, "page.click", &action.Click{}, action.Facts{}), want{Ask, action.Medium, "click.unknown"})
}

func TestNavigation(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"mail.trusted.example", "*.trusted.example"}, Sensitive: []string{"hr.example.net"}})
	for _, c := range []struct {
		address string
		want    want
	}{
		{"https://app.example.com/other", want{Allow, action.Low, "navigation.same-site"}},
		{"https://example.com/", want{Allow, action.Low, "navigation.same-site"}},
		{"https://other.example.org/", want{Allow, action.Medium, "navigation.new-domain"}},
		{"https://other.co.uk/", want{Allow, action.Medium, "navigation.new-domain"}},
		{"https://mail.google.com/mail/u/0", want{Ask, action.High, "navigation.sensitive"}},
		{"https://mail.trusted.example/", want{Allow, action.Medium, "navigation.new-domain"}}, // somebody named it
		{"https://mail.of.trusted.example/", want{Ask, action.High, "navigation.sensitive"}},
		{"https://hr.example.net/", want{Ask, action.High, "navigation.sensitive"}},
		{"https://online-banking.example.org/", want{Ask, action.High, "navigation.sensitive"}},
		{"https://www.chase.com/", want{Ask, action.High, "navigation.sensitive"}},
		{"https://admin.example.com/", want{Ask, action.High, "navigation.sensitive"}},
		{"https://app.example.com/wp-admin/index.php", want{Ask, action.High, "navigation.settings"}},
		{"https://app.example.com/#/settings", want{Ask, action.High, "navigation.settings"}},
		{"https://app.example.com/einstellungen", want{Ask, action.High, "navigation.settings"}},
		{"https://www.paypal.com/", want{Ask, action.Critical, "navigation.payment"}},
		{"https://pay.example.org/", want{Ask, action.Critical, "navigation.payment"}},
		{"https://shop.example.org/checkout", want{Ask, action.High, "navigation.checkout"}},
		{"https://shop.example.org/de/kasse?x=1", want{Ask, action.High, "navigation.checkout"}},
		{"https://shop.example.org/de/pay.html?x=1", want{Allow, action.Medium, "navigation.new-domain"}},
		{"https://app.example.com/%63heckout", want{Ask, action.High, "navigation.checkout"}},
	} {
		f := action.Facts{Page: action.Page{URL: pageURL}, Destination: to(c.address)}
		check(t, c.address, decide(t, p, action.Agent, "page.goto", &action.Goto{URL: c.address}, f), c.want)
		if v := decide(t, p, action.Agent, "session.start", &action.SessionStart{URL: c.address}, f); v.Decision != c.want.decision {
			t.Errorf("session.start with %s: %s", c.address, v.Decision)
		}
	}
	blank := action.Facts{Destination: &action.Destination{URL: "about:blank", Allowed: true}}
	check(t, "blank", decide(t, p, action.Agent, "page.goto", &action.Goto{URL: "about:blank"}, blank), want{Allow, action.Low, "navigation.blank"})
	check(t, "start", decide(t, p, action.Agent, "session.start", &action.SessionStart{}, action.Facts{}), want{Allow, action.Low, "verb"})
}

func TestScrapingIsAReadUnlessItNavigates(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	lists := map[string]string{"a": "h1"}
	here := action.Facts{Page: action.Page{URL: pageURL}}
	there := func(address string) action.Facts {
		return action.Facts{Page: action.Page{URL: pageURL}, Destination: to(address)}
	}
	stays, goes := &action.Scrape{Selectors: lists}, &action.Scrape{Selectors: lists, URL: "https://x.example/"}
	check(t, "stays", decide(t, p, action.Agent, "page.scrape", stays, here), want{Allow, action.Low, "read"})
	check(t, "viewer stays", decide(t, p, action.Viewer, "page.scrape", stays, here), want{Allow, action.Low, "read"})
	check(t, "viewer goes", decide(t, p, action.Viewer, "page.scrape", goes, there("https://x.example/")), want{Deny, action.Critical, "role.viewer"})
	check(t, "goes", decide(t, p, action.Agent, "page.scrape", goes, there("https://x.example/")), want{Allow, action.Medium, "navigation.new-domain"})
	check(t, "goes to a bank", decide(t, p, action.Agent, "page.scrape", goes, there("https://banking.example/")), want{Ask, action.High, "navigation.sensitive"})
	check(t, "goes nowhere known", decide(t, p, action.Agent, "page.scrape", goes, here), want{Deny, action.High, "navigation.unknown"})
	blocked := action.Facts{Page: here.Page, Destination: &action.Destination{URL: "https://evil.example/", Host: "evil.example"}}
	check(t, "goes out", decide(t, p, action.Operator, "page.scrape", goes, blocked), want{Deny, action.High, "navigation.blocked"})
}

func TestPlacesThatAreNotAllowedAreBlocked(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"evil.example"}})
	away := to("https://evil.example/")
	away.Allowed, away.Reason = false, "not on the list"
	link := on(action.Element{Role: "link", Tag: "a", Name: "Free", LinkURL: "https://evil.example/"})
	link.Destination = away
	for name, v := range map[string]Verdict{
		"goto":            decide(t, p, action.Agent, "page.goto", &action.Goto{}, action.Facts{Destination: away}),
		"goto unjudged":   decide(t, p, action.Agent, "page.goto", &action.Goto{}, action.Facts{}),
		"goto zero":       decide(t, p, action.Agent, "page.goto", &action.Goto{}, action.Facts{Destination: &action.Destination{}}),
		"click":           decide(t, p, action.Agent, "page.click", &action.Click{}, link),
		"enter on a link": decide(t, p, action.Agent, "page.press", &action.Press{Key: "Enter"}, link),
		"operator":        decide(t, p, action.Operator, "page.goto", &action.Goto{}, action.Facts{Destination: away}),
	} {
		if v.Decision != Deny || v.Code != fault.BlockedDomain || v.Hint == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestFields(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	with := func(e action.Element, change func(*action.Element)) action.Element { change(&e); return e }
	for _, c := range []struct {
		name string
		e    action.Element
		want want
	}{
		{"search", field("Search invoices"), want{Allow, action.Low, "field.free"}},
		{"search by role", with(field("Name or e-mail"), func(e *action.Element) { e.Role = "searchbox" }), want{Allow, action.Low, "field.free"}},
		{"comment", with(field("Comment"), func(e *action.Element) { e.Tag = "textarea" }), want{Allow, action.Low, "field.free"}},
		{"suggestions", with(field("City"), func(e *action.Element) { e.Role, e.Autocomplete = "combobox", "new-password" }), want{Ask, action.Medium, "field.personal"}},
		{"a phrase that has another one in it", with(field("API key name"), func(e *action.Element) { e.Label, e.FieldName = "API key name", "key" }), want{Ask, action.Medium, "field.personal"}},
		{"a new password", with(field("City"), func(e *action.Element) { e.Autocomplete = "new-password" }), want{Deny, action.Critical, "field.secret"}},
		{"name", field("Full name"), want{Ask, action.Medium, "field.personal"}},
		{"e-mail by type", with(field(""), func(e *action.Element) { e.Type = "email" }), want{Ask, action.Medium, "field.personal"}},
		{"by autocomplete", with(field("?"), func(e *action.Element) { e.Autocomplete = "shipping street-address" }), want{Ask, action.Medium, "field.personal"}},
		{"unknown", field("Frob"), want{Ask, action.Medium, "field.unmatched"}},
		{"no name at all", field(""), want{Ask, action.Medium, "field.unmatched"}},
		{"postal code", field("Zip code"), want{Ask, action.Medium, "field.personal"}},
		{"PIN code of an address", with(field("PIN code"), func(e *action.Element) { e.Autocomplete = "postal-code" }), want{Ask, action.Medium, "field.personal"}},
		{"name of a token", field("Token name"), want{Ask, action.Medium, "field.personal"}},
		{"partner", field("Secret Santa partner"), want{Ask, action.Medium, "field.unmatched"}},
		{"library", field("Library card number"), want{Ask, action.Medium, "field.unmatched"}},
		{"library in German", field("Bibliotheksausweis"), want{Ask, action.Medium, "field.unmatched"}},
		{"library and bank", field("Library card number or card number"), want{Ask, action.High, "field.guarded"}},
		{"token and its name", field("Token (not the token name)"), want{Deny, action.Critical, "field.secret"}},
		{"a protected postal code", with(field("PIN code"), func(e *action.Element) { e.Autocomplete, e.Type = "postal-code", "password" }), want{Deny, action.Critical, "field.secret"}},
		{"card", field("Card number"), want{Ask, action.High, "field.guarded"}},
		{"card, protected", with(field("Number"), func(e *action.Element) { e.Autocomplete, e.Protected = "cc-number", true }), want{Ask, action.High, "field.guarded"}},
		{"security code of a card", with(field("Security code"), func(e *action.Element) { e.Autocomplete, e.Protected = "cc-csc", true }), want{Ask, action.High, "field.guarded"}},
		{"identity, protected", with(field("Social security number"), func(e *action.Element) { e.Protected = true }), want{Ask, action.High, "field.guarded"}},
		{"configuration", field("Webhook URL"), want{Ask, action.High, "field.guarded"}},
		{"code editor", with(field("Editor"), func(e *action.Element) { e.Code = true }), want{Ask, action.High, "field.code"}},
		{"password", with(field("Password"), func(e *action.Element) { e.Type = "password" }), want{Deny, action.Critical, "field.secret"}},
		{"password by type alone", with(field("Search"), func(e *action.Element) { e.Type = "password" }), want{Deny, action.Critical, "field.secret"}},
		{"password shown as text", field("Password"), want{Deny, action.Critical, "field.secret"}},
		{"password by field name", with(field("Search"), func(e *action.Element) { e.FieldName = "newPassword" }), want{Deny, action.Critical, "field.secret"}},
		{"one-time code", with(field(""), func(e *action.Element) { e.Autocomplete = "one-time-code" }), want{Deny, action.Critical, "field.secret"}},
		{"API key", field("API key"), want{Deny, action.Critical, "field.secret"}},
		{"protected for a reason unknown", with(field("Code"), func(e *action.Element) { e.Protected = true }), want{Deny, action.Critical, "field.secret"}},
		{"placeholder tells", with(field(""), func(e *action.Element) { e.Placeholder = "Enter your PIN" }), want{Deny, action.Critical, "field.secret"}},
	} {
		v := decide(t, p, action.Agent, "page.type", &action.Type{Input: "x"}, on(c.e))
		check(t, "type into "+c.name, v, c.want)
		if c.want.decision == Deny && (!v.Private || v.Code != fault.DeniedByPolicy) {
			t.Errorf("type into %s: %+v", c.name, v)
		}
		letter := c.want
		if c.want.rule == "field.code" { // one letter of a text, as an arrow
			letter = want{Allow, action.Low, "field.keystroke"}
		}
		check(t, "press a letter in "+c.name, decide(t, p, action.Agent, "page.press", &action.Press{Key: "x"}, on(c.e)), letter)
		check(t, "paste into "+c.name, decide(t, p, action.Agent, "page.press", &action.Press{Key: "Control+v"}, on(c.e)), c.want)
		check(t, "select in "+c.name, decide(t, p, action.Agent, "page.select", &action.Select{}, on(c.e)), c.want)
	}
	check(t, "no element", decide(t, p, action.Agent, "page.type", &action.Type{}, action.Facts{}), want{Ask, action.High, "field.unknown"})
}

func TestLineBreaksAndTabsOfATextPressNothing(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	search := action.Element{Role: "searchbox", Tag: "input", Type: "search", Name: "Search", Editable: true}
	chat := action.Element{Role: "textbox", Tag: "div", Name: "Comment", Editable: true}
	note := action.Element{Role: "textbox", Tag: "textarea", Name: "Comment", Editable: true}
	send := search
	send.Submits, send.SubmitName, send.FormMethod = true, "Send", "post"
	for _, c := range []struct {
		name string
		args action.Type
		e    action.Element
		want want
	}{
		{"plain", action.Type{Input: "a b"}, search, want{Allow, action.Low, ""}},
		{"tab", action.Type{Input: "a\tb\t"}, search, want{Allow, action.Low, "field.free"}},
		{"tab, then Enter", action.Type{Input: "a\t", Submit: true}, search, want{Allow, action.Low, ""}},
		{"line break in a search", action.Type{Input: "a\nb\n"}, search, want{Allow, action.Low, "field.free"}},
		{"lines in a comment", action.Type{Input: "a\nb\nc"}, note, want{Allow, action.Low, "field.free"}},
		{"lines in a chat", action.Type{Input: "a\nb\n"}, chat, want{Allow, action.Low, "field.free"}},
		{"lines in a chat, then Enter", action.Type{Input: "a\nb", Submit: true}, chat, want{Ask, action.High, "press.send"}},
		{"line break before a send button", action.Type{Input: "a\r\n"}, send, want{Allow, action.Low, "field.free"}},
		{"submit by a send button", action.Type{Input: "a", Submit: true}, send, want{Ask, action.High, "click.delete"}},
	} {
		check(t, c.name, decide(t, p, action.Agent, "page.type", &c.args, on(c.e)), c.want)
	}
}

func TestKeys(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	form := field("Full name")
	form.Submits, form.SubmitName, form.FormMethod, form.FormAction = true, "", "post", "https://app.example.com/account/delete"
	password := action.Element{Role: "textbox", Tag: "input", Type: "password", Editable: true, Protected: true, Submits: true, SubmitName: "Sign in", FormMethod: "post"}
	list := action.Element{Role: "combobox", Tag: "select", Name: "Country"}
	for _, c := range []struct {
		name, key string
		e         action.Element
		want      want
	}{
		{"tab", "Tab", form, want{Allow, action.Low, "press.move"}},
		{"tab out of a password", "Shift+Tab", password, want{Allow, action.Low, "press.move"}},
		{"enter in a form without a button name", "Enter", form, want{Ask, action.High, "click.delete"}},
		{"return", "Return", form, want{Ask, action.High, "click.delete"}},
		{"enter in a password", "Enter", password, want{Ask, action.Medium, ""}},
		{"backspace in a password", "Backspace", password, want{Deny, action.Critical, "field.secret"}},
		{"enter on delete", "Enter", button("Delete"), want{Ask, action.High, "click.delete"}},
		{"space on pay", " ", button("Pay"), want{Ask, action.Critical, "click.pay"}},
		{"space on pay, named", "Space", button("Pay"), want{Ask, action.Critical, "click.pay"}},
		{"control+enter in a search", "Control+Enter", action.Element{Role: "searchbox", Tag: "input", Type: "search", Editable: true}, want{Ask, action.Medium, "press.enter"}},
		{"shortcut", "g", action.Element{Tag: "body"}, want{Ask, action.Medium, "press.shortcut"}},
		{"shortcut that deletes mail", "#", action.Element{Tag: "body"}, want{Ask, action.High, "press.delete"}},
		{"shortcut that sends", "Control+Enter", action.Element{Tag: "body"}, want{Ask, action.High, "press.send"}},
		{"delete key", "Delete", action.Element{Tag: "body"}, want{Ask, action.High, "press.delete"}},
		{"arrow on the page", "ArrowDown", action.Element{Tag: "body"}, want{Allow, action.Low, "press.move"}},
		{"arrow in a list", "ArrowDown", list, want{Ask, action.Medium, "field.personal"}},
		{"plus", "Control++", action.Element{Tag: "body"}, want{Ask, action.Medium, "press.shortcut"}},
	} {
		check(t, c.name, decide(t, p, action.Agent, "page.press", &action.Press{Key: c.key}, on(c.e)), c.want)
	}
}

func TestTrustMustHoldForEveryHost(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com", "mail.example.com", "hr.example.com", "*.by.example.com", "pay.example.com"}, Sensitive: []string{"hr.example.com"}})
	save := button("Save")
	at := func(page, frame, formAction string) action.Facts {
		e := save
		e.FrameURL, e.FormAction, e.Submits = frame, formAction, formAction != ""
		return action.Facts{Page: action.Page{URL: page}, Element: &e}
	}
	for name, c := range map[string]struct {
		f    action.Facts
		want Decision
	}{
		"trusted":                       {at("https://app.example.com/", "", ""), Allow},
		"own frame":                     {at("https://app.example.com/", "https://app.example.com/f", ""), Allow},
		"frame of another host":         {at("https://app.example.com/", "https://widget.example.org/", ""), Ask},
		"untrusted page, trusted frame": {at("https://evil.example/", "https://app.example.com/", ""), Ask},
		"form to another site":          {at("https://app.example.com/", "", "https://evil.example/x"), Ask},
		"sub-domain":                    {at("https://x.app.example.com/", "", ""), Ask},
		"sensitive by its name":         {at("https://mail.by.example.com/", "", ""), Ask},
		"the same, trusted by its own":  {at("https://mail.example.com/", "", ""), Allow},
		"sensitive by configuration":    {at("https://hr.example.com/", "", ""), Ask},
		"payment by its name":           {at("https://pay.example.com/", "", ""), Ask},
		"no page":                       {at("", "", ""), Ask},
	} {
		if v := decide(t, p, action.Agent, "page.click", &action.Click{}, c.f); v.Decision != c.want {
			t.Errorf("%s: %s by %s", name, v.Decision, v.Rule)
		}
	}
	if v := decide(t, mustNew(t, Config{Enabled: true}), action.Agent, "page.click", &action.Click{}, at("https://app.example.com/", "https://widget.example.org/", "")); v.Host != "" {
		t.Errorf("a grant for %q would cover a frame of another host", v.Host)
	}
	if v := decide(t, p, action.Agent, "page.click", &action.Click{}, on(button("Delete"))); v.Decision != Ask {
		t.Errorf("HIGH ran on a trusted host: %+v", v)
	}
}

func TestDialogs(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	check(t, "dismiss", decide(t, p, action.Agent, "page.dialog", &action.AnswerDialog{}, on(action.Element{})), want{Allow, action.Low, "dialog.dismiss"})
	check(t, "accept", decide(t, p, action.Agent, "page.dialog", &action.AnswerDialog{Accept: true}, on(action.Element{})), want{Ask, action.Medium, "dialog.accept"})
}

func TestZeroPoliciesAndUnknownRolesRefuse(t *testing.T) {
	good := mustNew(t, Config{Enabled: true})
	for name, p := range map[string]*Policy{"nil": nil, "zero": {}} {
		for _, role := range []action.Role{action.Agent, action.Viewer, action.Operator, "", "root"} {
			for i := range action.Verbs {
				if v := p.Decide(action.Call{Caller: action.Caller{Role: role}}, action.Verbs[i], action.Facts{}); v.Decision != Deny {
					t.Errorf("%s policy let %s of %q through", name, action.Verbs[i].Name, role)
				}
			}
		}
	}
	for _, role := range []action.Role{"", "root", "AGENT"} {
		if v := decide(t, good, role, "page.snapshot", &action.TakeSnapshot{}, action.Facts{}); v.Decision != Deny {
			t.Errorf("role %q got through", role)
		}
	}
	for _, v := range []*action.Verb{nil, {Name: "page.x"}, {Name: "page.x", Class: 9}} {
		if d := good.Decide(action.Call{Caller: action.Caller{Role: action.Operator}}, v, action.Facts{}); d.Decision != Deny {
			t.Errorf("verb %+v got through", v)
		}
	}
	unrated := &action.Verb{Name: "page.x", Class: action.Write}
	if d := good.Decide(action.Call{Caller: action.Caller{Role: action.Agent}}, unrated, action.Facts{}); d.Decision != Ask || d.Risk != action.Critical {
		t.Errorf("a verb without risk: %+v", d)
	}
	raw := &action.Verb{Name: "page.new", Class: action.Raw, Risk: action.High}
	if d := good.Decide(action.Call{Caller: action.Caller{Role: action.Agent}}, raw, action.Facts{}); d.Decision != Deny {
		t.Errorf("raw for an agent: %+v", d)
	}
}

func TestWithoutPeopleQuestionsAreRefusals(t *testing.T) {
	p := mustNew(t, Config{})
	v := decide(t, p, action.Agent, "page.click", &action.Click{}, on(button("Save")))
	if v.Decision != Deny || v.Code != fault.DeniedByPolicy || v.Hint == "" {
		t.Errorf("%+v", v)
	}
}

func TestOperatorsAreNotAsked(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	v := decide(t, p, action.Operator, "page.click", &action.Click{}, on(button("Pay")))
	check(t, "pay", v, want{Allow, action.Critical, "operator"})
	secret := field("Password")
	secret.Type = "password"
	if v = decide(t, p, action.Operator, "page.type", &action.Type{Input: "x"}, on(secret)); v.Decision != Allow || !v.Private {
		t.Errorf("an operator's password: %+v", v)
	}
}
