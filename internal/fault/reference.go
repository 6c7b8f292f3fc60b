package fault

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Reference returns the reference page of every code, in markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# Faults\n\n")
	b.WriteString("Every error has a stable code; programs decide on it. Over REST it is a problem document (RFC 9457) whose\n")
	b.WriteString("type is `tag:glovebox,2026:browser/<slug>`, over MCP a tool error (or a JSON-RPC error where the protocol was\n")
	b.WriteString("misused), on the command line an exit status. This page is generated (`make gen`).\n\n")
	b.WriteString("| code | slug | HTTP | JSON-RPC | exit | may succeed again |\n|---|---|---|---|---|---|\n")
	codes := Codes()
	slices.SortFunc(codes, func(a, b Code) int {
		return cmp.Or(a.Info().Exit-b.Info().Exit, a.Info().Status-b.Info().Status, strings.Compare(string(a), string(b)))
	})
	for _, c := range codes {
		i := c.Info()
		again := "no"
		if i.Retryable {
			again = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %d | %s |\n", c, i.Slug, i.Status, i.RPC, i.Exit, again)
	}
	return b.String()
}
