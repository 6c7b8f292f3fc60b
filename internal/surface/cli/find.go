package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) find() *cobra.Command {
	var call action.Find
	c := verb("page.find", "find [<text>]", "glovebox find invoice\nglovebox find --role button --name Save\nglovebox find --regex '[0-9]+ EUR' --in main")
	c.Long = c.Short + ".\n\nThe exit status is 5 where nothing was found."
	c.Args = between(0, 1)
	f := c.Flags()
	f.StringVar(&call.Text, "text", "", "text to look for")
	f.StringVar(&call.Regex, "regex", "", "regular expression (RE2) to look for")
	f.StringVar(&call.Role, "role", "", "only elements of this ARIA role")
	f.StringVar(&call.Name, "name", "", "only what has this in its accessible name")
	f.StringVar(&call.Selector, "in", "", "only inside the first element that this CSS selector matches")
	f.IntVarP(&call.Limit, "limit", "n", 0, "how many of the first matches (default 20)")
	f.IntVar(&call.Context, "context", 0, "characters shown on each side of a match (default 60)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && call.Text != "" {
			return usage(errors.New("one text says what to look for: <text> or --text"))
		}
		call.Text = first(append(args, call.Text)...)
		there := true
		err := r.calling(c.Context(), "page.find", &call, func(result action.Result) {
			if found, ok := result.Data.(*action.Matches); ok {
				there = found.Total > 0
			}
		}, r.showMatches)
		return nothing(err, there)
	}
	return c
}

func (r *root) showMatches(result action.Result) {
	found, ok := result.Data.(*action.Matches)
	if !ok {
		return
	}
	for _, m := range found.Matches {
		ref := m.Ref
		if ref == "" {
			ref = "-"
		}
		r.printf("%-6s %s %s\n", r.style.good(clean(ref)), short(m.Role, 20), r.style.bold(short(m.Name, 80)))
		if m.Text != "" && m.Text != m.Name {
			r.printf("       %s\n", short(m.Text, 1200))
		}
		if len(m.Path) > 0 {
			r.printf("       %s\n", r.style.dim(short(strings.Join(m.Path, " > "), 300)))
		}
	}
	r.printf("%s\n", r.style.dim(counted(len(found.Matches), found.Total)))
}

func counted(shown, total int) string {
	if shown < total {
		return fmt.Sprintf("%d of %d", shown, total)
	}
	return fmt.Sprintf("%d found", total)
}
