package cli

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// tells reports whether a call of a verb is to say what it changed.
func (r *root) tells(verb string) bool {
	row, known := action.Lookup(verb)
	return known && row.Tells() && !r.quiet
}

// showChanges prints what is otherwise on the page than this party was last
// shown. Of another document there is the line that says where the page is.
func (r *root) showChanges(c *action.Changes) {
	if c == nil {
		return
	}
	for line := range strings.Lines(c.Text) {
		r.printf("%s\n", r.tinted(clean(strings.TrimRight(line, "\n"))))
	}
	if c.Snapshot != nil {
		r.printf("%s %s: glovebox snapshot shows it\n", r.style.dim("page:"), c.Why)
	}
	for _, e := range c.Errors {
		r.printf("%s %s\n", r.style.warn("console error:"), clean(e))
	}
	switch {
	case c.Outcome != "":
		r.printf("%s %s\n", r.style.dim("note:"), unworded[c.Outcome])
	case c.Late && c.Snapshot != nil:
		r.printf("%s the page is still loading\n", r.style.dim("note:"))
	case c.Late:
		r.printf("%s the page was still changing\n", r.style.dim("note:"))
	}
}

// unworded are the outcomes of acts that changed no words.
var unworded = map[string]string{
	action.NothingChanged: "nothing on the page changed",
	action.StillMoving:    "nothing changed yet: something still moves or loads",
	action.Drawn:          "a canvas or video may show something else now: glovebox screenshot shows it",
	action.LooksChanged:   "only the look of the page changed: glovebox screenshot shows it",
}

// tinted is a line of changes in the colours of differences.
func (r *root) tinted(line string) string {
	switch line[:min(1, len(line))] {
	case "+":
		return r.style.good(line)
	case "-":
		return r.style.bad(line)
	case "~":
		return r.style.warn(line)
	}
	return r.style.dim(line)
}
