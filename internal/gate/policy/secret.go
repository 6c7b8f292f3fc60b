package policy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// secret judges the typing of a secret into the element. Its refusals hold for operators too: they
// keep the secret in its origin and field.
func secret(facts action.Facts) judgement {
	e, s := facts.Element, facts.Secret
	j := judgement{risk: action.High, rule: "secret", why: "it types a secret that is kept for the site", hosts: hostsOf(facts), forAll: true}
	switch {
	case e == nil || s == nil || s.Origin == "":
		return refuse(j, "secret.unknown", "nothing is known of the field, or of the secret", "name the field by its ref")
	case facts.Session.Scripted:
		return refuse(j, "secret.scripted", "an agent had code of its own in this session, which may still read what is typed",
			"start a new session, and run no script in it before it is logged in")
	case !isOrigin(facts.Page.URL, s.Origin) || !isOrigin(e.FrameURL, s.Origin):
		return refuse(j, "secret.origin", "the secret is for "+s.Origin+", and the page is not", "go to the site's own login page")
	case e.FormAction != "" && !isOrigin(e.FormAction, s.Origin):
		return refuse(j, "secret.form", "the form is sent to another origin than the one that the secret is for", "leave this to a person: browser_request_human")
	case !fitsField(e, s.Name):
		return refuse(j, "secret.field", "the field is not one for this secret", "give the password field for a password, the field for one-time codes for totp, the field beside them for username")
	}
	j.why = "it types the " + s.Name + " of " + s.Domain + " into its login page"
	j.grant, j.forAll = s.Domain, false
	if s.Free {
		j.risk, j.rule, j.auto = action.Medium, "secret.free", true
	}
	return j
}

func refuse(j judgement, rule, why, hint string) judgement {
	j.raise(action.Critical, rule, why)
	j.refuse, j.hint = fault.DeniedByPolicy, hint
	return j
}

// isOrigin reports whether an address is of an origin, scheme and port included.
func isOrigin(address, origin string) bool {
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.User != nil {
		return false
	}
	want, err := url.Parse(origin)
	return err == nil && at.Scheme == want.Scheme && strings.EqualFold(at.Hostname(), want.Hostname()) && portOf(at) == portOf(want)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// fitsField reports whether a field is one for a secret of this name. A user name may be typed into a
// readable field beside a password; other secrets only into fields that the page hides or marks as
// fields for secrets.
func fitsField(e *action.Element, name string) bool {
	says := func(words ...string) bool {
		return hasToken(e, func(t string) bool { return slices.Contains(words, t) })
	}
	if !e.Editable || says("new-password") || isCard(e) {
		return false
	}
	if name == "username" {
		return e.Tag == "input" && slices.Contains([]string{"text", "email", "tel"}, e.Type) && (e.Login || says("username", "email"))
	}
	return e.Type == "password" || says("current-password", "one-time-code") || e.Protected
}
