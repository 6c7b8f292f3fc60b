package mcp

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// effect is how a tool may affect its environment.
type effect int

const (
	destroys effect = iota // the zero effect is the most dangerous one
	changes                // an effect that can be undone by navigating
	reads
)

// tool is one row of the list: a name that agents know, and what it does.
type tool struct {
	name   string
	about  string
	effect effect
	input  func() any
	run    func(ctx context.Context, t *turn, in any) error
	steps  func(in any) []action.Step // its calls as steps of a batch; nil if it cannot be a step
}

// define binds a function to the type of its arguments. If they name a session,
// it becomes the session of the turn.
func define[T any](name string, e effect, run func(ctx context.Context, t *turn, in *T) error, about string) tool {
	made := tool{
		name: name, about: about, effect: e, input: func() any { return new(T) },
		run: func(ctx context.Context, t *turn, given any) error {
			in, ok := given.(*T)
			if !ok {
				return fault.New(fault.Internal, "%s was called with the arguments of another tool", name)
			}
			t.session = sessionOf(given)
			return run(ctx, t, in)
		},
	}
	if _, can := any(new(T)).(stepping); can {
		made.steps = func(in any) []action.Step { return in.(stepping).steps() }
	}
	return made
}

// toolNamed returns the tool with a name.
func toolNamed(name string) (tool, bool) {
	at := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
	if at < 0 {
		return tool{}, false
	}
	return tools[at], true
}

// tools is the list of all tools, under names that agents know.
var tools []tool

func init() { // some of the tools refer to the list
	tools = []tool{
		define("browser_navigate", changes, navigate, "Go to a URL and show the page. A new site may need approval."),
		define("browser_navigate_back", changes, back, "Go back in the history."),
		define("browser_snapshot", reads, snapshot, "Show the page as roles, names and refs, to act on."),
		define("browser_find", reads, find, "Find text or elements with refs: shorter than a snapshot."),
		define("browser_click", destroys, click, "Click an element: target, role and name, text, or x and y."),
		define("browser_type", destroys, typeText, "Replace a field's text. Line breaks do not send. Password fields are refused."),
		define("browser_fill_secret", destroys, fillSecret, "Have a stored username, password or totp typed into its field. You never see it."),
		define("browser_fill_form", destroys, fillForm, "Fill several fields at once, by target or by name; stops at the first that fails."),
		define("browser_batch", destroys, batch, "Make several tool calls at once: checked whole, then each judged alone, up to the first that fails or waits. Called again after an answer it goes on."),
		define("browser_select_option", destroys, selectOption, "Choose options of a select by value or label."),
		define("browser_drag", destroys, drag, "Drag an element onto another, or from a point to a point."),
		define("browser_press_key", destroys, press, "Press a key, on an element or where the focus is."),
		define("browser_scroll", changes, scroll, "Scroll the page or an element, or an element into view."),
		define("browser_wait_for", reads, waitFor, "Wait for text, an element, a URL, or some time."),
		define("browser_file_upload", destroys, upload, "Give files to a file input or what opens a chooser."),
		define("browser_handle_dialog", destroys, dialog, "Answer an open dialog."),
		define("browser_tabs", changes, tabs, "List, open, select or close tabs. Tools act on the selected one."),
		define("browser_console_messages", reads, consoleMessages, "Show the console and uncaught errors."),
		define("browser_network_requests", reads, networkRequests, "List requests."),
		define("browser_evaluate", destroys, evaluate, "Run JavaScript in the page. A person is asked first."),
		define("browser_resize", changes, resize, "Resize the viewport."),
		define("browser_take_screenshot", reads, screenshot, "Take a picture of the page."),
		define("browser_screenshot", reads, plainScreenshot, "Same as browser_take_screenshot."),
		define("browser_read", reads, read, "Read the page's text."),
		define("browser_markdown", reads, markdown, "Read the page as markdown: headings, links, tables, code."),
		define("browser_downloads", reads, downloads, "List downloads, read the text of one (PDF too), or keep it as an artifact."),
		define("browser_crawl", changes, crawl, "Read the pages reachable from a URL, breadth first, in tabs of its own."),
		define("browser_run", destroys, run, "Run actions in a browser of its own, which then ends. A person may have to approve the hosts."),
		define("browser_close", changes, closeSession, "Close the session; its record and files are kept."),
		define("browser_session", changes, sessions, "Start, list, close or archive sessions. Each has its own browser."),
		define("browser_request_human", changes, requestHuman, "Ask a person to take over, as for a password or captcha, and wait until they hand back."),
		define("browser_approval_status", reads, approvalStatus, "Say whether a person has answered. Approving is up to people."),
	}
	for _, v := range action.Offered() {
		if v.Done != "" {
			tools = append(tools, acting(v))
		}
	}
}
