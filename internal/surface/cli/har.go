package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) har() *cobra.Command {
	var call action.ExportHAR
	var path string
	c := verb("page.har", "har", "glovebox har\nglovebox har -o requests.har --headers")
	c.Args = between(0, 0)
	outputFlag(c, &path, "session.har")
	c.Flags().BoolVar(&call.Headers, "headers", false, "with headers, credentials masked; for operators")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return r.save(c.Context(), "page.har", &call, func(result action.Result) (string, []byte, string) {
			got, ok := result.Data.(*action.HAR)
			if !ok {
				return "", nil, ""
			}
			return first(path, "session.har"), got.Bytes, fmt.Sprintf("%d requests, ", got.Entries)
		})
	}
	return c
}
