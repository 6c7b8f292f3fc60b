package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbPageFillSecret    = Define[FillSecret, Filled](Verb{Name: "page.fill_secret", Class: Write, Risk: High, Counts: true, Target: true, Method: http.MethodPost, Path: "/browser/fill-secret", Tool: "browser_fill_secret", Command: "fill-secret", Summary: "Have a secret of the site's credentials typed into its field, by name"})
	VerbCredentialCapture = Define[Capture, Captured](Verb{Name: "credential.capture", Class: Admin, Risk: High, Method: http.MethodPost, Path: "/browser/capture", Command: "vault capture", Summary: "Save what the session is logged in with as a domain's credentials"})
)

// FillSecret types a secret of a domain's credentials into a protected field.
// The caller names the secret and never learns its value (docs/credentials.md).
type FillSecret struct {
	Locator
	Secret string `json:"secret" minLength:"1" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$" doc:"Which one: username, password, totp, or another name the credentials have" example:"password"`
	Domain string `json:"domain,omitempty" maxLength:"253" pattern:"^[A-Za-z0-9.-]+$" doc:"Whose credentials; the page's host when empty" example:"example.com"`
	Timing
}

// longestCode is how long the next one-time code may take if the current one
// was already used, including time to type it.
const longestCode = 60 * time.Second

// Limit returns the bound as a duration. The default leaves enough time for the
// next one-time code.
func (f FillSecret) Limit(fallback time.Duration) time.Duration {
	return f.Timing.Limit(max(fallback, longestCode))
}

// Filled says what was filled, by name.
type Filled struct {
	OK      bool     `json:"ok"`
	Secret  string   `json:"secret"` // its name
	Domain  string   `json:"domain"` // whose credentials it is of
	Element *Element `json:"element,omitempty"`
	Matches int      `json:"matches,omitempty"` // elements the locator matched
}

// SecretFacts are what the gate may know about a secret: everything except its
// value.
type SecretFacts struct {
	Name   string
	Domain string // whose credentials it is of
	Origin string // the only one whose fields it is typed into: scheme://host[:port]
	Free   bool   // the credentials say that agents may have it typed without a question
}

// Capture saves the login state of a session's browser as the credentials of a
// domain, after a person has logged in (docs/credentials.md).
type Capture struct {
	Domain         string   `json:"domain" minLength:"1" maxLength:"253" pattern:"^[A-Za-z0-9.-]+$" doc:"Host that it is for, with those below it" example:"example.com"`
	Cookies        *bool    `json:"cookies,omitempty" doc:"Take the cookies; true when absent"`
	LocalStorage   *bool    `json:"localStorage,omitempty" doc:"Take the local storage of the page's origin; true when absent"`
	SessionStorage *bool    `json:"sessionStorage,omitempty" doc:"Take its session storage; true when absent"`
	Only           []string `json:"only,omitempty" maxItems:"200" doc:"Names of the cookies and storage entries to take; all when empty" example:"[\"sessionid\"]"`
	Mode           string   `json:"mode,omitempty" enum:"replace,merge" default:"replace" doc:"replace (default): what is taken takes the place of what was kept of its kind; merge: it is added to that, and wins where names are equal"`
	Expires        string   `json:"expires,omitempty" maxLength:"64" doc:"Latest end of what is taken, RFC 3339: cookies that would live longer, or have no end, get it" example:"2030-01-31T00:00:00Z"`
}

// Captured says what was saved: kinds and counts, and no values.
type Captured struct {
	OK             bool     `json:"ok"`
	Domain         string   `json:"domain"`
	Origin         string   `json:"origin,omitempty"` // that the storage is of
	Cookies        int      `json:"cookies"`
	LocalStorage   int      `json:"localStorage"`   // entries
	SessionStorage int      `json:"sessionStorage"` // entries
	Left           []string `json:"left,omitempty"` // what was left out, and why: by name
}

// Required refuses a call that names no element.
func (a *FillSecret) Required() error { return requireElement("ref", a.Locator) }

// Recorded names the domain whose state is captured.
func (a *Capture) Recorded() string { return "the state of " + a.Domain }

// Aim is the element.
func (a *FillSecret) Aim() (Locator, Timing) { return a.Locator, a.Timing }
