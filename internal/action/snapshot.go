package action

import (
	"net/http"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// The verbs of this file.
var (
	VerbPageSnapshot = Define[TakeSnapshot, Snapshot](Verb{Name: "page.snapshot", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/browser/snapshot", Tool: "browser_snapshot", Command: "snapshot", Summary: "Show the page as roles, names and references"})
)

// MostTokens is the maximum of max_tokens, for all answers that have this
// limit.
const MostTokens = 24_000

// TakeSnapshot asks for the page as text, tree or markdown. docs/snapshot.md
// has the grammar of the text, and the effect of each option.
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

// Snapshot is the page as an agent sees it, or as much of it as fits.
type Snapshot struct {
	Text   string `json:"snapshot,omitempty" example:"page \"Example Domain\" https://example.com/\n heading \"Example Domain\" level=1\n link \"More\" [e3]"` // text in the grammar of docs/snapshot.md, or markdown
	Tree   *Node  `json:"tree,omitempty"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Hidden int    `json:"hidden,omitempty"` // pieces of text left out because a person could not see them

	Tokens     int `json:"tokens,omitempty"`     // of the snapshot, at most: an upper bound in the vocabulary o200k
	NextOffset int `json:"nextOffset,omitempty"` // where the next part begins; 0 when this is the last
	MoreTokens int `json:"moreTokens,omitempty"` // of all later parts, at most

	Document *Document `json:"document,omitempty"` // its kind, if it is not HTML
}

// Node is an element of the JSON tree.
type Node struct {
	Role      string         `json:"role"`
	Name      string         `json:"name,omitempty"`
	Derived   string         `json:"derived,omitempty"` // of a control without a name: its icon, id or address, or the text before a field
	Ref       string         `json:"ref,omitempty"`
	Value     string         `json:"value,omitempty"`
	Protected bool           `json:"protected,omitempty"`
	Level     int            `json:"level,omitempty"`
	States    map[string]any `json:"states,omitempty"` // checked, expanded, disabled…
	URL       string         `json:"url,omitempty"`
	Children  []*Node        `json:"children,omitempty"`
}

const leastTokens = 500 // a snapshot's first line, its marks and a few lines fit

// Sound refuses a budget that is too small for any text; for a tree, which
// always contains the whole page with all addresses, options that restrict it;
// and for markdown, which is always of the whole page, options that select a
// part.
func (a *TakeSnapshot) Sound() error {
	switch a.Format {
	case "tree":
		if err := Without(a, "format tree", "max_tokens", "offset", "interactive", "urls"); err != nil {
			return fault.From(err).Hinted("use format text; ref and depth narrow a tree")
		}
	case "markdown":
		if err := Without(a, "format markdown", "ref", "depth", "interactive", "viewport", "urls"); err != nil {
			return err
		}
	}
	if a.MaxTokens != 0 && a.MaxTokens < leastTokens {
		return invalid("max_tokens", "must be 500 or more").Hinted("leave max_tokens out for the usual 6000")
	}
	return nil
}
