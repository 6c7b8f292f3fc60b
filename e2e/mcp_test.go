package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/demosite"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// agent is an MCP client as agents have one.
type agent struct {
	t *testing.T
	*mcp.ClientSession
}

// stdio starts glovebox mcp and connects to it.
func (g *gateway) stdio(t *testing.T) agent {
	t.Helper()
	command := exec.Command(binary, "mcp", "--tools", "all", "--config", g.config)
	command.Env = append(os.Environ(), g.env...)
	return connect(t, &mcp.CommandTransport{Command: command}, "", nil)
}

// streamable connects over HTTP with a token.
func (g *gateway) streamable(t *testing.T, token, version string) agent {
	t.Helper()
	return connect(t, &mcp.StreamableClientTransport{
		Endpoint: "http://" + g.address + "/mcp?tools=all", HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1,
	}, version, nil)
}

func connect(t *testing.T, transport mcp.Transport, version string, options *mcp.ClientOptions) agent {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, options).
		Connect(testwait.Context(t), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return agent{t, session}
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// use calls a tool and returns its text and its structured content.
func (a agent) use(tool string, args object) (string, *mcp.CallToolResult) {
	a.t.Helper()
	result, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, args, err)
	}
	text := ""
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	return text, result
}

// must calls a tool, which must succeed with an answer that contains want.
func (a agent) must(tool string, args object, want string) string {
	a.t.Helper()
	text, result := a.use(tool, args)
	if result.IsError || !strings.Contains(text, want) {
		a.t.Fatalf("%s %v: want %q, got\n%s", tool, args, want, text)
	}
	return text
}

// refused calls a tool, which must fail with a fault code.
func (a agent) refused(tool string, args object, code string) string {
	a.t.Helper()
	text, result := a.use(tool, args)
	problem, _ := result.StructuredContent.(object)
	detail, _ := problem["error"].(object)
	if !result.IsError || !strings.HasPrefix(text, "### Error\n"+code+": ") || detail["code"] != code {
		a.t.Errorf("%s %v: want %s, got\n%s\n%v", tool, args, code, text, result.StructuredContent)
	}
	return text
}

func mcpOverStdio(t *testing.T, g *gateway) { agentMainJob(t, g, g.stdio(t)) }

func mcpOverHTTP(t *testing.T, g *gateway) {
	agentMainJob(t, g, g.streamable(t, g.token("agent"), "2026-07-28"))
}

// phasesOverStdio checks the progress that a client of glovebox mcp gets while a
// box is made, with a size that no warm box has.
func phasesOverStdio(t *testing.T, g *gateway) {
	var mu sync.Mutex
	var told []string
	command := exec.Command(binary, "mcp", "--config", g.config)
	command.Env = append(os.Environ(), g.env...)
	a := connect(t, &mcp.CommandTransport{Command: command}, "", &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, note *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, note.Params.Message)
		},
	})
	params := &mcp.CallToolParams{Name: "browser_session", Arguments: object{"action": "start", "width": 801, "height": 601}}
	params.SetProgressToken("p")
	if result, err := a.CallTool(t.Context(), params); err != nil || result.IsError {
		t.Fatalf("%v %+v", err, result)
	}
	testwait.For(t, "the phases to come", func() bool { // the last may be handed on after the answer
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(told, "making the box") && slices.Contains(told, "starting the box")
	})
	a.must("browser_session", object{"action": "archive"}, "archived")
}

// agentMainJob is the main use case of an agent, with the operator at the command
// line.
func agentMainJob(t *testing.T, g *gateway, a agent) {
	a.must("browser_navigate", object{"url": g.site}, "Sign in to Northwind")
	a.refused("browser_type", object{"role": "textbox", "name": "Password", "text": "northwind-demo"}, "denied_by_policy")
	a.must("browser_click", object{"role": "button", "name": "Continue as demo user"}, "/invoices")
	a.must("browser_navigate", object{"url": g.site + "/invoices/new"}, "Create invoice")
	a.must("browser_fill_form", object{"fields": []object{
		{"role": "textbox", "name": "Customer", "value": "Ada Lovelace & Co"},
		{"role": "textbox", "name": "Billing e-mail", "value": "ada@lovelace.example"},
		{"role": "textbox", "name": "Amount", "value": "1250.00"},
		{"selector": "[name=currency]", "type": "combobox", "value": "GBP"},
	}}, "Ada Lovelace & Co")
	text := a.must("browser_click", object{"role": "button", "name": "Create invoice"}, "Ada Lovelace & Co")
	if strings.Contains(text, demosite.Injection) {
		t.Errorf("hidden text reached the agent:\n%s", text)
	}
	invoice := g.app.Invoices()[0]
	if invoice.Customer != "Ada Lovelace & Co" || invoice.Cents != 125000 || invoice.Currency != "GBP" {
		t.Errorf("the site has %+v", invoice)
	}
	a.refused("browser_navigate", object{"url": demosite.ForbiddenURL}, "blocked_domain")
	agentDeletes(t, g, a, invoice.ID)
	_, picture := a.use("browser_take_screenshot", object{})
	if len(picture.Content) != 2 || !bytes.HasPrefix(picture.Content[1].(*mcp.ImageContent).Data, []byte("\x89PNG")) {
		t.Errorf("no picture: %+v", picture.Content)
	}
	session := picture.Meta["glovebox/result"].(object)["session"].(string)
	a.must("browser_session", object{"action": "archive"}, "archived")
	want := "session.start ok, page.goto ok, page.type fault, page.click ok, page.goto ok, page.batch ok, " +
		"page.type ok, page.type ok, page.type ok, page.select ok, page.click ok, " +
		"page.goto fault, page.click fault, page.click ok, page.screenshot ok, session.archive ok"
	if got := g.verbs(t, session); got != want {
		t.Errorf("the trail has\n%s\nwant\n%s", got, want)
	}
}

// agentDeletes deletes twice: the operator denies it, then approves it.
func agentDeletes(t *testing.T, g *gateway, a agent, invoice string) {
	t.Helper()
	call := object{"role": "button", "name": "Delete invoice"}
	answered := g.answer(t, "deny", "keep it")
	a.refused("browser_click", call, "approval_denied")
	if <-answered; !exists(g.app, invoice) {
		t.Fatal("a denied call was done")
	}
	answered = g.answer(t, "approve", "the customer asked for it")
	a.must("browser_click", call, "/invoices")
	if <-answered; exists(g.app, invoice) {
		t.Error("an approved call was not done")
	}
}

// answer waits for a question about an act and answers it at the command line. The channel
// closes when that is done.
func (g *gateway) answer(t *testing.T, word, reason string) <-chan struct{} {
	t.Helper()
	done := make(chan struct{})
	t.Cleanup(func() { <-done })
	go func() {
		defer close(done)
		id := ""
		for id == "" {
			if !again(t.Context()) {
				return
			}
			list, _, _ := g.command(t, "approvals", "list")
			for line := range strings.SplitSeq(strings.TrimPrefix(list, "APPROVAL"), "\n") {
				if strings.HasPrefix(line, "q") && !strings.Contains(line, "session.allow") { // the agent's hostQuestions are left open
					id, _, _ = strings.Cut(line, " ")
				}
			}
		}
		if out, complaint, status := g.command(t, "approvals", word, id, "--reason", reason); status != 0 {
			t.Errorf("%s: %d\n%s%s", word, status, out, complaint)
		}
	}()
	return done
}

// pickedUp makes a call that does not wait for its question. After the answer,
// the repeated call runs, over any surface, and only once.
func pickedUp(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	session := c.open(`{}`)
	signIn(t, g, c)
	invoice := g.app.Invoices()[0].ID
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/invoices/`+invoice+`"}`).object(http.StatusOK)
	waits := c.post("/v1/browser/click", `{"role": "button", "name": "Delete invoice"}`, "Prefer: wait=0").object(http.StatusAccepted)
	id := waits["approvalId"].(string)
	a := g.streamable(t, g.token("agent"), "2025-11-25")
	a.must("browser_approval_status", object{"approval_id": id}, "has not answered yet")
	if out, complaint, status := g.command(t, "approvals", "approve", id, "--reason", "late"); status != 0 {
		t.Fatalf("status %d\n%s%s", status, out, complaint)
	}
	a.must("browser_approval_status", object{"approval_id": id}, "make the same call again now")
	a.must("browser_click", object{"role": "button", "name": "Delete invoice", "session": session}, "/invoices")
	if exists(g.app, invoice) {
		t.Error("the approved call was not done")
	}
	a.must("browser_approval_status", object{"approval_id": id}, "the request was sent")
	for _, record := range g.trail(t) {
		if record.EventType == "outcome" && record.Action == "page.click" && strings.Contains(record.Detail, id) && record.Result == "ok" {
			if record.HITLDecision != "approved" || record.AnsweredBy == "" || record.Surface != "mcp" {
				t.Errorf("the trail says %+v", record)
			}
			return
		}
	}
	t.Error("the trail does not say which question the click was")
}
