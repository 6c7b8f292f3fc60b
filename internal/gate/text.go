package gate

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const hidden = "[not recorded]" // in place of what may be a secret

// inputText is what the call types or chooses, as records and questions show it. It is
// hidden where the field is protected, or where nothing is known of the field.
func (c *callInfo) inputText() string {
	if c.sensitive {
		return hidden
	}
	switch a := c.call.Args.(type) {
	case *action.FillSecret:
		return c.secretText(a)
	case *action.Upload:
		return uploadText(a)
	case *action.NewFile:
		return sanitized(fileOf(*a))
	case *action.RunStart:
		return sanitized(fmt.Sprintf("%d actions for %s, on %s", len(a.Actions), cmp.Or(a.Actor, c.call.Caller.Actor), strings.Join(a.DomainAllowlist, ", ")))
	}
	if a, has := c.call.Args.(action.Recording); has && a.Recorded() != "" {
		return sanitized(a.Recorded())
	}
	a, types := c.call.Args.(action.Typing)
	if !types {
		return ""
	}
	text := a.TypedText()
	if text == "" {
		return ""
	}
	if e := c.facts.Element; e == nil || e.Protected || !c.judged || c.verdict.Private || c.g.containsCredential(text) {
		return hidden
	}
	return sanitized(text)
}

// secretText names what would be typed: never more of it.
func (c *callInfo) secretText(a *action.FillSecret) string {
	return sanitized(fmt.Sprintf("[secret %s of %s]", a.Secret, cmp.Or(a.Domain, hostOf(c.facts.Page.URL))))
}

// targetText is where the call would lead.
func (c *callInfo) targetText() string {
	if d := c.facts.Destination; d != nil && d.URL != "" {
		return c.recordedURL(d.URL)
	}
	if a, leads := c.call.Args.(action.Leading); leads {
		return c.recordedURL(a.Destination())
	}
	return ""
}

// elementText is what the call acts on: as the page describes it, or else as the
// caller does.
func (c *callInfo) elementText() string {
	if e := c.facts.Element; e != nil {
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
		return untrusted.Record(text, 2*maxText) + c.dropTargetText()
	}
	if c.sensitive {
		return ""
	}
	if a, is := c.call.Args.(*action.ByID); is && familyOf(c.call.Verb) == "profile" && a.ID != "" {
		return sanitized("profile " + a.ID)
	}
	if a, names := c.call.Args.(action.Naming); names {
		return sanitized(a.Subject())
	}
	if a, aims := c.call.Args.(action.Aiming); aims {
		l, _ := a.Aim()
		return sanitized(l.Words())
	}
	return ""
}

// dropTargetText is what the element would be dropped on.
func (c *callInfo) dropTargetText() string {
	e := c.facts.Onto
	if e == nil {
		return ""
	}
	return untrusted.Record(fmt.Sprintf(" onto %s %q", cmp.Or(e.Role, e.Tag), untrusted.Record(cmp.Or(e.Name, e.Label), maxText)), 2*maxText)
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
