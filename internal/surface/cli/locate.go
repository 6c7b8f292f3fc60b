package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

var refPattern = regexp.MustCompile(`^(@|ref=)?e\d+$`)

// elements is the usage of commands that act on an element.
const elements = "<element> is a reference of a snapshot (e12), a CSS selector, text=… for visible text, or x,y for a point of the\n" +
	"viewport in CSS pixels. The flags name it otherwise."

// locatorFlags are the flags that name an element.
type locatorFlags struct {
	action.Locator
	index int
	at    string
}

func (w *locatorFlags) flags(c *cobra.Command) {
	c.Long = first(c.Long, c.Short+".") + "\n\n" + elements
	f := c.Flags()
	f.StringVar(&w.Selector, "selector", "", "CSS selector of the element")
	f.StringVar(&w.Role, "role", "", "ARIA role of the element")
	f.StringVar(&w.Name, "name", "", "accessible name, with --role")
	f.IntVar(&w.index, "index", -1, "which of several matches, from 0")
	f.StringVar(&w.Locator.Text, "text", "", "visible text of the element")
	f.BoolVar(&w.Strict, "strict", false, "refuse when more than one element matches")
	f.StringVar(&w.at, "at", "", "what receives this point of the viewport, in CSS pixels: x,y")
}

// take reads the element from the first argument, in one of the spellings of
// locatorOf, when no flag named one, and returns the locator and the other arguments.
func (w *locatorFlags) take(args []string) (action.Locator, []string, error) {
	l := w.Locator
	if w.index >= 0 {
		l.Index = &w.index
	}
	if w.at != "" {
		p, ok := pointOf(w.at)
		if !ok {
			return l, args, usage(fmt.Errorf("want --at x,y in CSS pixels, not %q", w.at))
		}
		l.X, l.Y = p.X, p.Y
	}
	if !l.Zero() || len(args) == 0 {
		return l, args, nil
	}
	named := locatorOf(args[0])
	l.Ref, l.Selector, l.Text, l.X, l.Y = named.Ref, named.Selector, named.Text, named.X, named.Y
	return l, args[1:], nil
}

// locatorOf reads text=…, a point, a reference, or else a selector.
func locatorOf(word string) action.Locator {
	if text, named := strings.CutPrefix(word, "text="); named {
		return action.Locator{Text: text}
	}
	if at, ok := pointOf(word); ok {
		return at
	}
	if refPattern.MatchString(word) {
		return action.Locator{Ref: word}
	}
	return action.Locator{Selector: word}
}

var pointPattern = regexp.MustCompile(`^(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$`)

// pointOf reads x,y.
func pointOf(word string) (action.Locator, bool) {
	parts := pointPattern.FindStringSubmatch(word)
	if parts == nil {
		return action.Locator{}, false
	}
	x, errX := strconv.ParseFloat(parts[1], 64)
	y, errY := strconv.ParseFloat(parts[2], 64)
	return action.Locator{X: &x, Y: &y}, errX == nil && errY == nil
}
