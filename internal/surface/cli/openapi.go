package cli

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) openapi() *cobra.Command {
	var page bool
	var file string
	c := &cobra.Command{
		Use:     "openapi",
		Short:   "Print the description of the REST interface",
		Long:    "Print the description of the REST interface, as OpenAPI 3.1 or as a page to read. It needs no gateway;\none serves the same at /openapi.json and /docs to whoever has a token.",
		Example: "  glovebox openapi -o openapi.json\n  glovebox openapi --docs -o glovebox.html",
		Args:    between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			text, err := r.parts.Describe(page)
			if err != nil {
				return err
			}
			if file != "" && file != "-" {
				return os.WriteFile(file, text, 0o644)
			}
			var data any = json.RawMessage(text)
			if page {
				data = string(text)
			}
			return r.print(action.Result{Data: data}, func(action.Result) { r.printf("%s", text) })
		},
	}
	c.Flags().BoolVar(&page, "docs", false, "a page of HTML in place of OpenAPI")
	outputFlag(c, &file, toStandardOutput)
	return c
}
