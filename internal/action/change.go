package action

import "strings"

// Changes says how the page differs from what its viewer was last shown. A
// viewer is a caller of one surface. Changes between two calls are included.
type Changes struct {
	// Text has a line for each change, in the grammar of snapshots: "+" marks
	// what was added, "-" what was removed, and "~" what changed. A line that
	// begins with "in" names the place of the lines below it. Text is empty if
	// nothing changed.
	Text string `json:"text,omitempty" example:"~ checkbox \"Watch\" [e7] checked\nin status:\n+ text \"Saved\""`
	// Snapshot shows the page instead if there is nothing to compare it with or
	// too much has changed; Why says which.
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	Why      string    `json:"why,omitempty" enum:"new page,first look,much changed"`
	// Moved says that the address or the title differs from what the viewer was
	// last told.
	Moved bool `json:"moved,omitempty"`
	// Outcome describes the result of an act if Text is empty and no snapshot
	// is shown.
	Outcome string   `json:"outcome,omitempty" enum:"nothing changed,still moving,drawn,looks changed"`
	Errors  []string `json:"errors,omitempty"`  // errors on the console and requests that failed since, a line each
	Late    bool     `json:"late,omitempty"`    // the page was still changing when it was read: the rest comes with the next report
	Earlier bool     `json:"earlier,omitempty"` // some of it changed before the call, after the last report
}

// Outcomes of an act that changed no text.
const (
	NothingChanged = "nothing changed" // the page is as it was
	StillMoving    = "still moving"    // an animation, a change step by step, or a request goes on
	Drawn          = "drawn"           // a canvas or video shows something else, or may do so: no words describe it
	LooksChanged   = "looks changed"   // elements changed without words: styles, classes, a drawing
)

// Reasons for a snapshot in place of changes.
const (
	NewPage     = "new page"     // the tab shows another document, or another tab is the active one
	FirstLook   = "first look"   // the viewer was shown nothing of it yet, or too long ago
	MuchChanged = "much changed" // to say what changed takes more than to show the page
)

// Tells reports whether a call of the verb can report what it changed: verbs
// that act on the active page or select it, and waiting for it.
func (v *Verb) Tells() bool {
	switch v.Name {
	case VerbPageWaitFor.Name, VerbPageExecute.Name:
		return true
	case VerbPageCrawl.Name:
		return false
	}
	return v.Class == Write && !v.Inner && (strings.HasPrefix(v.Name, "page.") || strings.HasPrefix(v.Name, "tab."))
}
