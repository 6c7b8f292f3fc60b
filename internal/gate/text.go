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

const hidden = "[not recorded]" // placeholder for possible secrets

// inputText returns what the call types or chooses, as records and questions show
// it. It is hidden if the field is protected or unknown.
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

// secretText returns the name of the secret, never its value.
func (c *callInfo) secretText(a *action.FillSecret) string {
	return sanitized(fmt.Sprintf("[secret %s of %s]", a.Secret, cmp.Or(a.Domain, hostOf(c.facts.Page.URL))))
}

// targetText returns the call's destination.
func (c *callInfo) targetText() string {
	if d := c.facts.Destination; d != nil && d.URL != "" {
		return c.recordedURL(d.URL)
	}
	if a, leads := c.call.Args.(action.Leading); leads {
		return c.recordedURL(a.Destination())
	}
	return ""
}

// elementText describes the element of the call, in the page's words or else in
// the caller's.
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

// dropTargetText describes the drop target.
func (c *callInfo) dropTargetText() string {
	e := c.facts.Onto
	if e == nil {
		return ""
	}
	return untrusted.Record(fmt.Sprintf(" onto %s %q", cmp.Or(e.Role, e.Tag), untrusted.Record(cmp.Or(e.Name, e.Label), maxText)), 2*maxText)
}

// secretParam matches names of parameters that often contain secrets.
var secretParam = regexp.MustCompile(`(?i)token|secret|passw|passwd|pwd|api.?key|auth|session|signature|^sig$|^code$|^key$|credential|jwt|otp|nonce|ticket`)

// maskURL hides possible secrets in an address: user information, and the values
// of parameters with suspicious names in query and fragment.
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

// maskQuery hides values in a query and leaves the rest unchanged.
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

// maskElement returns a copy of e with possible secrets in addresses hidden.
func maskElement(e *action.Element) *action.Element {
	if e == nil {
		return nil
	}
	c := *e
	c.LinkURL, c.FormAction, c.FrameURL = maskURL(c.LinkURL), maskURL(c.FormAction), maskURL(c.FrameURL)
	return &c
}

// hostOf returns the host of an address, empty if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// sanitizedFault returns text from facts for a fault's message.
func sanitizedFault(text string) string { return untrusted.Record(text, 2*maxText) }
