package action

import "net/http"

// The verbs of this file.
var (
	VerbPageSnapshot = Define[TakeSnapshot, Snapshot](Verb{Name: "page.snapshot", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/snapshot", Tool: "browser_snapshot", Command: "snapshot", Summary: "Show the page as roles, names and references"})
)

// MostTokens is the most that max_tokens may be, of any answer that has one.
const MostTokens = 24_000

// TakeSnapshot asks for the page as text, tree or markdown. docs/snapshot.md
// has the grammar of the text, and what each of these does to it.
type TakeSnapshot struct {
	Format      string `json:"format,omitempty" query:"format" enum:"text,tree,markdown" doc:"text when empty; tree is JSON"`
	Ref         string `json:"ref,omitempty" query:"ref" maxLength:"32" doc:"Only what is below this element, without folding"`
	Depth       int    `json:"depth,omitempty" query:"depth" minimum:"0" maximum:"200" doc:"Deepest level; of a tree the configured one when 0"`
	MaxTokens   int    `json:"max_tokens,omitempty" query:"max_tokens" minimum:"0" maximum:"24000" doc:"Most tokens of the answer, 500 or more; the configured number when 0; a tree takes none" example:"6000"`
	Offset      int    `json:"offset,omitempty" query:"offset" minimum:"0" maximum:"10000000" doc:"Where to go on: nextOffset of the answer before"`
	Interactive bool   `json:"interactive,omitempty" query:"interactive" doc:"Only what can be acted on, with the headings and landmarks around it"`
	Viewport    bool   `json:"viewport,omitempty" query:"viewport" doc:"Only what lies in the visible part of the page"`
	URLs        bool   `json:"urls,omitempty" query:"urls" doc:"Show where links lead"`
}

// Snapshot is the page as an agent sees it, or the part of it that fits.
type Snapshot struct {
	Text   string `json:"snapshot,omitempty" example:"page \"Example Domain\" https://example.com/\n heading \"Example Domain\" level=1\n link \"More\" [e3]"` // text in the grammar of docs/snapshot.md, or markdown
	Tree   *Node  `json:"tree,omitempty"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Hidden int    `json:"hidden,omitempty"` // pieces of text left out because a person could not see them

	Tokens     int `json:"tokens,omitempty"`     // of the snapshot, at most: an upper bound in the vocabulary o200k
	NextOffset int `json:"nextOffset,omitempty"` // where the next part begins; 0 when this is the last
	MoreTokens int `json:"moreTokens,omitempty"` // of all later parts, at most

	Document *Document `json:"document,omitempty"` // what it is, where it is no page of HTML
}

// Node is an element of the JSON tree.
type Node struct {
	Role      string         `json:"role"`
	Name      string         `json:"name,omitempty"`
	Derived   string         `json:"derived,omitempty"` // of a control without a name: its icon, id or address
	Ref       string         `json:"ref,omitempty"`
	Value     string         `json:"value,omitempty"`
	Protected bool           `json:"protected,omitempty"`
	Level     int            `json:"level,omitempty"`
	States    map[string]any `json:"states,omitempty"` // checked, expanded, disabled…
	URL       string         `json:"url,omitempty"`
	Children  []*Node        `json:"children,omitempty"`
}

const leastTokens = 500 // a snapshot's first line, its marks and a few lines fit

// whole refuses a budget in which nothing fits, and of a tree, which is the
// whole one, what would make it a part.
func (a *TakeSnapshot) whole() error {
	if field := a.ofText(); field != "" && a.Format == "tree" {
		return invalid(field, "does not go with format tree").Hinted("use format text; ref and depth narrow a tree")
	}
	if a.MaxTokens != 0 && a.MaxTokens < leastTokens {
		return invalid("max_tokens", "must be 500 or more").Hinted("leave max_tokens out for the usual 6000")
	}
	return nil
}

// ofText is an argument given that is for texts alone.
func (a *TakeSnapshot) ofText() string {
	switch {
	case a.MaxTokens != 0:
		return "max_tokens"
	case a.Offset != 0:
		return "offset"
	case a.Interactive:
		return "interactive"
	}
	return ""
}
