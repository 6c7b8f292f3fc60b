package mcp_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/golden"
)

func TestTableOfToolsIsUpToDate(t *testing.T) {
	golden.Part(t, "../../../docs/mcp.md", "tools", tableOfTools(t))
}

func tableOfTools(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	usual := listed(t)
	fmt.Fprintf(&b, "The usual %d cost a conversation %d tokens (o200k), all %d of them %d.\n\n", len(usual), tokens(t, usual), len(listed(t, "all")), tokens(t, listed(t, "all")))
	b.WriteString("| group | tool | parameters | what it does | |\n|---|---|---|---|---|\n")
	seen := map[string]bool{}
	for _, group := range groups {
		for _, tool := range listed(t, group) {
			if seen[tool.Name] {
				continue
			}
			seen[tool.Name] = true
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", group, tool.Name, parameters(tool), tool.Description, nature(tool))
		}
	}
	return b.String()
}

// parameters lists a tool's parameters without the session that every tool has.
// Required ones come first and are bold.
func parameters(tool *sdk.Tool) string {
	schema, _ := tool.InputSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	var must, may []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch {
		case name == "session":
		case slices.Contains(required, any(name)):
			must = append(must, "**"+name+"**")
		default:
			may = append(may, name)
		}
	}
	return strings.Join(append(must, may...), ", ")
}

func nature(tool *sdk.Tool) string {
	switch a := tool.Annotations; {
	case a.ReadOnlyHint:
		return "reads"
	case a.DestructiveHint != nil && !*a.DestructiveHint:
		return "changes"
	}
	return "may destroy"
}
