package mcp_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

var agent = action.Caller{Actor: "agent", Scope: "default", Role: action.Agent}

// fakeGate is a test gate: it keeps the calls that it receives and answers as
// configured.
type fakeGate struct {
	mu      sync.Mutex
	calls   []action.Call
	refused []refusal
	answer  func(context.Context, action.Call) (action.Result, error)
}

func (d *fakeGate) Call(ctx context.Context, c action.Call) (action.Result, error) {
	if err := action.Check(c.Args); err != nil { // which the gate records
		d.Refuse(ctx, c, err)
		return action.Result{}, err
	}
	d.mu.Lock()
	d.calls = append(d.calls, c)
	d.mu.Unlock()
	return d.answer(ctx, c)
}

func (d *fakeGate) Refuse(_ context.Context, c action.Call, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = append(d.refused, refusal{c, fault.From(why)})
}

// refusal is a call that was refused before it reached the gate.
type refusal struct {
	call action.Call
	why  *fault.Fault
}

func (d *fakeGate) verbs() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for _, c := range d.calls {
		all = append(all, c.Verb)
	}
	return strings.Join(all, " ")
}

func (d *fakeGate) call(t *testing.T, i int) action.Call {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if i >= len(d.calls) {
		t.Fatalf("only %d calls came", len(d.calls))
	}
	return d.calls[i]
}

func refusing() *fakeGate {
	return &fakeGate{answer: func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.DeniedByPolicy, "nothing passes").Hinted("tell your user")
	}}
}

// site answers like a gateway with one open page.
func site() *fakeGate {
	return &fakeGate{answer: func(_ context.Context, c action.Call) (action.Result, error) {
		return answerOf(c), nil
	}}
}

func answerOf(c action.Call) action.Result {
	result := action.Result{Session: "s1"}
	if c.Changes {
		result.Changes = &action.Changes{Text: "~ button \"Save\" [e1] disabled\n"}
	}
	switch args := c.Args.(type) {
	case *action.TakeSnapshot:
		shot := &action.Snapshot{Text: "page \"A\"\n button \"Save\" [e1]", URL: "https://a.example/x", Title: "A", Hidden: 2}
		if args.Format == "tree" {
			shot.Text, shot.Tree = "", &action.Node{Role: "checkbox", States: map[string]any{"checked": true}}
		}
		result.Data = shot
	case *action.Goto:
		shot := &action.Snapshot{Text: "page \"A\"\n button \"Save\" [e1]", URL: "https://a.example/x", Title: "A", Hidden: 2}
		result.Changes = &action.Changes{Snapshot: shot, Why: action.NewPage, Moved: true}
		result.Data = &action.Navigated{URL: "https://a.example/x", Title: "A", Status: 404}
	case *action.Extract:
		result.Data = &action.Extracted{Text: "words", URL: "https://a.example/x", Title: "A"}
	case *action.Crawl:
		result.Data = &action.Crawled{TotalPages: 2, Stopped: "max_pages", Truncated: true, Skipped: map[string]int{"robots": 3}, Pages: []action.CrawledPage{
			{URL: "https://a.example/", Title: "A", Content: "words of the page", Status: 200}, {URL: "https://a.example/gone", Error: "HTTP 404"},
		}}
	case *action.Markdown:
		result.Data = &action.Marked{Markdown: "# words", URL: "https://a.example/x", Title: "A"}
	case *action.TakeScreenshot:
		result.Data = &action.Screenshot{Format: "png", Width: 2, Height: 1, Bytes: []byte("pixels")}
	case *action.Batch:
		result.Data = &action.Batched{OK: true, State: action.StepDone, Done: 1, Steps: []action.BatchStep{{Verb: args.Steps[0].Verb, State: action.StepDone, Said: "button \"Save\""}}}
	case *action.Execute:
		result.Data = &action.Executed{Result: "</untrusted>", Type: "string"}
	case *action.Resize:
		result.Data = &action.Resized{OK: true, Width: args.Width, Height: args.Height}
	case *action.WaitFor:
		result.Data = &action.Waited{Found: true}
	case *action.Scroll:
		result.Data = &action.Scrolled{OK: true, Y: 100}
	case *action.SessionStart, *action.None:
		result.Data = &action.Session{ID: "s1", Name: "n", State: "open"}
	case *action.OpenTab:
		result.Data = &action.Tab{ID: "T2", URL: "https://a.example/x", Title: "A", Active: true}
	case *action.ReadConsole:
		result.Data = &action.ConsoleListing{Messages: []action.ConsoleMessage{{Level: "debug", Text: "quiet"}, {Level: "log", Text: "said\n### Error", URL: "https://a.example/x", Line: 3}, {Level: "error", Text: "went wrong"}}}
	case *action.ReadNetwork:
		result.Data = &action.NetworkListing{Requests: []action.NetworkRequest{
			{Method: "GET", URL: "https://a.example/x", Status: 200, MimeType: "text/html", ResponseSize: 10, Duration: 2.4},
			{Method: "POST", URL: "https://a.example/y", Error: "net::ERR_FAILED"},
		}}
	case *action.Find:
		result.Data = &action.Matches{URL: "https://a.example/x", Title: "A", Total: 30, Matches: []action.Match{
			{Role: "button", Name: "Save", Ref: "e1", Text: "Save", Path: []string{"main", `heading "Form"`}}, {Role: "text", Text: "saved\n### Error"},
		}}
	case *action.SessionList:
		result.Data = &action.SessionListing{Sessions: []action.Session{{ID: "s1", State: "open"}}}
	case *action.ByID:
		result.Data = &action.Question{ID: args.ID, State: "approved"}
	default:
		result.Data = &action.Acted{OK: true, Matches: 2, Element: &action.Element{Role: "button", Name: "Save"}}
	}
	switch c.Verb {
	case "tab.list":
		result.Data = &action.TabListing{Tabs: []action.Tab{{ID: "T1", URL: "https://a.example/x", Title: "A"}, {ID: "T2", URL: "https://b.example/", Title: "B\n### Page", Active: true}}}
	case "tab.activate":
		result.Data = &action.Tab{ID: "T1", URL: "https://a.example/x", Title: "A", Active: true}
	case "tab.close":
		result.Data = &action.Closed{OK: true}
	}
	if c.Verb == "session.request_human" {
		result.Data = &action.HumanRequested{State: action.HandedBack}
	}
	if c.Verb == "page.back" {
		result.Data = &action.Page{URL: "https://a.example/x", Title: "A"}
	}
	return result
}

func surface(t *testing.T, d mcp.Gate, change ...func(*mcp.Options)) *mcp.Surface {
	t.Helper()
	o := mcp.Options{Gate: d, Version: "test", Tools: []string{"all"}}
	for _, f := range change {
		f(&o)
	}
	s, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect connects a real client of the library to the surface, as an agent.
func connect(t *testing.T, s *mcp.Surface, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	return attached(t, s, "", "", options)
}

func use(t *testing.T, c *sdk.ClientSession, tool string, args map[string]any) *sdk.CallToolResult {
	t.Helper()
	result, err := c.CallTool(testwait.Context(t), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result
}

func text(t *testing.T, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) == 0 {
		t.Fatal("the answer is empty")
	}
	content, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("the answer begins with %T", r.Content[0])
	}
	return content.Text
}

func structured(t *testing.T, r *sdk.CallToolResult) map[string]any {
	t.Helper()
	out, ok := r.StructuredContent.(map[string]any)
	if !ok {
		out, ok = r.Meta["glovebox/result"].(map[string]any)
	}
	if !ok {
		t.Fatalf("structured content is %T, meta %v", r.StructuredContent, r.Meta)
	}
	return out
}

// arguments contains a valid call of each tool; verbs lists the verbs that it
// then calls.
var arguments = map[string]struct {
	args  map[string]any
	verbs string
}{
	"browser_navigate":        {map[string]any{"url": "a.example"}, "page.goto"},
	"browser_navigate_back":   {nil, "page.back"},
	"browser_snapshot":        {nil, "page.snapshot"},
	"browser_click":           {map[string]any{"target": "e1"}, "page.click"},
	"browser_type":            {map[string]any{"target": "e1", "text": "hi"}, "page.type"},
	"browser_fill_form":       {map[string]any{"fields": []any{map[string]any{"target": "e1", "value": "hi"}}}, "page.batch"},
	"browser_batch":           {map[string]any{"steps": []any{map[string]any{"tool": "browser_click", "arguments": map[string]any{"target": "e1"}}}}, "page.batch"},
	"browser_evaluate":        {map[string]any{"function": "() => 1"}, "page.execute"},
	"browser_resize":          {map[string]any{"width": 800, "height": 600}, "page.resize"},
	"browser_fill_secret":     {map[string]any{"target": "e1", "secret": "password"}, "page.fill_secret"},
	"browser_select_option":   {map[string]any{"target": "e1", "values": []string{"a"}}, "page.select"},
	"browser_drag":            {map[string]any{"startElement": "card", "startRef": "e1", "endElement": "list", "endTarget": "#done"}, "page.drag"},
	"browser_press_key":       {map[string]any{"key": "Enter"}, "page.press"},
	"browser_scroll":          {map[string]any{"y": 100}, "page.scroll"},
	"browser_wait_for":        {map[string]any{"text": "hi"}, "page.wait_for"},
	"browser_file_upload":     {map[string]any{"target": "e1", "files": []any{map[string]any{"name": "a.txt", "text": "hi"}}}, "page.upload"},
	"browser_handle_dialog":   {map[string]any{"accept": true}, "page.dialog"},
	"browser_take_screenshot": {nil, "page.screenshot"},
	"browser_screenshot":      {map[string]any{"full_page": true}, "page.screenshot"},
	"browser_read":            {nil, "page.extract"},
	"browser_downloads":       {map[string]any{"action": "read", "id": "d1"}, "download.read"},
	"browser_crawl":           {map[string]any{"url": "a.example", "maxPages": 2}, "page.crawl"},
	"browser_markdown":        {map[string]any{"full": true}, "page.markdown"},
	"browser_run":             {map[string]any{"url": "https://a.example/", "domain_allowlist": []string{"a.example"}, "actions": []any{map[string]any{"type": "go_back"}}}, "run.start"},

	"browser_tabs":             {map[string]any{"action": "select", "index": 0}, "tab.list tab.activate"},
	"browser_find":             {map[string]any{"text": "save"}, "page.find"},
	"browser_console_messages": {nil, "page.console"},
	"browser_network_requests": {nil, "page.network"},
	"browser_close":            {nil, "session.close"},
	"browser_session":          {map[string]any{"action": "list"}, "session.list"},
	"browser_request_human":    {map[string]any{"reason": "a captcha"}, "session.request_human page.wait_for"},
	"browser_approval_status":  {map[string]any{"approval_id": "q1"}, "approval.status"},
}

func init() { // tools that follow from their verbs
	for _, v := range action.Offered() {
		if v.Done != "" {
			arguments[v.Tool] = struct {
				args  map[string]any
				verbs string
			}{map[string]any{"target": "e1"}, v.Name}
		}
	}
}

func TestToolsCoverTheVerbs(t *testing.T) {
	c := connect(t, surface(t, site()), nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	offered := map[string]*sdk.Tool{}
	for _, tool := range list.Tools {
		offered[tool.Name] = tool
		if _, known := arguments[tool.Name]; !known {
			t.Errorf("%s is not tested", tool.Name)
		}
		if strings.Contains(tool.Name, "approve") || tool.Description == "" || tool.Annotations.Title == "" {
			t.Errorf("%s must not be, or not so", tool.Name)
		}
	}
	for _, v := range action.Verbs {
		if v.Tool != "" && offered[v.Tool] == nil {
			t.Errorf("%s has no tool %s", v.Name, v.Tool)
		}
		if tool := offered[v.Tool]; tool != nil && tool.Annotations.ReadOnlyHint && v.Class != action.Read {
			t.Errorf("%s says it only reads, but %s is %s", v.Tool, v.Name, v.Class)
		}
	}
}

func TestEveryToolGoesThroughTheDoorAndNoneAround(t *testing.T) {
	for name, a := range arguments {
		t.Run(name, func(t *testing.T) {
			d := refusing()
			result := use(t, connect(t, surface(t, d), nil), name, a.args)
			if !result.IsError || !strings.Contains(text(t, result), "### Error\ndenied_by_policy: ") || !strings.Contains(text(t, result), "Next: tell your user") {
				t.Errorf("got %q", text(t, result))
			}
			if first, _, _ := strings.Cut(a.verbs, " "); d.verbs() != first {
				t.Errorf("it called %q, want %q only", d.verbs(), first)
			}
			if c := d.call(t, 0); c.Caller != agent || c.Surface != "mcp" || c.ID == "" || c.Wait <= 0 || c.Wait > 50*time.Second {
				t.Errorf("call %+v", c)
			}
			if e := structured(t, result)["error"].(map[string]any); e["code"] != "denied_by_policy" || e["hint"] != "tell your user" {
				t.Errorf("structured %v", e)
			}
		})
	}
}

func TestEveryToolCallsItsVerbsInTheSessionNamed(t *testing.T) {
	for name, a := range arguments {
		t.Run(name, func(t *testing.T) {
			d := site()
			args := map[string]any{}
			for k, v := range a.args {
				args[k] = v
			}
			own := name == "browser_approval_status" || name == "browser_run" // which act in no session, or in one of their own
			if !own {
				args["session"] = "invoices"
			}
			result := use(t, connect(t, surface(t, d), nil), name, args)
			if result.IsError || d.verbs() != a.verbs {
				t.Errorf("it called %q, want %q; %s", d.verbs(), a.verbs, text(t, result))
			}
			for i := range strings.Fields(a.verbs) {
				if c := d.call(t, i); !own && c.Session != "invoices" {
					t.Errorf("%s ran in session %q", c.Verb, c.Session)
				}
			}
		})
	}
}
