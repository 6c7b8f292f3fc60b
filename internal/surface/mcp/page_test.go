package mcp_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var update = flag.Bool("update", false, "rewrite generated parts of documents")

const (
	tablePage  = "../../../docs/mcp.md"
	tableBegin = "<!-- tools: written by make gen -->\n"
	tableEnd   = "<!-- end of tools -->\n"
)

func TestTableOfToolsIsUpToDate(t *testing.T) {
	page, err := os.ReadFile(tablePage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), tableBegin)
	_, after, ends := strings.Cut(rest, tableEnd)
	if !begins || !ends {
		t.Fatal("docs/mcp.md has no place for the table")
	}
	want := before + tableBegin + tableOfTools(t) + tableEnd + after
	if *update {
		if err := os.WriteFile(tablePage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Error("docs/mcp.md is out of date: run make gen")
	}
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

// parameters are a tool's, but for the session that each takes. What must be
// given comes first, and is bold.
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
