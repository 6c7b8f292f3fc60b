package gate

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

const hidden = "[not recorded]" // in place of what may be a secret

// inputText is what the call types or chooses, as records and questions show it:
// nothing of it where the field is protected, or where nothing is known of the
// field.
func (p *invocation) inputText() string {
	if len(p.findings) > 0 {
		return hidden
	}
	switch a := p.call.Args.(type) {
	case *action.FillSecret:
		return p.secretText(a)
	case *action.Upload:
		return uploadText(a)
	case *action.NewFile:
		return sanitized(fileOf(*a))
	case *action.RunStart:
		return sanitized(fmt.Sprintf("%d actions for %s, on %s", len(a.Actions), cmp.Or(a.Actor, p.call.Caller.Actor), strings.Join(a.DomainAllowlist, ", ")))
	}
	if a, has := p.call.Args.(action.Recording); has && a.Recorded() != "" {
		return sanitized(a.Recorded())
	}
	a, types := p.call.Args.(action.Typing)
	if !types {
		return ""
	}
	text := a.TypedText()
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
	if a, leads := p.call.Args.(action.Leading); leads {
		return p.recordedURL(a.Destination())
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
		text += fmt.Sprintf(" %q", approval.Sanitize(name, maxText))
		if e.Ref != "" {
			text += " [" + e.Ref + "]"
		}
		return approval.Sanitize(text, 2*maxText) + p.dropTargetText()
	}
	if len(p.findings) > 0 {
		return ""
	}
	if a, is := p.call.Args.(*action.ByID); is && familyOf(p.call.Verb) == "profile" && a.ID != "" {
		return sanitized("profile " + a.ID)
	}
	if a, names := p.call.Args.(action.Naming); names {
		return sanitized(a.Subject())
	}
	return ""
}

// dropTargetText is what the element would be dropped on.
func (p *invocation) dropTargetText() string {
	e := p.facts.Onto
	if e == nil {
		return ""
	}
	return approval.Sanitize(fmt.Sprintf(" onto %s %q", cmp.Or(e.Role, e.Tag), approval.Sanitize(cmp.Or(e.Name, e.Label), maxText)), 2*maxText)
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
func sanitizedFault(text string) string { return approval.Sanitize(text, 2*maxText) }
