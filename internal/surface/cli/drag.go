package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) drag() *cobra.Command {
	var drop string
	var limit time.Duration
	c := verb("page.drag", "drag <from> <to>", "glovebox drag e4 e9\nglovebox drag '#card' '#done' --drop-at 20,10\nglovebox drag 'text=First task' 100,340")
	c.Long = c.Short + ".\n\nEach end is a reference of a snapshot (e12), a CSS selector, text=… for visible text, or x,y for a point of the viewport."
	c.Args = between(2, 2)
	c.Flags().StringVar(&drop, "drop-at", "", "where on the target to drop, in CSS pixels from its top left: x,y")
	timeoutFlag(c, &limit)
	c.RunE = func(c *cobra.Command, args []string) error {
		call := &action.Drag{From: locatorOf(args[0]), To: locatorOf(args[1]), Timing: timing(limit)}
		if drop != "" {
			at, ok := pointOf(drop)
			if !ok {
				return usage(fmt.Errorf("want --drop-at x,y in CSS pixels, not %q", drop))
			}
			call.X, call.Y = at.X, at.Y
		}
		return r.call(c.Context(), "page.drag", call, r.showActed)
	}
	return c
}
