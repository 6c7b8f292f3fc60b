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
	if c.Late {
		r.printf("%s the page was still changing\n", r.style.dim("note:"))
	}
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
