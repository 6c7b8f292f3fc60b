package action

import "net/http"

// The verbs of this file.
var (
	VerbPageGoto    = Define[Goto, Navigated](Verb{Name: "page.goto", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/navigate", Tool: "browser_navigate", Command: "goto", Summary: "Navigate to a URL"})
	VerbPageBack    = Define[None, Page](Verb{Name: "page.back", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/back", Tool: "browser_navigate_back", Command: "back", Summary: "Go back in the history"})
	VerbPageForward = Define[None, Page](Verb{Name: "page.forward", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/forward", Command: "forward", Summary: "Go forward in the history"})
	VerbPageReload  = Define[Reload, Page](Verb{Name: "page.reload", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/reload", Command: "reload", Summary: "Reload the page"})
)

// Goto navigates the page to a URL.
type Goto struct {
	URL       string `json:"url" minLength:"1" maxLength:"8192" doc:"http, https or about:blank. Without a scheme: http for localhost, IP addresses and ports, else https" example:"https://example.com/"`
	WaitUntil string `json:"waitUntil,omitempty" enum:"load,domcontentloaded,networkidle" default:"load" doc:"load when empty"`
	// DomainHint is needed when security.credentials.auto_inject is off.
	DomainHint string `json:"domain_hint,omitempty" maxLength:"253" doc:"Domain whose stored credentials the session gets before it goes there; an agent names only such as the session may open" example:"example.com"`
	Timing
}

// Reload reloads the page.
type Reload struct {
	IgnoreCache bool `json:"ignoreCache,omitempty" doc:"Load everything anew" example:"true"`
	Timing
}

// Navigated says where a navigation ended.
type Navigated struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Status int    `json:"status"` // HTTP status of the document; 0 for about:blank

	Download string    `json:"download,omitempty"` // id of the download that came instead of a document
	Document *Document `json:"document,omitempty"` // its kind, if it is not HTML
	Loading  bool      `json:"loading,omitempty"`  // the page has not finished loading: read it again later
}

// Destination is the address of the navigation.
func (a *Goto) Destination() string { return a.URL }
