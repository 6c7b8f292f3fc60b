package mcp

import (
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	always = "core" // the group that every client gets
	every  = "all"  // all groups
)

// usual lists the groups for a client that asks for none: the tools for
// browsing. Each offered tool costs tokens in every conversation.
var usual = []string{always, "act", "read", "session"}

// groups are the groups by which tools can be chosen.
var groups = map[string][]string{
	always: {
		"browser_navigate", "browser_snapshot", "browser_click", "browser_type", "browser_wait_for",
		"browser_handle_dialog", "browser_request_human", "browser_approval_status",
	},
	"act": {
		"browser_navigate_back", "browser_fill_form", "browser_fill_secret", "browser_select_option", "browser_hover",
		"browser_drag", "browser_press_key", "browser_scroll", "browser_file_upload", "browser_batch",
	},
	"read":    {"browser_find", "browser_read", "browser_markdown", "browser_take_screenshot", "browser_downloads"},
	"session": {"browser_tabs", "browser_session", "browser_close"},
	"debug":   {"browser_console_messages", "browser_network_requests", "browser_evaluate", "browser_resize"},
	"many":    {"browser_crawl", "browser_run"},
	"alias":   {"browser_screenshot"},
}

// chosen returns the tools of the named groups and of core. Without names it
// returns the usual groups, and a name that begins with a plus adds a group to
// these. Faults: invalid_request for an unknown group.
func chosen(names []string) ([]tool, error) {
	wanted := map[string]bool{always: true}
	for _, name := range names {
		group, added := strings.CutPrefix(strings.TrimSpace(name), "+")
		if added {
			for _, g := range usual {
				wanted[g] = true
			}
		}
		if _, known := groups[group]; !known && group != every {
			return nil, fault.New(fault.InvalidRequest, "%q is no group of tools", name).
				Hinted("choose of %s, all; +debug is the usual ones and debug", strings.Join(slices.Sorted(maps.Keys(groups)), ", ")).With("field", "tools")
		}
		wanted[group] = true
	}
	if len(names) == 0 {
		for _, g := range usual {
			wanted[g] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t tool) bool { return !wanted[every] && !wanted[groupOf(t.name)] }), nil
}

// CheckTools checks the names of groups. Faults: invalid_request for an unknown
// group.
func CheckTools(groups []string) error {
	_, err := chosen(groups)
	return err
}

// groupOf returns the group of a tool: act if no group names it, "" if there is
// no such tool.
func groupOf(name string) string {
	for group, of := range groups {
		if slices.Contains(of, name) {
			return group
		}
	}
	if _, is := toolNamed(name); is {
		return "act"
	}
	return ""
}
