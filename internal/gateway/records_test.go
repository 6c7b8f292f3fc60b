package gateway

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// fakeSessions simulates sessions: one page with one button, and crawls of two
// pages. It counts the steps of crawls and the clicks.
type fakeSessions struct {
	button string // its name; Next if empty

	mu     sync.Mutex
	steps  int
	clicks int
}

func (r *fakeSessions) Look(_ context.Context, call action.Call) (action.Facts, action.Pin, error) {
	facts := action.Facts{
		Session: action.SessionFacts{ID: "s1", Box: "b1", State: "open"}, Page: action.Page{URL: "https://a.example/"},
		Element:     &action.Element{Role: "button", Tag: "button", Name: cmp.Or(r.button, "Next"), Ref: "e1"},
		Destination: &action.Destination{URL: "https://a.example/", Host: "a.example", Site: "a.example", Allowed: true},
	}
	if strings.HasPrefix(call.Verb, "crawl.") || call.Verb == "page.crawl" {
		facts.Crawl = &action.CrawlGrant{Start: "https://a.example/", Hosts: []string{"a.example"}}
	}
	return facts, action.Pin{Session: "s1"}, nil
}

func (r *fakeSessions) Do(_ context.Context, call action.Call, _ action.Pin) (action.Result, error) {
	result := action.Result{Session: "s1"}
	switch args := call.Args.(type) {
	case *action.Crawl:
		result.Data = &action.CrawlOpened{ID: "c1", Start: "https://a.example/", Hosts: []string{"a.example"}}
		return result, nil
	case *action.CrawlPage:
		leads := []string{"https://a.example/two"}
		result.Data = &action.CrawlVisit{Page: action.CrawledPage{URL: args.URL, Status: 200}, Leads: leads}
	case *action.CrawlFile:
		result.Data = &action.CrawlFetched{Status: 404}
	case *action.CrawlEnd:
		result.Data = &action.None{}
	case *action.TakeSnapshot:
		result.Data = &action.Snapshot{}
		return result, nil
	case *action.Click:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.clicks++
		result.Data = &action.Acted{OK: true}
		return result, nil
	default:
		result.Data = &action.Acted{OK: true}
		return result, nil
	}
	r.mu.Lock()
	r.steps++
	r.mu.Unlock()
	return result, nil
}

func (r *fakeSessions) Attach(context.Context, action.Call, action.Pin, func(action.Message)) (action.Attachment, error) {
	return idleAttachment{}, nil
}

func (r *fakeSessions) Picture(context.Context, action.Call, action.Pin) (action.Picture, error) {
	return nil, errors.New("no session")
}

func (r *fakeSessions) TargetScreenshot(context.Context, action.Call, action.Pin) (string, error) {
	return "", nil
}

func (r *fakeSessions) QueueNotice(string, string) {}

func (r *fakeSessions) Pause(context.Context, string, string, string) error { return nil }

func (r *fakeSessions) PageAct(_ context.Context, call action.Call) (action.Call, bool, error) {
	return call, false, nil
}

func (r *fakeSessions) RequestableHost(string, string) string { return "" }

func (r *fakeSessions) taken() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.steps
	r.steps = 0
	return n
}

func (r *fakeSessions) clicked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clicks
}

// idleAttachment serves a client until it disconnects.
type idleAttachment struct{}

func (idleAttachment) Serve(ctx context.Context, wire action.Wire) error {
	for {
		if _, err := wire.Read(ctx); err != nil {
			return nil //nolint:nilerr // the client has disconnected
		}
	}
}

func (idleAttachment) Close() {}

// records is everything except the sessions, on a real listener.
type records struct {
	url          string
	tokens       map[action.Role]string
	tools        map[action.Role]*sdk.ClientSession
	trail        *audit.Log
	fakeSessions *fakeSessions
	seen         int64 // the last record that was looked at
	marks        int
	ctx          context.Context //nolint:containedctx // the life of a test
}

func openRecords(t *testing.T) *records {
	t.Helper()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	db, err := store.Open(t.Context(), filepath.Join(dir, "state.db"))
	check(t, err)
	trail, err := audit.Open(t.Context(), audit.Options{DB: db, Log: log})
	check(t, err)
	desk, err := approval.Open(t.Context(), approval.Options{DB: db, Log: log})
	check(t, err)
	judge, err := policy.New(policy.Config{Enabled: true, Trusted: []string{"a.example"}})
	check(t, err)
	r := &records{tokens: map[action.Role]string{}, tools: map[action.Role]*sdk.ClientSession{}, trail: trail, fakeSessions: &fakeSessions{}, ctx: testwait.Context(t)}
	g, err := gate.New(gate.Options{Sessions: r.fakeSessions, Policy: judge, Approvals: desk, Audit: trail, Log: log})
	check(t, err)
	t.Cleanup(func() {
		check(t, g.Close(context.Background()))
		trail.Close()
		_ = db.Close()
	})
	r.serve(t, g, dir)
	for role, token := range r.tokens {
		client := sdk.NewClient(&sdk.Implementation{Name: "prober", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
			Endpoint: r.url + "/mcp", HTTPClient: &http.Client{Transport: bearing(token)},
		}, nil)
		check(t, err)
		t.Cleanup(func() { _ = session.Close() })
		r.tools[role] = session
	}
	return r
}

// serve serves a gate over REST and MCP, as the program does.
func (r *records) serve(t *testing.T, g *gate.Gate, dir string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	book, err := auth.Open(dir)
	check(t, err)
	for role, file := range map[action.Role]string{action.Operator: auth.OperatorFile, action.Agent: auth.AgentFile} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		check(t, err)
		r.tokens[role] = strings.TrimSpace(string(text))
	}
	calls := workflow.New(g, nil)
	agents, err := mcp.New(mcp.Options{Gate: calls, Tools: []string{"all"}, Log: log})
	check(t, err)
	surface, err := rest.New(rest.Options{Gate: calls, Clients: g, Auth: book, MCP: agents.Handler(), Agents: agents, Log: log})
	check(t, err)
	server := httptest.NewServer(surface)
	r.url = server.URL
	t.Cleanup(func() {
		_ = agents.Close()
		surface.Close()
		server.Close()
	})
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// request makes one request and reads its whole answer.
func (r *records) request(method, path, body string, role action.Role) {
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Prefer", "wait=0")
	if token := r.tokens[role]; token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}

func (r *records) tool(name string, args map[string]any, role action.Role) {
	_, _ = r.tools[role].CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: args})
}

func (r *records) cli(role action.Role, args ...string) {
	none := func(string) (string, bool) { return "", false }
	out := &bytes.Buffer{}
	cli.Run(context.Background(), cli.Deps{}, append([]string{"--gateway", r.url, "--token", r.tokens[role]}, args...), none, cli.Stdio{In: out, Out: out, Err: out})
}

// attach connects and disconnects a client of the DevTools protocol.
func (r *records) attach(role action.Role) {
	header := http.Header{"Authorization": {"Bearer " + r.tokens[role]}}
	conn, _, err := websocket.Dial(context.Background(), "ws"+strings.TrimPrefix(r.url, "http")+"/v1/browser/cdp", &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // it is the connection's
	if err == nil {
		_ = conn.Close(websocket.StatusNormalClosure, "")
	}
}

// actions are what a caller may try, each with its number of calls. Requests
// without a token are counted elsewhere, since they are not recorded one by one.
var actions = map[string]func(r *records, role action.Role) (calls int){
	"read": func(r *records, as action.Role) int { r.request("GET", "/v1/browser/snapshot", "", as); return 1 },
	"write": func(r *records, as action.Role) int {
		r.request("POST", "/v1/browser/click", `{"ref":"e1"}`, as)
		return 1
	},
	"raw":          func(r *records, as action.Role) int { r.request("GET", "/v1/browser/cookies", "", as); return 1 },
	"administrate": func(r *records, as action.Role) int { r.request("GET", "/v1/audit?limit=1", "", as); return 1 },
	"generic":      func(r *records, as action.Role) int { r.request("POST", "/v1/verbs/page.snapshot", `{}`, as); return 1 },
	"no verb":      func(r *records, as action.Role) int { r.request("POST", "/v1/verbs/page.fly", `{}`, as); return 1 },
	"inner verb":   func(r *records, as action.Role) int { r.request("POST", "/v1/verbs/crawl.end", `{}`, as); return 1 },
	"no route":     func(r *records, as action.Role) int { r.request("GET", "/v1/nowhere", "", as); return 1 },
	"wrong method": func(r *records, as action.Role) int { r.request("PUT", "/v1/browser/click", "", as); return 1 },
	"no JSON":      func(r *records, as action.Role) int { r.request("POST", "/v1/browser/click", `{"ref"`, as); return 1 },
	"no argument": func(r *records, as action.Role) int {
		r.request("POST", "/v1/browser/click", `{"wings":2}`, as)
		return 1
	},
	"no element": func(r *records, as action.Role) int { r.request("POST", "/v1/browser/click", `{}`, as); return 1 },
	"too large": func(r *records, as action.Role) int {
		r.request("POST", "/v1/browser/click", strings.Repeat(" ", 2<<20), as)
		return 1
	},
	"health":      func(r *records, as action.Role) int { r.request("GET", "/v1/health", "", as); return 0 },
	"description": func(r *records, as action.Role) int { r.request("GET", "/openapi.json", "", as); return 0 },
	"tool":        func(r *records, as action.Role) int { r.tool("browser_snapshot", nil, as); return 1 },
	"tool that looks": func(r *records, as action.Role) int { // the click, what changed, and, as that was not said, the page
		r.tool("browser_click", map[string]any{"target": "e1"}, as)
		return 3
	},
	"no tool": func(r *records, as action.Role) int { r.tool("browser_fly", nil, as); return 1 },
	"tool, no arg": func(r *records, as action.Role) int {
		r.tool("browser_click", map[string]any{"wings": 2}, as)
		return 1
	},
	"command":       func(r *records, as action.Role) int { r.cli(as, "audit", "tail", "-n", "1"); return 1 },
	"no command":    func(r *records, as action.Role) int { r.cli(as, "fly"); return 0 },
	"attach":        func(r *records, as action.Role) int { r.attach(as); return 1 },
	"attach, plain": func(r *records, as action.Role) int { r.request("GET", "/v1/browser/cdp", "", as); return 1 },
	"crawl": func(r *records, as action.Role) int {
		r.fakeSessions.taken()
		r.request("POST", "/v1/browser/crawl", `{"url":"https://a.example/","maxPages":2}`, as)
		return 1 + r.fakeSessions.taken()
	},
	"no crawl": func(r *records, as action.Role) int { r.request("POST", "/v1/browser/crawl", `{}`, as); return 1 },
}

// next returns the records since the last look: those of all calls that began
// before it, up to their outcomes. The disconnection of a client is recorded when
// its connection has ended. A call of its own marks where they end; its records
// are left out.
func (r *records) next(t rapid.TB) []action.Record {
	r.marks++
	mark := fmt.Sprintf("mark-%d", r.marks)
	req, err := http.NewRequestWithContext(r.ctx, http.MethodGet, r.url+"/v1/nowhere", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Request-Id", mark)
	req.Header.Set("Authorization", "Bearer "+r.tokens[action.Agent])
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()

	var all []action.Record
	ended := errors.New("ended")
	marked, open := false, map[string]bool{}
	err = r.trail.Follow(r.ctx, "default", r.seen, func(record action.Record) error {
		r.seen = record.Seq
		switch {
		case strings.HasPrefix(record.CorrelationID, mark+"-"): // the gateway adds to the id
			marked = marked || record.EventType == action.EventOutcome
		default:
			all = append(all, record)
			switch record.EventType {
			case action.EventIntent:
				open[record.CorrelationID+" "+record.Action] = true
			case action.EventOutcome:
				delete(open, record.CorrelationID+" "+record.Action)
			}
		}
		if marked && len(open) == 0 {
			return ended
		}
		return nil
	})
	if !errors.Is(err, ended) {
		t.Fatalf("these calls have no outcome: %v: %v", slices.Collect(maps.Keys(open)), err)
	}
	return all
}

func TestEveryCallHasOneIntentAndOneOutcomeOnEverySurface(t *testing.T) {
	r := openRecords(t)
	names := slices.Sorted(maps.Keys(actions)) // a map's order would not be reproducible
	if n := actions["crawl"](r, action.Operator); n < 4 {
		t.Fatalf("a crawl of two pages is %d calls", n)
	}
	r.next(t)
	rapid.Check(t, func(t *rapid.T) {
		want := 0
		did := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]string {
			return [2]string{
				rapid.SampledFrom(names).Draw(t, "deed"), rapid.SampledFrom([]string{"agent", "operator"}).Draw(t, "role"),
			}
		}), 1, 8).Draw(t, "actions")
		for _, d := range did {
			want += actions[d[0]](r, action.Role(d[1]))
		}
		pairs(t, r.next(t), want)
	})
}

// pairs checks that each call has one intent and after it one outcome.
func pairs(t *rapid.T, all []action.Record, want int) {
	open, done := map[string]action.Record{}, 0
	for _, record := range all {
		key := fmt.Sprint(record.CorrelationID, " ", record.Action)
		before, begun := open[key]
		switch {
		case record.CorrelationID == "" || record.Actor == "" || record.Scope != "default":
			t.Fatalf("a record without a call: %+v", record)
		case record.EventType == action.EventIntent && begun:
			t.Fatalf("two intents: %+v", record)
		case record.EventType == action.EventIntent:
			open[key] = record
		case record.EventType == action.EventOutcome && (!begun || before.Actor != record.Actor || record.Result == ""):
			t.Fatalf("an outcome without an intent: %+v after %+v", record, before)
		case record.EventType == action.EventOutcome:
			delete(open, key)
			done++
		}
	}
	if len(open) != 0 || done != want {
		for _, record := range all {
			t.Logf("%s %s %s %q %s", record.EventType, record.CorrelationID, record.Surface, record.Action, record.Error)
		}
		t.Fatalf("%d calls left %d pairs, and intents without outcome: %v", want, done, open)
	}
}
