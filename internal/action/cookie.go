package action

import (
	"net/http"
	"strings"
)

// The verbs of this file.
var (
	VerbCookieList   = Define[CookieList, CookieListing](Verb{Name: "cookie.list", Class: Raw, Risk: High, Method: http.MethodGet, Path: "/browser/cookies", Command: "cookies list", Summary: "List the session's cookies with their values"})
	VerbCookieSet    = Define[CookieSet, CookiesSet](Verb{Name: "cookie.set", Class: Raw, Risk: High, Method: http.MethodPost, Path: "/browser/cookies", Command: "cookies set", Summary: "Set cookies for hosts the session may open"})
	VerbCookieDelete = Define[CookieDelete, CookiesDeleted](Verb{Name: "cookie.delete", Class: Raw, Risk: High, Method: http.MethodDelete, Path: "/browser/cookies", Command: "cookies delete", Summary: "Delete cookies, by name and domain or all of them"})
)

// CookieList filters cookies.
type CookieList struct {
	URL string `json:"url,omitempty" query:"url" maxLength:"8192" doc:"Only cookies that a request to this address would carry; all of the session's when empty" example:"https://example.com/account"`
}

// CookieSet sets cookies.
type CookieSet struct {
	Cookies []NewCookie `json:"cookies" minItems:"1" maxItems:"200" doc:"The cookies; one that is there already is replaced"`
}

// NewCookie is a cookie to set. A listed Cookie can be set again unchanged.
type NewCookie struct {
	Name     string   `json:"name" minLength:"1" maxLength:"1024" doc:"Without =, ; and white space" example:"theme"`
	Value    *string  `json:"value" maxLength:"4096" doc:"Without ; and control characters; with the name 4096 bytes at most" example:"dark"`
	Domain   string   `json:"domain,omitempty" maxLength:"255" doc:"Host it is sent to; with a leading dot its sub-domains too; the page's host when empty" example:".example.com"`
	Path     string   `json:"path,omitempty" maxLength:"1024" doc:"/ when empty"`
	Expires  *float64 `json:"expires,omitempty" minimum:"-1" maximum:"253402300799" doc:"Seconds since 1970; ends with the session when absent or -1"`
	HTTPOnly bool     `json:"httpOnly,omitempty" doc:"Hide it from scripts"`
	Secure   bool     `json:"secure,omitempty" doc:"Send it over TLS only"`
	SameSite string   `json:"sameSite,omitempty" enum:"Strict,Lax,None" doc:"The browser's default when empty; None needs secure"`
}

// CookieDelete selects cookies to delete; if it is empty, all cookies of the
// session.
type CookieDelete struct {
	Name   *string `json:"name,omitempty" query:"name" minLength:"1" maxLength:"1024" doc:"Only cookies of this name"`
	Domain *string `json:"domain,omitempty" query:"domain" minLength:"1" maxLength:"255" doc:"Only cookies of this domain and its sub-domains" example:"example.com"`
}

// Cookie is a cookie of the session's browser.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"` // with a leading dot: its sub-domains too
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // seconds since 1970; -1 ends with the session
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite"` // Strict, Lax, None; empty where the site said nothing
}

// CookieListing is a list of cookies, by domain, path and name.
type CookieListing struct {
	Cookies []Cookie `json:"cookies"`
}

// CookiesSet says that every cookie was set.
type CookiesSet struct {
	OK bool `json:"ok"`
}

// CookiesDeleted says how many cookies were deleted.
type CookiesDeleted struct {
	OK      bool `json:"ok"`
	Deleted int  `json:"deleted"`
}

// Destination is the address whose cookies are listed.
func (a *CookieList) Destination() string { return a.URL }

// Subject names the cookies, never their values.
func (a *CookieSet) Subject() string {
	names := make([]string, len(a.Cookies))
	for i, c := range a.Cookies {
		names[i] = strings.TrimSpace(c.Name + " " + c.Domain)
	}
	return "cookies " + strings.Join(names, ", ")
}

// Subject says which cookies are deleted.
func (a *CookieDelete) Subject() string {
	text := "all cookies"
	if a.Name != nil {
		text = "cookies " + *a.Name
	}
	if a.Domain != nil {
		text += " of " + *a.Domain
	}
	return text
}
