package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const ownOrigin = "https://app.example.com"

// asked are the facts of a call that types the secret of a name into a field.
func asked(e action.Element, name string) action.Facts {
	f := on(e)
	f.Element.FrameURL = pageURL
	f.Secret = &action.SecretFacts{Name: name, Domain: "app.example.com", Origin: ownOrigin}
	return f
}

func passwordField() action.Element {
	return action.Element{Role: "textbox", Tag: "input", Type: "password", Name: "Password", Editable: true, Protected: true, Login: true, FormAction: ownOrigin + "/in", FormMethod: "post"}
}

func TestASecretIsAskedAboutAndBoundToItsOriginAndField(t *testing.T) {
	p := mustNew(t, Config{Enabled: true, Trusted: []string{"app.example.com"}})
	login, email, code := field("User"), field("E-mail"), field("Code")
	login.Login = true
	email.Type, email.Autocomplete = "email", "section-a username"
	code.Autocomplete, code.Protected = "one-time-code", true
	api := field("API key")
	api.Protected = true
	with := func(e action.Element, change func(*action.Element)) action.Element { change(&e); return e }
	yes, no := want{Ask, action.High, "secret"}, want{Deny, action.Critical, "secret.field"}
	for _, c := range []struct {
		name   string
		e      action.Element
		secret string
		want   want
	}{
		{"password", passwordField(), "password", yes},
		{"a code as password", passwordField(), "totp", yes},
		{"a code", code, "totp", yes},
		{"another name", api, "api-key", yes},
		{"a password that is shown, marked as one", with(field("x"), func(e *action.Element) { e.Autocomplete = "current-password" }), "password", yes},
		{"user name", login, "username", yes},
		{"user name by autocomplete", email, "username", yes},
		{"password in the user's field", login, "password", no},
		{"code in a comment", field("Comment"), "totp", no},
		{"another name in a search", with(field("Search"), func(e *action.Element) { e.Type = "search" }), "api-key", no},
		{"user name in a comment", field("Comment"), "username", no},
		{"user name in a search beside a password", with(login, func(e *action.Element) { e.Type = "search" }), "username", no},
		{"user name in a text area", with(login, func(e *action.Element) { e.Tag, e.Type = "textarea", "" }), "username", no},
		{"user name as password", passwordField(), "username", no},
		{"new password", with(passwordField(), func(e *action.Element) { e.Autocomplete = "section-x new-password" }), "password", no},
		{"card number", with(field("Card"), func(e *action.Element) { e.Autocomplete, e.Protected = "cc-number", true }), "password", no},
		{"read-only", with(passwordField(), func(e *action.Element) { e.Editable = false }), "password", no},
	} {
		check(t, c.name, decide(t, p, action.Agent, "page.fill_secret", &action.FillSecret{}, asked(c.e, c.secret)), c.want)
		if c.want.decision == Deny {
			v := decide(t, p, action.Operator, "page.fill_secret", &action.FillSecret{}, asked(c.e, c.secret))
			check(t, c.name+" by an operator", v, c.want)
		}
	}
}

func TestASecretOfAnotherOriginIsRefusedToAll(t *testing.T) {
	p := mustNew(t, Config{Enabled: true})
	for name, c := range map[string]struct {
		change func(*action.Facts)
		rule   string
	}{
		"another host":           {func(f *action.Facts) { f.Page.URL = "https://app.example.com.evil.example/" }, "secret.origin"},
		"a sub-domain":           {func(f *action.Facts) { f.Page.URL = "https://x.app.example.com/" }, "secret.origin"},
		"a parent":               {func(f *action.Facts) { f.Page.URL = "https://example.com/" }, "secret.origin"},
		"no TLS":                 {func(f *action.Facts) { f.Page.URL = "http://app.example.com/" }, "secret.origin"},
		"another port":           {func(f *action.Facts) { f.Page.URL = "https://app.example.com:444/" }, "secret.origin"},
		"user information":       {func(f *action.Facts) { f.Page.URL = "https://a@app.example.com/" }, "secret.origin"},
		"no page":                {func(f *action.Facts) { f.Page.URL = "about:blank" }, "secret.origin"},
		"a frame of another":     {func(f *action.Facts) { f.Element.FrameURL = "https://evil.example/" }, "secret.origin"},
		"a frame without origin": {func(f *action.Facts) { f.Element.FrameURL = "about:srcdoc" }, "secret.origin"},
		"no frame":               {func(f *action.Facts) { f.Element.FrameURL = "" }, "secret.origin"},
		"a form to another":      {func(f *action.Facts) { f.Element.FormAction = "https://evil.example/" }, "secret.form"},
		"a form to no address":   {func(f *action.Facts) { f.Element.FormAction = "javascript:x" }, "secret.form"},
		"nothing of the secret":  {func(f *action.Facts) { f.Secret = nil }, "secret.unknown"},
		"no origin":              {func(f *action.Facts) { f.Secret.Origin = "" }, "secret.unknown"},
		"nothing of the field":   {func(f *action.Facts) { f.Element = nil }, "secret.unknown"},
		"an agent's script":      {func(f *action.Facts) { f.Session.Scripted = true }, "secret.scripted"},
	} {
		for _, role := range []action.Role{action.Agent, action.Operator} {
			for _, free := range []bool{false, true} {
				f := asked(passwordField(), "password")
				f.Secret.Free = free
				c.change(&f)
				v := decide(t, p, role, "page.fill_secret", &action.FillSecret{}, f)
				check(t, name, v, want{Deny, action.Critical, c.rule})
				if v.Code != fault.DeniedByPolicy || v.Hint == "" {
					t.Errorf("%s: code %q, hint %q", name, v.Code, v.Hint)
				}
			}
		}
	}
	f := asked(passwordField(), "password")
	f.Page.URL, f.Element.FrameURL, f.Element.FormAction = "https://APP.example.com:443/x", "https://app.example.com/", ""
	check(t, "the same, written otherwise", decide(t, p, action.Agent, "page.fill_secret", &action.FillSecret{}, f), want{Ask, action.High, "secret"})
}

func TestWhichCallersMayTypeASecret(t *testing.T) {
	f := asked(passwordField(), "password")
	p := mustNew(t, Config{Enabled: true})
	v := decide(t, p, action.Agent, "page.fill_secret", &action.FillSecret{}, f)
	if v.Decision != Ask || v.Host != "app.example.com" {
		t.Errorf("an agent: %+v", v)
	}
	check(t, "an operator", decide(t, p, action.Operator, "page.fill_secret", &action.FillSecret{}, f), want{Allow, action.High, "operator"})
	check(t, "a viewer", decide(t, p, action.Viewer, "page.fill_secret", &action.FillSecret{}, f), want{Deny, action.Critical, "role.viewer"})
	check(t, "nobody to ask", decide(t, mustNew(t, Config{}), action.Agent, "page.fill_secret", &action.FillSecret{}, f), want{Deny, action.High, "secret"})
	f.Secret.Free = true
	check(t, "set free", decide(t, p, action.Agent, "page.fill_secret", &action.FillSecret{}, f), want{Allow, action.Medium, "secret.free"})
	strict := mustNew(t, Config{Enabled: true, Rules: []Rule{{Tools: []string{"browser_fill_secret"}, Action: "ask", Risk: "HIGH", Description: "ask me"}}})
	check(t, "set free, but a rule asks", decide(t, strict, action.Agent, "page.fill_secret", &action.FillSecret{}, f), want{Ask, action.High, ""})
}
