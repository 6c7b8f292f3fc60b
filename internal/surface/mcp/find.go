package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

func find(ctx context.Context, t *turn, in *findIn) error {
	result, err := t.call(ctx, action.VerbPageFind.Name, &action.Find{Text: in.Text, Regex: in.Regex, Role: in.Role, Name: in.Name, Limit: in.Limit})
	if err != nil {
		return err
	}
	found, ok := result.Data.(*action.Matches)
	if !ok {
		return nil
	}
	t.reply.page = &action.Page{URL: found.URL, Title: found.Title}
	lines := make([]string, len(found.Matches))
	for i, m := range found.Matches {
		lines[i] = matched(m)
	}
	text := fmt.Sprintf("%d found", found.Total)
	if more := found.Total - len(lines); more > 0 {
		text += fmt.Sprintf(", the first %d shown; narrow it or raise limit", len(lines))
	}
	t.reply.did = append(t.reply.did, text+".")
	if len(lines) > 0 {
		t.reply.heading, t.reply.text = "Matches", marked(strings.Join(lines, "\n"), found.URL, actSnapshot)
	}
	return nil
}

// matched describes a match on one line: its kind, its text and its place.
func matched(m action.Match) string {
	text := untrusted.ToolLine(m.Role, 40)
	if m.Name != "" {
		text += " " + untrusted.ToolQuoted(m.Name)
	}
	if m.Ref != "" {
		text += " [" + untrusted.ToolLine(m.Ref, 32) + "]"
	}
	if m.Text != "" && m.Text != m.Name {
		text += ": " + untrusted.ToolLine(m.Text, 1200)
	}
	if len(m.Beside) > 0 {
		text += " (beside " + untrusted.ToolLine(strings.Join(m.Beside, ", "), 600) + ")"
	}
	if len(m.Path) > 0 {
		text += " (in " + untrusted.ToolLine(strings.Join(m.Path, " > "), 400) + ")"
	}
	return text
}
