package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

func tabs(ctx context.Context, t *turn, in *tabsIn) error {
	switch in.Action {
	case "list":
		_, err := t.listTabs(ctx)
		return err
	case "new":
		return t.tab(ctx, action.VerbTabOpen.Name, &action.OpenTab{URL: in.URL}, "Opened tab")
	}
	id := in.ID
	if id == "" {
		var err error
		if id, err = t.tabAt(ctx, in.Index); err != nil {
			return err
		}
	}
	if in.Action == "select" {
		return t.tab(ctx, action.VerbTabActivate.Name, &action.ByID{ID: id}, "Selected tab")
	}
	return t.tab(ctx, action.VerbTabClose.Name, &action.ByID{ID: id}, "Closed the tab")
}

// tab makes a call that changes tabs, and shows the page that is then active.
func (t *turn) tab(ctx context.Context, verb string, args any, did string) error {
	result, err := t.act(ctx, verb, args)
	if err != nil {
		return err
	}
	t.reply.data = result.Data
	if tab, ok := result.Data.(*action.Tab); ok {
		did += " " + untrusted.ToolLine(tab.ID, 64)
	}
	t.reply.did = append(t.reply.did, did+".")
	return nil
}

func (t *turn) listTabs(ctx context.Context) ([]action.Tab, error) {
	result, err := t.call(ctx, action.VerbTabList.Name, &action.None{})
	if err != nil {
		return nil, err
	}
	listing, ok := result.Data.(*action.TabListing)
	if !ok {
		return nil, nil
	}
	t.reply.data = listing
	for i, tab := range listing.Tabs {
		active := ""
		if tab.Active {
			active = " (selected)"
		}
		t.reply.did = append(t.reply.did, fmt.Sprintf("- %d%s: %s %s, id %s", i, active, untrusted.ToolQuoted(tab.Title), untrusted.ToolLine(tab.URL, 500), untrusted.ToolLine(tab.ID, 64)))
	}
	return listing.Tabs, nil
}

// tabAt returns the id of the tab at a place in the list; without a place, that
// of the active tab.
func (t *turn) tabAt(ctx context.Context, index *int) (string, error) {
	all, err := t.listTabs(ctx)
	if err != nil {
		return "", err
	}
	t.reply.did, t.reply.data = nil, nil
	at := slices.IndexFunc(all, func(tab action.Tab) bool { return tab.Active })
	if index != nil {
		at = *index
	}
	if at < 0 || at >= len(all) {
		return "", fault.New(fault.NotFound, "there is no tab at that place").Hinted("call browser_tabs with action list")
	}
	return all[at].ID, nil
}

// severity orders levels. A request for a level includes the more severe ones.
var severity = map[string]int{"debug": 0, "log": 1, "info": 1, "warn": 2, "error": 3}

const mostLines = 1000 // of a console or list of requests: all there are

func consoleMessages(ctx context.Context, t *turn, in *consoleIn) error {
	least := in.Level
	switch least {
	case "":
		least = "info"
	case "warning":
		least = "warn"
	}
	result, err := t.call(ctx, action.VerbPageConsole.Name, &action.ReadConsole{Limit: mostLines})
	if err != nil {
		return err
	}
	listing, ok := result.Data.(*action.ConsoleListing)
	if !ok {
		return nil
	}
	var lines []string
	for _, m := range listing.Messages {
		if severity[m.Level] < severity[least] {
			continue
		}
		text := fmt.Sprintf("[%s] %s", m.Level, untrusted.ToolLine(m.Text, 500))
		if m.URL != "" {
			text += fmt.Sprintf(" (%s:%d)", untrusted.ToolLine(m.URL, 200), m.Line)
		}
		lines = append(lines, text)
	}
	t.list("Console", "messages", lines)
	return nil
}

func networkRequests(ctx context.Context, t *turn, in *networkIn) error {
	result, err := t.call(ctx, action.VerbPageNetwork.Name, &action.ReadNetwork{Limit: mostLines, Pattern: in.Filter})
	if err != nil {
		return err
	}
	listing, ok := result.Data.(*action.NetworkListing)
	if !ok {
		return nil
	}
	var lines []string
	for _, r := range listing.Requests {
		outcome := fmt.Sprint(r.Status)
		switch {
		case r.Error != "":
			outcome = untrusted.ToolLine(r.Error, 200)
		case r.Pending:
			outcome = "pending"
		}
		lines = append(lines, fmt.Sprintf("%s %s => %s %s %d B %.0f ms", untrusted.ToolLine(r.Method, 20), untrusted.ToolLine(r.URL, 300), outcome, untrusted.ToolLine(r.MimeType, 60), r.ResponseSize, r.Duration))
	}
	t.list("Network", "requests", lines)
	return nil
}

// list shows lines of the page: the newest ones that fit.
func (t *turn) list(heading, what string, lines []string) {
	room, from := actSnapshot, len(lines)
	for from > 0 && room >= len(lines[from-1])+1 {
		from--
		room -= len(lines[from]) + 1
	}
	text := fmt.Sprintf("%d %s, oldest first", len(lines), what)
	if from > 0 {
		text += fmt.Sprintf("; the oldest %d are left out", from)
	}
	t.reply.did = append(t.reply.did, text+".")
	if len(lines) == 0 {
		return
	}
	at := ""
	if t.reply.page != nil {
		at = t.reply.page.URL
	}
	t.reply.heading, t.reply.text = heading, marked(strings.Join(lines[from:], "\n"), at, actSnapshot)
}
