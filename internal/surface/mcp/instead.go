package mcp

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/spelling"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// What to do instead of calling tools that do not exist.
const (
	byPerson    = "agents cannot do this here; tell your user, or call browser_request_human"
	notNeeded   = "go on without it: every call is recorded for people as it is"
	readStorage = "read it with browser_evaluate, which a person is asked about first; cookies are never shown"
)

// instead says what to use for tools of Playwright's MCP server that do not
// exist here, and for similar names that models invent.
var instead = map[string]string{
	"browser_uncheck":            "use browser_check with checked false",
	"browser_press_sequentially": "use browser_type with slowly",
	"browser_keydown":            "use browser_press_key, which presses and releases, also Control+a",
	"browser_keyup":              "use browser_press_key, which presses and releases, also Control+a",
	"browser_mouse_click_xy":     "use browser_click with x and y",
	"browser_mouse_move_xy":      "use browser_hover with x and y",
	"browser_mouse_drag_xy":      "use browser_drag with startTarget and endTarget as x,y",
	"browser_mouse_down":         "use browser_click, or browser_drag from one element to another",
	"browser_mouse_up":           "use browser_click, or browser_drag from one element to another",
	"browser_mouse_wheel":        "use browser_scroll with x and y",
	"browser_drop":               "use browser_file_upload for files, browser_drag for elements",
	"browser_navigate_forward":   "use browser_navigate with the URL",
	"browser_reload":             "use browser_navigate with the URL of the page",
	"browser_tab_list":           "use browser_tabs with action list",
	"browser_tab_new":            "use browser_tabs with action new",
	"browser_tab_select":         "use browser_tabs with action select",
	"browser_tab_close":          "use browser_tabs with action close",
	"browser_pdf_save":           "use browser_markdown or browser_read for the text, browser_take_screenshot with fullPage for the picture",
	"browser_run_code":           "use browser_batch for several steps, browser_evaluate for a script in the page",
	"browser_run_code_unsafe":    "use browser_batch for several steps, browser_evaluate for a script in the page",
	"browser_console_clear":      "use browser_console_messages with level error; nothing has to be cleared",
	"browser_network_clear":      "use browser_network_requests with filter; nothing has to be cleared",
	"browser_network_request":    "use browser_network_requests with filter",
	"browser_network_state_set":  byPerson,
	"browser_route":              byPerson,
	"browser_route_list":         byPerson,
	"browser_unroute":            byPerson,
	"browser_emulate_media":      byPerson,
	"browser_install":            "nothing has to be installed: the browser starts with browser_navigate",
	"browser_webmcp_call":        "use browser_click and browser_type on what browser_snapshot shows",
	"browser_webmcp_list":        "use browser_snapshot for what the page offers",

	"browser_verify_element_visible": "use browser_find with role and name, or browser_wait_for with state visible",
	"browser_verify_list_visible":    "use browser_snapshot with target",
	"browser_verify_text_visible":    "use browser_find with text",
	"browser_verify_value":           "use browser_snapshot, which shows values",
	"browser_generate_locator":       "use the refs that browser_snapshot shows",
	"browser_annotate":               "use browser_take_screenshot with labels, which draws the refs",
	"browser_highlight":              "use browser_take_screenshot with labels, which draws the refs",
	"browser_hide_highlight":         notNeeded,
	"browser_get_config":             notNeeded,
	"browser_start_tracing":          notNeeded,
	"browser_stop_tracing":           notNeeded,
	"browser_start_video":            notNeeded,
	"browser_stop_video":             notNeeded,
	"browser_video_chapter":          notNeeded,
	"browser_video_hide_actions":     notNeeded,
	"browser_video_show_actions":     notNeeded,
	"browser_start_recording":        notNeeded,
	"browser_stop_recording":         notNeeded,
	"browser_resume":                 "call browser_request_human: a person hands a paused session back",

	"browser_storage_state":         "start a session with stored credentials instead: browser_navigate with domain_hint; files of a login are a person's",
	"browser_set_storage_state":     "start a session with stored credentials instead: browser_navigate with domain_hint; files of a login are a person's",
	"browser_cookie_list":           byPerson,
	"browser_cookie_get":            byPerson,
	"browser_cookie_set":            byPerson,
	"browser_cookie_delete":         byPerson,
	"browser_cookie_clear":          "start another session with browser_session: it has no cookies",
	"browser_localstorage_list":     readStorage,
	"browser_localstorage_get":      readStorage,
	"browser_localstorage_set":      readStorage,
	"browser_localstorage_delete":   readStorage,
	"browser_localstorage_clear":    "start another session with browser_session: its storage is empty",
	"browser_sessionstorage_list":   readStorage,
	"browser_sessionstorage_get":    readStorage,
	"browser_sessionstorage_set":    readStorage,
	"browser_sessionstorage_delete": readStorage,
	"browser_sessionstorage_clear":  "start another session with browser_session: its storage is empty",

	"browser_goto":     "use browser_navigate",
	"browser_open":     "use browser_navigate",
	"browser_back":     "use browser_navigate_back",
	"browser_fill":     "use browser_type with clear_first",
	"browser_select":   "use browser_select_option",
	"browser_press":    "use browser_press_key",
	"browser_wait":     "use browser_wait_for with time",
	"browser_get_text": "use browser_read",
	"browser_search":   "use browser_find",
}

// noTool returns the fault for a call of a tool that is not offered: what to
// use instead, or that a person can have the tool offered. It is nil for an
// unknown name.
func noTool(name string, offered []string) *fault.Fault {
	f := fault.New(fault.UnknownAction, "there is no tool of the name %s here", untrusted.ToolLine(name, 64)).With("tool", untrusted.ToolLine(name, 64))
	if use, known := instead[name]; known {
		return f.Hinted("%s", use)
	}
	if group := groupOf(name); group != "" && !slices.Contains(offered, name) {
		return f.Hinted("use the tools of the list; your user can have this one offered by adding --tools +%s to the entry of this server", group)
	}
	if near := meantTool(name, offered); near != "" {
		return f.Hinted("%s", cmp.Or(instead[near], "did you mean "+near+"?"))
	}
	return nil
}

// meantTool returns the known tool that a misspelled name, or one without the prefix, means;
// "" if there is none.
func meantTool(name string, offered []string) string {
	const prefix = "browser_"
	name = strings.NewReplacer(".", "_", "-", "_").Replace(strings.ToLower(name))
	var known []string
	for _, tool := range append(slices.Sorted(maps.Keys(instead)), offered...) {
		known = append(known, strings.TrimPrefix(tool, prefix))
	}
	if near := spelling.Misspelled(strings.TrimPrefix(name, prefix), known); near != "" {
		return prefix + near
	}
	return ""
}
