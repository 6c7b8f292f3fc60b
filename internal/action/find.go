package action

import "net/http"

// The verbs of this file.
var (
	VerbPageFind = Define[Find, Matches](Verb{Name: "page.find", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/find", Tool: "browser_find", Command: "find", Summary: "Find text and elements on the page, with their references"})
)

// Find says what to look for on a page. All that is given must hold.
type Find struct {
	Text     string `json:"text,omitempty" query:"text" maxLength:"1024" doc:"Contained in the name, value or text, whatever its case" example:"invoice"`
	Regex    string `json:"regex,omitempty" query:"regex" maxLength:"512" doc:"Regular expression (RE2) searched in the name, value or text"`
	Role     string `json:"role,omitempty" query:"role" maxLength:"64" doc:"ARIA role" example:"button"`
	Name     string `json:"name,omitempty" query:"name" maxLength:"1024" doc:"Contained in the accessible name, whatever its case"`
	Selector string `json:"selector,omitempty" query:"selector" maxLength:"4096" doc:"Only inside the first element that this CSS selector matches" example:"main"`
	Limit    int    `json:"limit,omitempty" query:"limit" minimum:"0" maximum:"100" doc:"The first so many matches; 20 when 0"`
	Context  int    `json:"context,omitempty" query:"context" minimum:"0" maximum:"500" doc:"Characters shown on each side of a match; 60 when 0"`
}

// Zero reports whether f has no condition.
func (f Find) Zero() bool { return f.Text == "" && f.Regex == "" && f.Role == "" && f.Name == "" }

// Sound refuses a search without a condition.
func (f *Find) Sound() error {
	if f.Zero() {
		return invalid("text", "is missing: nothing to look for").Hinted("give text, regex, role or name")
	}
	return nil
}

// Match is one match.
type Match struct {
	Role string   `json:"role"`
	Name string   `json:"name,omitempty"`
	Ref  string   `json:"ref,omitempty"`  // of the match, or else of the control that contains it
	Text string   `json:"text,omitempty"` // around the match
	Path []string `json:"path,omitempty"` // the landmarks and headings above it, outermost first

	// Beside lists the controls in the same row or list item, as snapshots
	// write them. With it a caller finds, for example, the button of a found
	// row.
	Beside []string `json:"beside,omitempty"`
}

// Matches are the matches, in document order.
type Matches struct {
	Matches []Match `json:"matches"`
	Total   int     `json:"total"` // including those beyond the limit
	URL     string  `json:"url"`
	Title   string  `json:"title"`
	Hidden  int     `json:"hidden,omitempty"` // pieces of text not searched because a person could not see them
}
