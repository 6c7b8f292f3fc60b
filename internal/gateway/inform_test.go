package gateway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/surface/relay"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// transports are the ways in which an agent's client connects to the gateway.
var transports = map[string]func(*testing.T, *records) sdk.Transport{
	"streamable HTTP": func(_ *testing.T, r *records) sdk.Transport {
		return &sdk.StreamableClientTransport{Endpoint: r.url + "/mcp", HTTPClient: &http.Client{Transport: bearing(r.tokens[action.Agent])}}
	},
	"standard input": func(t *testing.T, r *records) sdk.Transport { // as glovebox mcp
		toUs, fromThem := io.Pipe()
		toThem, fromUs := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() {
			done <- relay.Run(ctx, relay.Options{
				Gateway: func(context.Context, bool) (*client.Client, []string, error) {
					gateway, err := client.New(r.url, r.tokens[action.Agent])
					return gateway, nil, err
				},
				Tools: []string{"all"}, In: toUs, Out: fromUs,
			})
		}()
		t.Cleanup(func() {
			cancel()
			check(t, <-done)
		})
		return &sdk.IOTransport{Reader: toThem, Writer: fromThem}
	},
}

// person is an MCP client whose user is informed of questions.
type person struct {
	*sdk.ClientSession
	asked chan *sdk.ElicitParams // requests to the client's user
	over  chan string            // questions that have ended
	told  chan string            // progress messages
}

// openingURLs are the capabilities of a client that can open addresses.
var openingURLs = &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{URL: &sdk.URLElicitationCapabilities{}}}

func (r *records) person(t *testing.T, transport sdk.Transport, version string, can *sdk.ClientCapabilities, answer func(context.Context) *sdk.ElicitResult) *person {
	t.Helper()
	p := &person{asked: make(chan *sdk.ElicitParams, 8), over: make(chan string, 8), told: make(chan string, 64)}
	o := &sdk.ClientOptions{
		Capabilities: can,
		ElicitationCompleteHandler: func(_ context.Context, req *sdk.ElicitationCompleteNotificationRequest) {
			p.over <- req.Params.ElicitationID
		},
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) { p.told <- req.Params.Message },
	}
	if answer != nil {
		o.ElicitationHandler = func(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			p.asked <- req.Params
			return answer(ctx), nil
		}
	}
	var err error
	p.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "person", Version: "1"}, o).Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	check(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// click clicks the only button, and returns the result.
func (p *person) click(t *testing.T) <-chan *sdk.CallToolResult {
	t.Helper()
	params := &sdk.CallToolParams{Name: "browser_click", Arguments: map[string]any{"target": "e1"}}
	params.SetProgressToken("p")
	came := make(chan *sdk.CallToolResult, 1)
	go func() {
		result, err := p.CallTool(t.Context(), params)
		if err != nil {
			t.Error(err)
		}
		came <- result
	}()
	return came
}

// question returns the id of the question in the progress message.
func (p *person) question(t *testing.T) string {
	t.Helper()
	for {
		if _, rest, found := strings.Cut(testwait.Receive(t, p.told, "progress"), "question "); found {
			id, _, _ := strings.Cut(rest, ",")
			return id
		}
	}
}

func (r *records) state(t *testing.T, question string) string {
	t.Helper()
	c, err := client.New(r.url, r.tokens[action.Operator])
	check(t, err)
	defer c.Close()
	result, err := c.Call(t.Context(), action.Call{Verb: "approval.show", Args: &action.ByID{ID: question}})
	check(t, err)
	return result.Data.(*action.Question).State
}

func (r *records) approve(t *testing.T, question string) {
	t.Helper()
	c, err := client.New(r.url, r.tokens[action.Operator])
	check(t, err)
	defer c.Close()
	_, err = c.Call(t.Context(), action.Call{Verb: "approval.answer", Args: &action.Answer{ID: question, Approve: true}})
	check(t, err)
}

func overBoth(t *testing.T, f func(t *testing.T, r *records, transport sdk.Transport)) {
	t.Helper()
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			r := openRecords(t)
			r.fakeSessions.button = "Delete invoice"
			f(t, r, transport(t, r))
		})
	}
}

func accepts(context.Context) *sdk.ElicitResult { return &sdk.ElicitResult{Action: "accept"} }

// TestAnAcceptedElicitationApprovesNothing checks that the client informs its
// user that a question waits and where it is answered, and that the client's own
// answer approves nothing.
func TestAnAcceptedElicitationApprovesNothing(t *testing.T) {
	overBoth(t, func(t *testing.T, r *records, transport sdk.Transport) {
		p := r.person(t, transport, "2025-11-25", openingURLs, accepts)
		came := p.click(t)
		asked := testwait.Receive(t, p.asked, "the elicitation")
		id := asked.ElicitationID
		if asked.Mode != "url" || asked.URL != r.url+"/approvals/"+id || asked.RequestedSchema != nil || id == "" ||
			!strings.HasPrefix(asked.Message, "browser_click waits for a person's answer until ") || !strings.Contains(asked.Message, "approves nothing") {
			t.Errorf("asked %+v", asked)
		}
		page, err := http.Get(asked.URL) //nolint:gosec // our own
		check(t, err)
		text, err := io.ReadAll(page.Body)
		_ = page.Body.Close()
		if err != nil || page.StatusCode != http.StatusOK || !strings.Contains(string(text), "glovebox approvals approve "+id) {
			t.Errorf("%s: %d %s", asked.URL, page.StatusCode, text)
		}
		if got := p.question(t); got != id {
			t.Errorf("the progress message has question %s", got)
		}
		list, err := p.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_approval_status", Arguments: map[string]any{"approval_id": id}}) // by now the accept has arrived
		if err != nil || list.IsError || r.state(t, id) != "pending" || r.fakeSessions.clicked() != 0 {
			t.Errorf("%v %+v: the question is %s, clicked %d times", err, list, r.state(t, id), r.fakeSessions.clicked())
		}
		r.approve(t, id)
		if result := testwait.Receive(t, came, "the result"); result == nil || result.IsError || r.fakeSessions.clicked() != 1 {
			t.Errorf("%+v, clicked %d times", result, r.fakeSessions.clicked())
		}
		if got := testwait.Receive(t, p.over, "the word that it is over"); got != id {
			t.Errorf("the ended question is %s", got)
		}
	})
}

// TestAnElicitationWithoutAnAnswerDelaysNothing has a client that does not
// answer, or answers too late.
func TestAnElicitationWithoutAnAnswerDelaysNothing(t *testing.T) {
	overBoth(t, func(t *testing.T, r *records, transport sdk.Transport) {
		late := make(chan struct{})
		p := r.person(t, transport, "2025-11-25", openingURLs, func(context.Context) *sdk.ElicitResult {
			<-late
			return &sdk.ElicitResult{Action: "accept"}
		})
		came := p.click(t)
		r.approve(t, testwait.Receive(t, p.asked, "the elicitation").ElicitationID)
		if result := testwait.Receive(t, came, "the result"); result == nil || result.IsError || r.fakeSessions.clicked() != 1 {
			t.Errorf("%+v, clicked %d times", result, r.fakeSessions.clicked())
		}
		close(late)
		again := p.click(t)
		id := testwait.Receive(t, p.asked, "another elicitation").ElicitationID
		if r.state(t, id) != "pending" {
			t.Error("the answer to one question was used for another")
		}
		r.approve(t, id)
		if result := testwait.Receive(t, again, "the result"); result == nil || result.IsError || r.fakeSessions.clicked() != 2 {
			t.Errorf("%+v, clicked %d times", result, r.fakeSessions.clicked())
		}
	})
}

// TestOnlyClientsThatOpenAddressesAreAsked checks that other clients get no
// elicitation, not even a form, and neither do clients of a protocol revision
// without server requests. They are informed by progress messages.
func TestOnlyClientsThatOpenAddressesAreAsked(t *testing.T) {
	form := &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}}
	for name, with := range map[string]struct {
		version string
		can     *sdk.ClientCapabilities
		answer  func(context.Context) *sdk.ElicitResult
	}{
		"nothing declared": {"2025-11-25", nil, nil},
		"forms":            {"2025-11-25", form, accepts},
		"before addresses": {"2025-06-18", &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{}}, accepts},
		"after requests":   {"2026-07-28", openingURLs, accepts},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, r *records, transport sdk.Transport) {
				p := r.person(t, transport, with.version, with.can, with.answer)
				came := p.click(t)
				r.approve(t, p.question(t))
				if result := testwait.Receive(t, came, "the result"); result == nil || result.IsError || r.fakeSessions.clicked() != 1 {
					t.Errorf("%+v, clicked %d times", result, r.fakeSessions.clicked())
				}
				if len(p.asked) != 0 || len(p.over) != 0 {
					t.Errorf("the client was asked %+v", <-p.asked)
				}
			})
		})
	}
}
