package cli_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func ptr[T any](v T) *T { return &v }

// command is a command line and the call it must make.
type command struct {
	verb    string
	line    []string
	session string
	args    any
}

// givenInput is the standard input of commands.
const givenInput = "url: https://a.example/\ndomain_allowlist: [a.example]\nactions: [{type: go_back}]\ntimeout: 500\n"

// commands has at least one line for every verb that the table gives a
// command.
var commands = []command{
	{"session.start", []string{"session", "start", "--name", "n", "--width", "800", "--allow", "a.example,b.example", "--headless"}, "",
		&action.SessionStart{Name: "n", Width: 800, Allow: []string{"a.example", "b.example"}, Headless: true}},
	{"session.start", []string{"session", "start", "--proxy", "paris"}, "", &action.SessionStart{Proxy: "paris"}},
	{"session.list", []string{"session", "list", "--archived"}, "", &action.SessionList{IncludeArchived: true}},
	{"session.show", []string{"session", "show", "n"}, "n", &action.None{}},
	{"session.close", []string{"session", "close", "-s", "n"}, "n", &action.None{}},
	{"session.archive", []string{"session", "archive"}, "", &action.None{}},
	{"session.pause", []string{"session", "pause", "n", "--reason", "look"}, "n", &action.Hands{Reason: "look"}},
	{"session.resume", []string{"session", "resume", "-s", "n", "--note", "go on"}, "n", &action.HandBack{Note: "go on"}},
	{"session.allow", []string{"session", "allow", "a.example", "n", "--for", "resource"}, "n", &action.AllowHost{Host: "a.example", For: "resource"}},
	{"session.take", []string{"session", "take"}, "", &action.Hands{}},
	{"session.hand_back", []string{"session", "hand-back", "n"}, "n", &action.HandBack{}},
	{"session.start", []string{"session", "start", "--profile", "work"}, "", &action.SessionStart{Profile: "work"}},
	{"browser.start", []string{"browser", "start", "--profile", "work", "--width", "800", "--open", "a.example", "--headless"}, "",
		&action.BrowserStart{Context: "work", Width: 800, URL: "a.example", Headless: ptr(true)}},
	{"browser.start", []string{"browser", "start"}, "", &action.BrowserStart{}},
	{"browser.stop", []string{"browser", "stop", "n"}, "n", &action.None{}},
	{"browser.status", []string{"browser", "status"}, "", &action.None{}},
	{"browser.status", []string{"status", "-s", "n"}, "n", &action.None{}},
	{"session.list", []string{"session"}, "", &action.SessionList{}},
	{"approval.list", []string{"approvals"}, "", &action.ApprovalList{}},
	{"run.list", []string{"runs"}, "", &action.RunList{}},
	{"profile.list", []string{"profile", "list"}, "", &action.None{}},
	{"profile.list", []string{"contexts", "list"}, "", &action.None{}},
	{"profile.create", []string{"profile", "create", "at work"}, "", &action.ProfileCreate{Name: "at work"}},
	{"profile.delete", []string{"profile", "delete", "p1"}, "", &action.ByID{ID: "p1"}},
	{"profile.export", []string{"profile", "export", "work"}, "", &action.ByID{ID: "work"}},
	{"profile.import", []string{"profile", "import", "work", "-", "--from", "netscape", "--allow", "a.example"}, "", &action.ProfileImport{ID: "work", Format: "netscape", Allow: []string{"a.example"}, File: []byte(givenInput)}},
	{"page.goto", []string{"goto", "example.com", "--wait-until", "networkidle", "--timeout", "2s", "-s", "n"}, "n",
		&action.Goto{URL: "example.com", WaitUntil: "networkidle", Timing: action.Timing{Timeout: 2000}}},
	{"page.back", []string{"back"}, "", &action.None{}},
	{"page.forward", []string{"forward"}, "", &action.None{}},
	{"page.reload", []string{"reload", "--ignore-cache"}, "", &action.Reload{IgnoreCache: true}},
	{"page.click", []string{"click", "@e12", "--button", "right", "--count", "2", "--modifier", "Shift"}, "",
		&action.Click{Locator: action.Locator{Ref: "@e12"}, Button: "right", ClickCount: 2, Modifiers: []string{"Shift"}}},
	{"page.click", []string{"click", "e12x"}, "", &action.Click{Locator: action.Locator{Selector: "e12x"}}},
	{"page.click", []string{"click", "--role", "button", "--name", "Save", "--index", "0", "--strict"}, "",
		&action.Click{Locator: action.Locator{Role: "button", Name: "Save", Index: ptr(0), Strict: true}}},
	{"page.type", []string{"type", "e4", "--submit", "--clear", "--delay", "20ms", "--", "-dashed"}, "",
		&action.Type{Locator: action.Locator{Ref: "e4"}, Input: "-dashed", Submit: true, Clear: true, Delay: 20}},
	{"page.type", []string{"type", "e5", "--ask"}, "", &action.Type{Locator: action.Locator{Ref: "e5"}, Input: "url: https://a.example/"}},
	{"page.press", []string{"press", "Control+a", "e4"}, "", &action.Press{Locator: action.Locator{Ref: "e4"}, Key: "Control+a"}},
	{"page.select", []string{"select", "#c", "red", "green"}, "", &action.Select{Locator: action.Locator{Selector: "#c"}, Values: []string{"red", "green"}}},
	{"page.hover", []string{"hover", "--text", "More"}, "", &action.Hover{Locator: action.Locator{Text: "More"}}},
	{"page.click", []string{"click", "--at", "10.5,20"}, "", &action.Click{Locator: action.Locator{X: ptr(10.5), Y: ptr(20.0)}}},
	{"page.type", []string{"type", "--at", "1,2", "words"}, "", &action.Type{Locator: action.Locator{X: ptr(1.0), Y: ptr(2.0)}, Input: "words"}},
	{"page.scroll", []string{"scroll", "--at", "1,2", "--y", "30"}, "", &action.Scroll{Y: 30, AtX: ptr(1.0), AtY: ptr(2.0)}},
	{"page.drag", []string{"drag", "e4", "#done", "--drop-at", "5,6", "--timeout", "2s"}, "",
		&action.Drag{From: action.Locator{Ref: "e4"}, To: action.Locator{Selector: "#done"}, X: ptr(5.0), Y: ptr(6.0), Timing: action.Timing{Timeout: 2000}}},
	{"page.drag", []string{"drag", "text=First task", "100,340"}, "",
		&action.Drag{From: action.Locator{Text: "First task"}, To: action.Locator{X: ptr(100.0), Y: ptr(340.0)}}},
	{"page.fill_secret", []string{"fill-secret", "e4", "totp", "--domain", "a.example", "--timeout", "2s"}, "",
		&action.FillSecret{Locator: action.Locator{Ref: "e4"}, Secret: "totp", Domain: "a.example", Timing: action.Timing{Timeout: 2000}}},
	{"page.fill_secret", []string{"fill-secret", "--role", "textbox", "--name", "User", "username"}, "",
		&action.FillSecret{Locator: action.Locator{Role: "textbox", Name: "User"}, Secret: "username"}},
	{"credential.capture", []string{"vault", "capture", "a.example"}, "", &action.Capture{Domain: "a.example"}},
	{"credential.capture", []string{"vault", "capture", "a.example", "--only", "sid,csrf", "--without", "localStorage,sessionStorage", "--merge", "--expires", "2090-01-01T00:00:00Z"}, "",
		&action.Capture{Domain: "a.example", Only: []string{"sid", "csrf"}, LocalStorage: ptr(false), SessionStorage: ptr(false), Mode: "merge", Expires: "2090-01-01T00:00:00Z"}},
	{"page.resize", []string{"resize", "800", "600"}, "", &action.Resize{Width: 800, Height: 600}},
	{"page.click", []string{"click", "e4", "--check"}, "", &action.Click{Locator: action.Locator{Ref: "e4"}, Checked: ptr(true)}},
	{"page.click", []string{"click", "e4", "--uncheck"}, "", &action.Click{Locator: action.Locator{Ref: "e4"}, Checked: ptr(false)}},
	{"page.batch", []string{"batch", "steps.yaml", "-s", "n"}, "n",
		&action.Batch{Steps: []action.Step{{Verb: "page.click", Args: &action.Click{Locator: action.Locator{Ref: "e4"}}}, {Verb: "page.back", Args: &action.None{}}}}},
	{"page.scroll", []string{"scroll", "--y", "-600"}, "", &action.Scroll{Y: -600}},
	{"page.dialog", []string{"dialog", "accept", "--text", "Ada"}, "", &action.AnswerDialog{Accept: true, Prompt: "Ada"}},
	{"page.wait_for", []string{"wait", "#done", "--state", "visible", "--timeout", "0s"}, "",
		&action.WaitFor{Locator: action.Locator{Selector: "#done"}, State: "visible", Timeout: ptr(0)}},
	{"page.extract", []string{"extract", "title"}, "", &action.Extract{Mode: "title"}},
	{"page.snapshot", []string{"snapshot", "--ref", "e3", "--depth", "4", "--urls"}, "", &action.TakeSnapshot{Ref: "e3", Depth: 4, URLs: true}},
	{"page.snapshot", []string{"snapshot", "--max-tokens", "900", "--offset", "17", "--interactive", "--viewport"}, "", &action.TakeSnapshot{MaxTokens: 900, Offset: 17, Interactive: true, Viewport: true}},
	{"page.screenshot", []string{"screenshot", "--format", "webp", "--quality", "50", "--full-page"}, "",
		&action.TakeScreenshot{Format: "webp", Quality: 50, FullPage: true}},
	{"page.click", []string{"click", "text=Read more"}, "", &action.Click{Locator: action.Locator{Text: "Read more"}}},
	{"page.hover", []string{"hover", "10,20.5"}, "", &action.Hover{Locator: action.Locator{X: ptr(10.0), Y: ptr(20.5)}}},
	{"page.dialog", []string{"dialog", "accept", "Ada"}, "", &action.AnswerDialog{Accept: true, Prompt: "Ada"}},
	{"page.wait_for", []string{"wait", "--url", "/done"}, "", &action.WaitFor{URL: "/done", Timeout: ptr(5000)}},
	{"page.find", []string{"find", "--text", "total"}, "", &action.Find{Text: "total"}},
	{"page.snapshot", []string{"snapshot", "e12"}, "", &action.TakeSnapshot{Ref: "e12"}},
	{"page.screenshot", []string{"screenshot", "e12"}, "", &action.TakeScreenshot{Ref: "e12"}},
	{"page.screenshot", []string{"screenshot", "#chart"}, "", &action.TakeScreenshot{Selector: "#chart"}},
	{"policy.explain", []string{"policy", "explain", "browser_click", "target=e12"}, "", &action.PolicyQuery{Verb: "browser_click", Args: []byte(`{"target":"e12"}`), Role: action.Agent}},
	{"policy.explain", []string{"policy", "explain", "page.goto", "--url", "https://bank.example/"}, "", &action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url":"https://bank.example/"}`), Role: action.Agent}},
	{"page.screenshot", []string{"screenshot", "--labels"}, "", &action.TakeScreenshot{Labels: true}},
	{"page.content", []string{"content", "main"}, "", &action.Content{Selector: "main"}},
	{"page.markdown", []string{"markdown", "--full", "--images"}, "", &action.Markdown{Full: true, Images: true}},
	{"page.markdown", []string{"markdown", "--max-tokens", "900", "--offset", "7"}, "", &action.Markdown{Paging: action.Paging{MaxTokens: 900, Offset: 7}}},
	{"page.extract", []string{"extract", "--max-tokens", "900", "--offset", "7"}, "", &action.Extract{Paging: action.Paging{MaxTokens: 900, Offset: 7}}},
	{"page.links", []string{"links", "-s", "n"}, "n", &action.None{}},
	{"page.scrape", []string{"scrape", "title=h1", "pictures=a[x=y] img@src", "--from", "a.example", "--timeout", "2s"}, "",
		&action.Scrape{Selectors: map[string]string{"title": "h1", "pictures": "a[x=y] img@src"}, URL: "a.example", Timing: action.Timing{Timeout: 2000}}},
	{"page.crawl", []string{"crawl", "a.example", "--max-pages", "5", "--allow", "a.example,*.b.example", "--extract", "text", "--sitemap", "--delay", "300", "--timeout", "3s"}, "",
		&action.Crawl{URL: "a.example", MaxPages: 5, MaxDepth: new(2), AllowedDomains: []string{"a.example", "*.b.example"}, Extract: "text", Sitemap: true, Delay: new(300), Timeout: 3000}},
	{"page.execute", []string{"execute", "--await", "fetch('/x')"}, "", &action.Execute{Expression: "fetch('/x')", AwaitPromise: true}},
	{"page.pdf", []string{"pdf", "--format", "letter", "--landscape", "--print-background", "--scale", "0.5"}, "",
		&action.PrintPDF{Format: "letter", Landscape: true, PrintBackground: true, Scale: 0.5}},
	{"cookie.list", []string{"cookies", "list", "https://a.example/x"}, "", &action.CookieList{URL: "https://a.example/x"}},
	{"cookie.set", []string{"cookies", "set", "a=b=c", "--domain", ".a.example", "--path", "/x", "--secure", "--http-only", "--same-site", "Lax", "-s", "n"}, "n",
		&action.CookieSet{Cookies: []action.NewCookie{{Name: "a", Value: ptr("b=c"), Domain: ".a.example", Path: "/x", Secure: true, HTTPOnly: true, SameSite: "Lax"}}}},
	{"cookie.delete", []string{"cookies", "delete", "--name", "a", "--domain", "a.example"}, "",
		&action.CookieDelete{Name: ptr("a"), Domain: ptr("a.example")}},
	{"cookie.delete", []string{"cookies", "delete", "--all"}, "", &action.CookieDelete{}},
	{"page.upload", []string{"upload", "#f", "--artifact", "a1,a2"}, "", &action.Upload{Locator: action.Locator{Selector: "#f"}, Paths: []string{"a1", "a2"}}},
	{"page.upload", []string{"upload", "#f", "--clear"}, "", &action.Upload{Locator: action.Locator{Selector: "#f"}, Clear: true}},
	{"download.list", []string{"downloads", "list", "--wait", "2s"}, "", &action.DownloadList{Wait: 2000}},
	{"download.get", []string{"downloads", "get", "d1"}, "", &action.ByID{ID: "d1"}},
	{"download.read", []string{"downloads", "read", "d1", "--max-tokens", "900", "--offset", "7"}, "", &action.DownloadRead{ByID: action.ByID{ID: "d1"}, MaxTokens: 900, Offset: 7}},
	{"download.cancel", []string{"downloads", "cancel", "d1", "-s", "n"}, "n", &action.ByID{ID: "d1"}},
	{"tab.list", []string{"tabs", "list"}, "", &action.None{}},
	{"tab.open", []string{"tabs", "open", "example.com", "-s", "n"}, "n", &action.OpenTab{URL: "example.com"}},
	{"tab.open", []string{"tabs", "open"}, "", &action.OpenTab{}},
	{"desktop.screenshot", []string{"desktop", "screenshot", "--format", "jpeg", "--quality", "60", "--scale", "0.5", "--cursor"}, "", &action.DesktopShot{Format: "jpeg", Quality: 60, Scale: 0.5, ShowCursor: true}},
	{"desktop.screenshot_region", []string{"desktop", "screenshot", "--region", "1,2,30,40"}, "", &action.DesktopRegion{X: 1, Y: 2, Width: 30, Height: 40}},
	{"desktop.pointer", []string{"desktop", "mouse", "position"}, "", &action.None{}},
	{"desktop.display", []string{"desktop", "display"}, "", &action.None{}},
	{"desktop.windows", []string{"desktop", "windows", "list"}, "", &action.None{}},
	{"desktop.window_focused", []string{"desktop", "windows", "focused"}, "", &action.None{}},
	{"desktop.window_focus", []string{"desktop", "windows", "focus", "7"}, "", &action.ByID{ID: "7"}},
	{"desktop.window_move", []string{"desktop", "windows", "move", "7", "--", "-5", "40"}, "", &action.MoveWindow{ByID: action.ByID{ID: "7"}, X: -5, Y: 40}},
	{"desktop.window_resize", []string{"desktop", "windows", "resize", "7", "800", "600"}, "", &action.ResizeWindow{ByID: action.ByID{ID: "7"}, Width: 800, Height: 600}},
	{"desktop.clipboard", []string{"desktop", "clipboard", "get", "--selection", "primary"}, "", &action.ReadClipboard{Selection: "primary"}},
	{"desktop.clipboard_set", []string{"desktop", "clipboard", "set", "--selection", "both", "Ada"}, "", &action.WriteClipboard{Text: "Ada", Selection: "both"}},
	{"desktop.mouse_move", []string{"desktop", "mouse", "move", "3", "4"}, "", &action.MouseMove{X: 3, Y: 4}},
	{"desktop.mouse_click", []string{"desktop", "mouse", "click", "3", "4", "--button", "right", "--count", "2"}, "", &action.MouseClick{MouseMove: action.MouseMove{X: 3, Y: 4}, Button: "right", ClickCount: 2}},
	{"desktop.mouse_down", []string{"desktop", "mouse", "down", "3", "4"}, "", &action.MouseButton{X: new(3), Y: new(4)}},
	{"desktop.mouse_up", []string{"desktop", "mouse", "up", "--button", "middle"}, "", &action.MouseButton{Button: "middle"}},
	{"desktop.mouse_drag", []string{"desktop", "mouse", "drag", "1", "2", "3", "4"}, "", &action.MouseDrag{StartX: 1, StartY: 2, EndX: 3, EndY: 4}},
	{"desktop.mouse_scroll", []string{"desktop", "mouse", "scroll", "3", "4", "--down=-2", "--right", "1"}, "", &action.MouseScroll{MouseMove: action.MouseMove{X: 3, Y: 4}, DeltaX: 1, DeltaY: -2}},
	{"desktop.key_type", []string{"desktop", "keyboard", "type", "Ada", "--delay", "5"}, "", &action.KeyType{Text: "Ada", DelayMs: 5}},
	{"desktop.key_press", []string{"desktop", "keyboard", "press", "a", "--ctrl", "--cmd"}, "", &action.KeyPress{Key: "a", Modifiers: action.KeyModifiers{Ctrl: true, Cmd: true}}},
	{"desktop.key_down", []string{"desktop", "keyboard", "down", "Shift"}, "", &action.KeyHold{Key: "Shift"}},
	{"desktop.key_up", []string{"desktop", "keyboard", "up", "Shift"}, "", &action.KeyHold{Key: "Shift"}},
	{"tab.activate", []string{"tabs", "activate", "T1"}, "", &action.ByID{ID: "T1"}},
	{"tab.close", []string{"tabs", "close", "T1"}, "", &action.ByID{ID: "T1"}},
	{"page.console", []string{"console", "--level", "error", "-n", "5", "--clear"}, "", &action.ReadConsole{Level: "error", Limit: 5, Clear: true}},
	{"page.network", []string{"network", "--headers", "--clear"}, "", &action.ReadNetwork{Headers: true, Clear: true}},
	{"page.network", []string{"network", "/api/", "-n", "5"}, "", &action.ReadNetwork{Limit: 5, Pattern: "/api/"}},
	{"page.har", []string{"har", "--headers", "-s", "n"}, "n", &action.ExportHAR{Headers: true}},
	{"page.find", []string{"find", "total", "--regex", "[0-9]", "--role", "button", "--name", "Save", "--in", "main", "-n", "5", "--context", "9"}, "",
		&action.Find{Text: "total", Regex: "[0-9]", Role: "button", Name: "Save", Selector: "main", Limit: 5, Context: 9}},
	{"run.start", []string{"run", "-"}, "", &action.RunStart{URL: "https://a.example/", DomainAllowlist: []string{"a.example"}, Actions: []action.RunAction{{Type: "go_back"}}, Timeout: new(500)}},
	{"run.list", []string{"runs", "list", "--state", "paused", "--limit", "5"}, "", &action.RunList{State: "paused", Limit: 5}},
	{"run.show", []string{"runs", "show", "r1", "--wait", "9"}, "", &action.RunShow{ID: "r1", Wait: 9}},
	{"run.cancel", []string{"runs", "cancel", "r1"}, "", &action.ByID{ID: "r1"}},
	{"run.resume", []string{"runs", "resume", "r1", "--guidance", "go on"}, "", &action.RunResume{ID: "r1", Guidance: "go on"}},
	{"session.replay", []string{"session", "replay", "n"}, "n", &action.SessionReplay{Limit: 1000}},
	{"artifact.list", []string{"artifacts", "list", "n"}, "n", &action.None{}},
	{"artifact.get", []string{"artifacts", "get", "a1"}, "", &action.ByID{ID: "a1"}},
	{"approval.list", []string{"approvals", "list", "--state", "all"}, "", &action.ApprovalList{State: "all"}},
	{"approval.list", []string{"approvals", "watch"}, "", &action.ApprovalList{}},
	{"approval.show", []string{"approvals", "show", "q1"}, "", &action.ByID{ID: "q1"}},
	{"approval.answer", []string{"approvals", "approve", "q1", "--reason", "why", "--for-session"}, "",
		&action.Answer{ID: "q1", Approve: true, Reason: "why", ForSession: true}},
	{"approval.answer", []string{"approvals", "deny", "q1"}, "", &action.Answer{ID: "q1"}},
	{"grant.list", []string{"approvals", "grants", "-s", "n"}, "n", &action.None{}},
	{"grant.revoke", []string{"approvals", "revoke", "q1", "-s", "n"}, "n", &action.ByID{ID: "q1"}},
	{"events.follow", []string{"events", "--kind", "question,alert"}, "", &action.FollowEvents{Kinds: "question,alert"}},
	{"audit.query", []string{"audit", "tail", "-n", "5", "--actor", "ann", "--verb", "page.goto", "-s", "n"}, "",
		&action.AuditQuery{AuditFilter: action.AuditFilter{Session: "n", Actor: "ann", Verb: "page.goto"}, Limit: 5}},
	{"audit.query", []string{"audit", "query", "--event", "outcome", "--domain", "a.example", "--risk", "HIGH", "--decision", "denied", "--result", "fault", "--before", "9", "--unscoped"}, "",
		&action.AuditQuery{AuditFilter: action.AuditFilter{Event: "outcome", Domain: "a.example", Risk: "HIGH", Decision: "denied", Result: "fault", Unscoped: true}, Before: 9, Limit: 100}},
	{"audit.export", []string{"audit", "export", "--format", "csv", "--from", "2026-01-01T00:00:00Z"}, "",
		&action.AuditExport{AuditFilter: action.AuditFilter{From: "2026-01-01T00:00:00Z"}, Format: "csv"}},
	{"audit.verify", []string{"audit", "verify"}, "", &action.None{}},
	{"token.create", []string{"token", "create", "--name", "ci", "--role", "agent", "--scope", "team", "--expires", "720h"}, "",
		&action.TokenCreate{Name: "ci", Role: action.Agent, Scope: "team", ExpiresIn: 2_592_000}},
	{"credential.check", []string{"vault", "check", "app.example.com"}, "", &action.CredentialQuery{Domain: "app.example.com"}},
	{"token.list", []string{"token", "list", "--all"}, "", &action.TokenList{All: true}},
	{"token.revoke", []string{"token", "revoke", "ci", "--scope", "team", "--force"}, "", &action.TokenRevoke{ID: "ci", Scope: "team", Force: true}},
	{"token.whoami", []string{"whoami"}, "", &action.None{}},
	{"policy.show", []string{"policy", "show"}, "", &action.None{}},
	{"policy.explain", []string{"policy", "explain", "page.type", "ref=e1", "text=12", "submit=true", "--role", "viewer", "--host", "a.example", "--element-name", "Save", "--element-form-action", "/x", "--onto-submits"}, "",
		&action.PolicyQuery{Verb: "page.type", Args: []byte(`{"ref":"e1","submit":true,"text":"12"}`), Role: action.Viewer, PageURL: "https://a.example/",
			Element: action.PolicyElement{Name: "Save", FormAction: "/x"}, Onto: action.PolicyElement{Submits: true}}},
	{"policy.explain", []string{"policy", "explain", "page.click", "ref=e1", "-s", "n"}, "",
		&action.PolicyQuery{Verb: "page.click", Args: []byte(`{"ref":"e1"}`), Role: action.Agent, Session: "n"}},
	{"policy.explain", []string{"policy", "explain", "page.select", "values=a,b", "--option", "A,B"}, "",
		&action.PolicyQuery{Verb: "page.select", Args: []byte(`{"values":["a","b"]}`), Role: action.Agent, Options: []string{"A", "B"}}},
	{"policy.explain", []string{"policy", "explain", "page.goto", `{"url":"x"}`}, "", &action.PolicyQuery{Verb: "page.goto", Args: []byte(`{"url":"x"}`), Role: action.Agent}},
}

func init() { // commands that follow from their verbs
	for _, v := range action.Offered() {
		if call, names := v.OnElement(action.Locator{Ref: "e3"}); names && v.Done != "" {
			commands = append(commands, command{v.Name, []string{v.Command, "e3"}, "", call})
		}
	}
}

func TestEveryVerbWithACommandIsTested(t *testing.T) {
	for _, verb := range action.Verbs {
		walked := slices.ContainsFunc(commands, func(c command) bool { return c.verb == verb.Name })
		if verb.Command != "" && !walked {
			t.Errorf("no line runs %s (glovebox %s)", verb.Name, verb.Command)
		}
	}
}

// TestEveryCommandMakesItsCallAndReportsFaults runs every command with a gate
// that refuses: it makes exactly its call, and reports the fault to the user and
// by the exit status.
func TestEveryCommandMakesItsCallAndReportsFaults(t *testing.T) {
	codes := fault.Codes()
	slices.Sort(codes)
	next := 0
	d := &fakeGate{}
	r := newRig(t, d)
	r.in = givenInput
	if err := os.WriteFile("steps.yaml", []byte("steps: [{verb: page.click, args: {ref: e4}}, {verb: page.back}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		code := codes[next%len(codes)]
		next++
		d.answer = func(action.Call) (action.Result, error) {
			return action.Result{}, fault.New(code, "the gate\x1b[31m says no").Hinted("do \u202esomething else")
		}
		out, complaint, status := r.run(c.line...)
		if status != code.Info().Exit || complaint != "error: the gate[31m says no\n hint: do something else\n" {
			t.Errorf("%v: status %d, want %d for %s:\n%s", c.line, status, code.Info().Exit, code, complaint)
		}
		if c.line[len(c.line)-1] != "watch" && out != "" {
			t.Errorf("%v printed %q", c.line, out)
		}
		calls := d.taken()
		if len(calls) != 1 || calls[0].Verb != c.verb || calls[0].Session != c.session || calls[0].Surface != "cli" {
			t.Fatalf("%v became %+v", c.line, calls)
		}
		if !reflect.DeepEqual(calls[0].Args, c.args) {
			t.Errorf("%v became %+v, want %+v", c.line, calls[0].Args, c.args)
		}
	}
}

// TestEveryFaultHasItsExitStatus tests every code, in JSON.
func TestEveryFaultHasItsExitStatus(t *testing.T) {
	d := &fakeGate{}
	r := newRig(t, d)
	for _, code := range fault.Codes() {
		d.answer = func(action.Call) (action.Result, error) {
			return action.Result{}, fault.New(code, "no").Hinted("wait").With("rule", "r1")
		}
		out, complaint, status := r.run("back", "--json")
		var got struct {
			Error fault.Fault `json:"error"`
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%s: %v\n%s", code, err, out)
		}
		if status != code.Info().Exit || status == 0 || complaint != "" || got.Error.Code != code || got.Error.Message != "no" ||
			got.Error.Hint != "wait" || got.Error.Details["rule"] != "r1" {
			t.Errorf("%s: status %d, %s%s", code, status, out, complaint)
		}
	}
}

func TestInvalidCommandLinesMakeNoCall(t *testing.T) {
	d := &fakeGate{answer: func(action.Call) (action.Result, error) { return action.Result{}, nil }}
	r := newRig(t, d)
	for _, line := range [][]string{
		{"no-such-command"}, {"goto"}, {"goto", "a", "b"}, {"click", "--no-such-flag"}, {"click", "a", "b"}, {"type", "e4"},
		{"type"}, {"type", "text=Name", "Ada"}, {"dialog", "dismiss", "Ada"}, {"find", "a", "--text", "b"}, {"screenshot", "page.png"}, {"snapshot", "#a"}, {"select", "#c"}, {"press"}, {"dialog"}, {"dialog", "perhaps"}, {"back", "now"}, {"approvals", "approve"},
		{"approvals", "deny", "q1", "--for-session"}, {"artifacts", "get"}, {"audit", "verify", "now"}, {"wait", "--timeout", "soon"},
		{"session", "start", "--width", "wide"}, {"session", "show", "a", "b"}, {"cookies", "set"}, {"cookies", "set", "a"}, {"cookies", "set", "a=b", "--file", "x"}, {"cookies", "set", "--file", "no-such-file"},
		{"cookies", "delete"}, {"cookies", "delete", "--all", "--name", "a"}, {"cookies", "delete", "--name", ""},
		{"install", "kitchen"}, {"install", "browser", "now"}, {"install", "browser", "--package-manager", "pip"},
		{"smoke"}, {"version", "now"}, {"config", "check", "x", "y"}, {"profile", "export"}, {"profile", "import", "work"}, {"profile", "import", "work", "no-such-file"},
		{"policy", "explain"}, {"policy", "explain", "page.click", "e1"}, {"policy", "explain", "page.click", "{"}, {"policy", "explain", "page.click", "--offline", "-s", "n"},
	} {
		out, complaint, status := r.run(line...)
		if status != 2 || !strings.HasPrefix(complaint, "error: ") || out != "" {
			t.Errorf("%v: status %d\n%s%s", line, status, out, complaint)
		}
		if calls := d.taken(); len(calls) != 0 {
			t.Errorf("%v called %+v", line, calls)
		}
	}
}

// hostile is text of a page with control sequences for a terminal.
const hostile = "a\x1b]0;owned\x07b\x1b[2Jc\u202ed\u200be\u009bf\rg"

// harmless reports whether text is safe for a terminal.
func harmless(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
	})
}

func TestTextOfPagesIsSanitizedForTheTerminal(t *testing.T) {
	d := &fakeGate{answer: answerHostile}
	r := newRig(t, d)
	for _, c := range commands {
		if c.line[len(c.line)-1] == "watch" { // watch waits for a person
			continue
		}
		out, complaint, status := r.run(c.line...)
		if !harmless(out) || !harmless(complaint) {
			t.Errorf("%v: status %d\n%q\n%q", c.line, status, out, complaint)
		}
		if status == 0 && out == "" {
			t.Errorf("%v printed nothing", c.line)
		}
		out, _, status = r.run(append(slices.Clone(c.line[:len(c.line):len(c.line)]), "--json")...)
		if c.line[len(c.line)-1] == "-dashed" {
			continue // after -- everything is text
		}
		var any map[string]any
		if status == 0 && (json.NewDecoder(strings.NewReader(out)).Decode(&any) != nil || !harmless(out)) {
			t.Errorf("%v --json printed %q", c.line, out)
		}
	}
	if out, _, status := r.run("doctor"); status != 8 || !harmless(out) || !strings.Contains(out, "repair: glovebox image build") {
		t.Errorf("doctor: %d %q", status, out)
	}
}

// answerHostile answers every verb with hostile text in every field.
func answerHostile(c action.Call) (action.Result, error) {
	result := action.Result{
		Page: &action.Page{URL: "http://" + hostile, Title: hostile}, Notes: []string{hostile},
		Modal: &action.Dialog{Kind: hostile, Message: hostile, Default: hostile},
	}
	verb, _ := action.Lookup(c.Verb)
	data := verb.NewData()
	fill(reflect.ValueOf(data).Elem(), 0)
	if verdict, ok := data.(*action.AuditVerdict); ok {
		verdict.OK = false
	}
	if file, ok := data.(*action.File); ok {
		file.Name = "file.bin"
	}
	if shot, ok := data.(*action.Screenshot); ok {
		shot.Format = "png"
	}
	result.Data = data
	return result, nil
}

// fill sets every string below v to hostile text and gives every list one
// entry.
func fill(v reflect.Value, depth int) {
	if depth > 6 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(f, depth+1)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	}
}
