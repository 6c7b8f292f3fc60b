package mcp

import (
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// always is the group that every client has: without it no page is seen, and
// nobody is asked.
const always = "core"

// groups are what tools may be chosen by, where a conversation has room for
// few.
var groups = map[string][]string{
	always: {
		"browser_navigate", "browser_snapshot", "browser_click", "browser_type", "browser_wait_for",
		"browser_handle_dialog", "browser_request_human", "browser_approval_status",
	},
	"act": {
		"browser_navigate_back", "browser_fill_form", "browser_fill_secret", "browser_select_option", "browser_hover",
		"browser_drag", "browser_press_key", "browser_scroll", "browser_file_upload",
	},
	"read":    {"browser_find", "browser_read", "browser_markdown", "browser_take_screenshot", "browser_screenshot"},
	"many":    {"browser_crawl", "browser_run"},
	"debug":   {"browser_console_messages", "browser_network_requests"},
	"session": {"browser_tabs", "browser_session", "browser_close"},
}

// chosen returns the tools of the named groups, and those of core; all of them
// for no name. Faults: invalid_request for a name that is no group.
func chosen(names []string) ([]tool, error) {
	if len(names) == 0 {
		return tools, nil
	}
	wanted := slices.Clone(groups[always])
	for _, name := range names {
		of, known := groups[name]
		if !known {
			return nil, fault.New(fault.InvalidRequest, "%q is no group of tools", name).
				Hinted("choose of %s", strings.Join(slices.Sorted(maps.Keys(groups)), ", ")).With("field", "tools")
		}
		wanted = append(wanted, of...)
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t tool) bool { return !slices.Contains(wanted, t.name) }), nil
}
