package cli

import (
	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) houseCommands() []*cobra.Command {
	return []*cobra.Command{r.image(), r.health(), r.configuration(), r.openapi(), r.version()}
}

func (r *root) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return r.print(action.Result{Data: map[string]string{"version": r.parts.Version}}, func(action.Result) {
				r.printf("glovebox %s\n", r.parts.Version)
			})
		},
	}
}
