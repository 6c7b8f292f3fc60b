package action

import "net/http"

// The verbs of this file.
var (
	VerbTabList     = Define[None, TabListing](Verb{Name: "tab.list", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/tabs", Tool: "browser_tabs", Command: "tabs list", Summary: "List the browser's tabs, in the order they were opened"})
	VerbTabOpen     = Define[OpenTab, Tab](Verb{Name: "tab.open", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/tabs", Status: http.StatusCreated, Tool: "browser_tabs", Command: "tabs open", Summary: "Open a tab, which becomes the active one"})
	VerbTabActivate = Define[ByID, Tab](Verb{Name: "tab.activate", Class: Write, Risk: Low, Counts: true, Method: http.MethodPost, Path: "/browser/tabs/{id}/activate", Tool: "browser_tabs", Command: "tabs activate", Summary: "Make a tab the active one, which verbs act on"})
	VerbTabClose    = Define[ByID, Closed](Verb{Name: "tab.close", Class: Write, Risk: Low, Counts: true, Method: http.MethodDelete, Path: "/browser/tabs/{id}", Tool: "browser_tabs", Command: "tabs close", Summary: "Close a tab; the last one leaves an empty one"})
)

// OpenTab opens a tab.
type OpenTab struct {
	URL string `json:"url,omitempty" maxLength:"8192" doc:"Go there; an empty tab when absent" example:"https://example.com/"`
}

// Tab is one page of a browser.
type Tab struct {
	ID     string `json:"id"` // stays the same for the life of the tab
	URL    string `json:"url"`
	Title  string `json:"title"`
	Active bool   `json:"active"` // verbs act on it
}

// TabListing is a list of tabs, in the order in which they were opened.
type TabListing struct {
	Tabs []Tab `json:"tabs"`
}

// Closed says that something is closed.
type Closed struct {
	OK bool `json:"ok"`
}

// Destination is the first page of the tab.
func (a *OpenTab) Destination() string { return a.URL }
