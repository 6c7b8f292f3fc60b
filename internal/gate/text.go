package gate

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const hidden = "[not recorded]" // in place of what may be a secret

// inputText is what the call types or chooses, as records and questions show it:
// nothing of it where the field is protected, or where nothing is known of the
// field.
func (p *invocation) inputText() string {
	var text string
	if len(p.findings) > 0 {
		return hidden
	}
	switch a := p.call.Args.(type) {
	case *action.Type:
		text = a.Input
	case *action.FillSecret:
		return p.secretText(a)
	case *action.Capture:
		return sanitized("the state of " + a.Domain)
	case *action.Press:
		if utf8.RuneCountInString(a.Key) > 1 {
			return sanitized(a.Key) // a named key, or a combination
		}
		text = a.Key
	case *action.Select:
		text = strings.Join(a.Values, ", ")
	case *action.Execute:
		return fmt.Sprintf("script of %d characters, sha256 %x", utf8.RuneCountInString(a.Expression), sha256.Sum256([]byte(a.Expression)))
	case *action.Upload:
		return uploadText(a)
	case *action.NewFile:
		return sanitized(fileOf(*a))
	case *action.Hands:
		return sanitized(a.Reason)
	case *action.HandBack:
		return sanitized(a.Note)
	case *action.AllowHost:
		return sanitized(cmp.Or(a.For, "page") + " " + a.Host)
	case *action.CredentialQuery:
		return sanitized(a.Domain)
	case *action.HumanRequest:
		return sanitized(a.Reason)
	case *action.AnswerDialog:
		if a.Accept {
			return "accept"
		}
		return "dismiss"
	case *action.RunStart:
		return sanitized(fmt.Sprintf("%d actions for %s, on %s", len(a.Actions), cmp.Or(a.Actor, p.call.Caller.Actor), strings.Join(a.DomainAllowlist, ", ")))
	case *action.RunGuide:
		return sanitized(a.Why)
	case *action.RunOpen:
		return sanitized("hosts " + strings.Join(a.Hosts, ", "))
	case *action.RunResume:
		return sanitized(fmt.Sprintf("%s (%d actions in place of what was left)", a.Guidance, len(a.Actions)))
	case *action.RunEnd:
		return sanitized(a.Run + " " + a.Status + ": " + a.Reason)
	}
	if text == "" {
		return ""
	}
	if e := p.facts.Element; e == nil || e.Protected || !p.judged || p.verdict.Private || p.g.containsCredential(text) {
		return hidden
	}
	return sanitized(text)
}

// secretText names what would be typed: never more of it.
func (p *invocation) secretText(a *action.FillSecret) string {
	return sanitized(fmt.Sprintf("[secret %s of %s]", a.Secret, cmp.Or(a.Domain, hostOf(p.facts.Page.URL))))
}

// targetText is where the call would lead.
func (p *invocation) targetText() string {
	if d := p.facts.Destination; d != nil && d.URL != "" {
		return p.recordedURL(d.URL)
	}
	switch a := p.call.Args.(type) {
	case *action.Goto:
		return p.recordedURL(a.URL)
	case *action.OpenTab:
		return p.recordedURL(a.URL)
	case *action.SessionStart:
		return p.recordedURL(a.URL)
	case *action.BrowserStart:
		return p.recordedURL(a.URL)
	case *action.CookieList:
		return p.recordedURL(a.URL)
	case *action.Scrape:
		return p.recordedURL(a.URL)
	case *action.Crawl:
		return p.recordedURL(a.URL)
	case *action.CrawlPage:
		return p.recordedURL(a.URL)
	case *action.CrawlFile:
		return p.recordedURL(a.URL)
	case *action.RunStart:
		return p.recordedURL(a.URL)
	case *action.RunOpen:
		return p.recordedURL(a.URL)
	case *action.RunAllow:
		return p.recordedURL(a.URL)
	}
	return ""
}

// elementText is what the call acts on: what the page says of it, or else what the
// caller said.
func (p *invocation) elementText() string {
	if e := p.facts.Element; e != nil {
		text := e.Role
		if text == "" {
			text = e.Tag
		}
		name := e.Name
		if name == "" {
			name = e.Label
		}
		text += fmt.Sprintf(" %q", untrusted.Record(name, maxText))
		if e.Ref != "" {
			text += " [" + e.Ref + "]"
		}
		return untrusted.Record(text, 2*maxText) + p.dropTargetText()
	}
	if len(p.findings) > 0 {
		return ""
	}
	switch a := p.call.Args.(type) {
	case *action.Click:
		return locatorText(a.Locator)
	case *action.Type:
		return locatorText(a.Locator)
	case *action.FillSecret:
		return locatorText(a.Locator)
	case *action.Press:
		return locatorText(a.Locator)
	case *action.Select:
		return locatorText(a.Locator)
	case *action.Hover:
		return locatorText(a.Locator)
	case *action.Drag:
		return locatorText(a.From) + " onto " + locatorText(a.To)
	case *action.SessionStart:
		return profileNamed(a.Profile)
	case *action.BrowserStart:
		return profileNamed(a.Context)
	case *action.ProfileCreate:
		return profileNamed(a.Name)
	case *action.ByID:
		if p.call.Verb == "profile.delete" || p.call.Verb == "profile.export" {
			return profileNamed(a.ID)
		}
	case *action.ProfileImport:
		return profileNamed(a.ID)
	case *action.Upload:
		return locatorText(a.Locator)
	case *action.CookieSet:
		return cookiesOf(a)
	case *action.CookieDelete:
		return cookieSelectionText(a)
	case *action.Content:
		return locatorText(action.Locator{Selector: a.Selector})
	}
	return ""
}

// dropTargetText is what the element would be dropped on.
func (p *invocation) dropTargetText() string {
	e := p.facts.Onto
	if e == nil {
		return ""
	}
	return untrusted.Record(fmt.Sprintf(" onto %s %q", cmp.Or(e.Role, e.Tag), untrusted.Record(cmp.Or(e.Name, e.Label), maxText)), 2*maxText)
}

// profileNamed is saved user data as the caller named it, nothing for none.
func profileNamed(key string) string {
	if key == "" {
		return ""
	}
	return sanitized("profile " + key)
}

// cookiesOf names the cookies of a call, never their values.
func cookiesOf(a *action.CookieSet) string {
	names := make([]string, len(a.Cookies))
	for i, c := range a.Cookies {
		names[i] = strings.TrimSpace(c.Name + " " + c.Domain)
	}
	return sanitized("cookies " + strings.Join(names, ", "))
}

// cookieSelectionText says which cookies are to be deleted.
func cookieSelectionText(a *action.CookieDelete) string {
	text := "all cookies"
	if a.Name != nil {
		text = "cookies " + *a.Name
	}
	if a.Domain != nil {
		text += " of " + *a.Domain
	}
	return sanitized(text)
}

// locatorText is an element as the caller named it.
func locatorText(l action.Locator) string {
	switch {
	case l.Ref != "":
		return sanitized("ref " + l.Ref)
	case l.Selector != "":
		return sanitized("selector " + l.Selector)
	case l.Role != "":
		return sanitized(strings.TrimSpace("role " + l.Role + " " + l.Name))
	case l.Text != "":
		return sanitized("text " + l.Text)
	}
	if x, y, named := l.Point(); named {
		return fmt.Sprintf("the point %g, %g", x, y)
	}
	return ""
}

// secretParam matches names of parameters whose values are often secrets.
var secretParam = regexp.MustCompile(`(?i)token|secret|passw|passwd|pwd|api.?key|auth|session|signature|^sig$|^code$|^key$|credential|jwt|otp|nonce|ticket`)

// maskURL hides what in an address may be a secret: user information and the
// values of parameters with telling names, in query and fragment.
func maskURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		before, _, cut := strings.Cut(address, "?")
		if cut {
			return before + "?[masked]"
		}
		return address
	}
	if u.User != nil {
		u.User = url.User("masked")
	}
	u.RawQuery = maskQuery(u.RawQuery)
	if fragment := maskQuery(u.EscapedFragment()); fragment != u.EscapedFragment() {
		u.Fragment, u.RawFragment = fragment, ""
	}
	return u.String()
}

// maskQuery hides values in the text of a query, and leaves the rest as it is.
func maskQuery(query string) string {
	if !strings.Contains(query, "=") {
		return query
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		if plainName, err := url.QueryUnescape(name); err == nil {
			if value != "" && secretParam.MatchString(plainName) {
				parts[i] = name + "=masked"
			}
		} else {
			parts[i] = "masked"
		}
	}
	return strings.Join(parts, "&")
}

// maskElement is a copy of e whose addresses hide what may be a secret.
func maskElement(e *action.Element) *action.Element {
	if e == nil {
		return nil
	}
	c := *e
	c.LinkURL, c.FormAction, c.FrameURL = maskURL(c.LinkURL), maskURL(c.FormAction), maskURL(c.FrameURL)
	return &c
}

// hostOf returns the host of an address, empty when it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// sanitizedFault is text from facts that goes into a fault's message.
func sanitizedFault(text string) string { return untrusted.Record(text, 2*maxText) }
