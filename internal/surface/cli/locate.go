package cli

import (
	"regexp"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

var refPattern = regexp.MustCompile(`^(@|ref=)?e\d+$`)

// where is the flags that say which element is meant.
type where struct {
	action.Locator
	index int
}

func (w *where) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&w.Selector, "selector", "", "CSS selector of the element")
	f.StringVar(&w.Role, "role", "", "ARIA role of the element")
	f.StringVar(&w.Name, "name", "", "accessible name, with --role")
	f.IntVar(&w.index, "index", -1, "which of several matches, from 0")
	f.StringVar(&w.Locator.Text, "text", "", "visible text of the element")
	f.BoolVar(&w.Strict, "strict", false, "refuse when more than one element matches")
}

// take reads the element from the first argument, a reference or a selector,
// when no flag named one, and returns the locator and the other arguments.
func (w *where) take(args []string) (action.Locator, []string) {
	l := w.Locator
	if w.index >= 0 {
		l.Index = &w.index
	}
	if !l.Zero() || len(args) == 0 {
		return l, args
	}
	if refPattern.MatchString(args[0]) {
		l.Ref = args[0]
	} else {
		l.Selector = args[0]
	}
	return l, args[1:]
}
