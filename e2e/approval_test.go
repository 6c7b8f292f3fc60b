package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// granted returns the id of a grant, in a session that may open any host, none of
// which is trusted.
func (b *bench) granted() string {
	b.t.Helper()
	b.session = b.c.open(`{"allow": ["127.0.0.1"], "effects": "free"}`) // whose acts are asked about before they are done
	agent := b.g.curl(b.t, "agent")
	agent.post("/v1/sessions/"+b.session+"/browser/navigate", fmt.Sprintf(`{"url": %q}`, b.g.support)).object(http.StatusOK)
	waits := agent.post("/v1/sessions/"+b.session+"/browser/click", `{"selector": "h1"}`, "Prefer: wait=0").object(http.StatusAccepted)
	id := waits["approvalId"].(string)
	b.c.post("/v1/approvals/"+id+"/answer", `{"approve": true, "forSession": true}`).object(http.StatusOK)
	return id
}

const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// hook is an endpoint that fails the first time, and checks every signature.
type hook struct {
	*httptest.Server
	t     *testing.T
	tries atomic.Int32
	told  chan object
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{t: t, told: make(chan object, 100)}
	h.Server = httptest.NewServer(h)
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	receiver, err := standardwebhooks.NewWebhook(hookSecret)
	if err == nil {
		err = receiver.Verify(body, r.Header)
	}
	var message object
	if err != nil || json.Unmarshal(body, &message) != nil {
		h.t.Errorf("%v: %s", err, body)
	}
	if h.tries.Add(1) == 1 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	h.told <- message
}

// next waits for a message about a question.
func (h *hook) next(t *testing.T, kind, question string) object {
	t.Helper()
	for {
		m := testwait.Receive(t, h.told, kind+" of "+question)
		data, _ := m["data"].(object)
		if m["type"] == kind && data["question"] == question {
			return data
		}
	}
}

// ledger is a site with rows that differ only in their headings, and with pages
// to crawl.
func ledger(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Ledger\u202e</title><style>button {display: block}</style>")
		for _, row := range []string{"Acme", "Initech", "Umbrella"} {
			fmt.Fprintf(w, "<section><h2>%s</h2><button>Delete</button></section>", row)
		}
		fmt.Fprint(w, `<a href=/a>a</a><a href=/b>b</a>`)
	})
	for path, body := range map[string]string{"/a": `<a href=/c>c</a>`, "/b": `b`, "/c": `c`} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", path, body)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// TestApprovals checks what people are asked: that a question shows what it is
// about, that it arrives on each channel, also after the gateway was killed, and
// that an agent can answer none. No host is trusted, and the site is sensitive.
func TestApprovals(t *testing.T) {
	site, told := ledger(t), newHook(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(site, "http://"))
	g := start(t, settings{env: []string{
		"GLOVEBOX_SECURITY_NETWORK_NAVIGATION=127.0.0.1", "GLOVEBOX_SECURITY_NETWORK_ALLOW_PRIVATE=127.0.0.1:" + port,
		"GLOVEBOX_SECURITY_HITL_TRUSTED_DOMAINS=", "GLOVEBOX_SECURITY_HITL_SENSITIVE_DOMAINS=127.0.0.1", "GLOVEBOX_SECURITY_HITL_WEBHOOK_URL=" + told.URL,
		"GLOVEBOX_SECURITY_HITL_WEBHOOK_SECRET_ENV=HOOK_SECRET", "HOOK_SECRET=" + hookSecret,
	}})
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	session := agent.post("/v1/sessions", `{"name": "ledger"}`).object(http.StatusOK)["id"].(string)
	operator.post("/v1/sessions/"+session+"/browser/navigate", fmt.Sprintf(`{"url": %q}`, site)).object(http.StatusOK)
	heard := listenTo(t, g)
	ask := func(row int) string {
		t.Helper()
		body := fmt.Sprintf(`{"role": "button", "name": "Delete", "index": %d}`, row)
		return agent.post("/v1/browser/click", body, "Prefer: wait=0").object(http.StatusAccepted)["approvalId"].(string)
	}

	second := ask(1)
	q := operator.get("/v1/approvals/" + second).object(http.StatusOK)
	if within, _ := q["within"].(string); !strings.Contains(within, "Initech") || strings.Contains(within, "Acme") {
		t.Errorf("the question does not say which row: %v", q)
	}
	if title := q["page"].(object)["title"]; title != "Ledger" {
		t.Errorf("the page's title is %q", title)
	}
	picture, _ := q["screenshot"].(string)
	if got := operator.get("/v1/artifacts/" + picture); got.status != http.StatusOK || !strings.HasPrefix(string(got.body), "\xff\xd8\xff") {
		t.Errorf("the picture: %d %.40q", got.status, got.body)
	}
	agent.get("/v1/artifacts/" + picture).problem(fault.NotFound)
	heard.wants(t, "question", second)
	if data := told.next(t, "question.asked", second); data["within"] != q["within"] || data["state"] != "pending" {
		t.Errorf("the webhook told %v", data)
	}
	agentsAnswerNothing(t, g, session, second)
	operator.post("/v1/approvals/"+second+"/answer", `{"approve": false, "reason": "no"}`).object(http.StatusOK)
	heard.wants(t, "answer", second)

	third := ask(2)
	heard.wants(t, "question", third)
	g.end(syscall.SIGKILL)
	g.run()
	q = operator.get("/v1/approvals/" + third).object(http.StatusOK)
	if q["state"] != "denied" || q["reason"] != "the gateway restarted" || q["answeredBy"] != nil {
		t.Errorf("after a crash the question is %v", q)
	}
	operator.post("/v1/approvals/"+third+"/answer", `{"approve": true}`).problem(fault.NotActive)
	heard.wants(t, "answer", third)
	if data := told.next(t, "question.answered", third); data["state"] != "denied" || data["answeredBy"] != nil {
		t.Errorf("the webhook told %v", data)
	}
	if out, _, _ := g.command(t, "doctor"); !strings.Contains(out, "ok    webhook    ") || !strings.Contains(out, " delivered, 0 waiting, 0 given up") {
		t.Errorf("doctor says of the webhook\n%s", out)
	}
	crawlOfOneQuestion(t, g, site)
	aPauseOfARunIsTold(t, operator, site, heard, told)
	// The stream of events and the calls that the kill broke off were lost.
	lost, _ := operator.get("/v1/audit?result=lost").object(http.StatusOK)["records"].([]any)
	if len(lost) == 0 || lost[0].(object)["event_type"] != "outcome" {
		t.Errorf("no call was lost: %v", lost)
	}
	// Not trailHolds: the stream of events that is followed now has no outcome yet.
	if verdict := operator.get("/v1/audit/verify").object(http.StatusOK); verdict["ok"] != true {
		t.Errorf("the trail is broken: %v", verdict)
	}
}

// eventReader reads the events of a gateway with the command line's client,
// across restarts.
type eventReader struct{ events chan action.Event }

func listenTo(t *testing.T, g *gateway) *eventReader {
	t.Helper()
	e := &eventReader{events: make(chan action.Event, 1000)}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	zero := int64(0)
	args := &action.FollowEvents{Kinds: "question,answer", After: &zero}
	operator := g.client(g.token("operator"))
	go func() {
		defer close(over)
		for more := true; more; more = again(ctx) {
			e.follow(ctx, operator, args)
		}
	}()
	t.Cleanup(func() { stop(); <-over })
	return e
}

func (e *eventReader) follow(ctx context.Context, c *client.Client, args *action.FollowEvents) {
	_, _ = c.Call(ctx, action.Call{Verb: "events.follow", Args: args, Events: &action.EventWatch{Event: func(event action.Event) error {
		args.After = &event.ID
		e.events <- event
		return nil
	}}})
}

func (e *eventReader) wants(t *testing.T, kind, question string) {
	t.Helper()
	for {
		event := testwait.Receive(t, e.events, "an event "+kind+" of "+question)
		if event.Kind == kind && event.Question != nil && event.Question.ID == question {
			return
		}
	}
}

// agentsAnswerNothing tries every route and verb of approvals, grants and events
// with an agent's token, and ways to get more rights.
func agentsAnswerNothing(t *testing.T, g *gateway, session, question string) {
	t.Helper()
	agent := g.curl(t, "agent")
	bodies := map[string]string{"approval.answer": `{"approve": true, "reason": "I am sure", "forSession": true}`}
	for _, v := range action.Verbs {
		noun, _, _ := strings.Cut(v.Name, ".")
		if !slices.Contains([]string{"approval", "grant", "events"}, noun) || v.Name == "approval.status" {
			continue
		}
		path := strings.NewReplacer("{id}", question, "{session}", session).Replace("/v1" + v.Path)
		args := fmt.Sprintf(`{"session": %q, "args": %s}`, session, strings.Replace(or(bodies[v.Name], `{"approve": false}`), "{", fmt.Sprintf(`{"id": %q, `, question), 1))
		if v.Name != "approval.answer" {
			args = fmt.Sprintf(`{"session": %q}`, session)
		}
		for _, header := range []string{"X-Nothing: 1", "Glovebox-Surface: cli", "X-Forwarded-User: ann", "X-Glovebox-Role: operator", "Forwarded: for=127.0.0.1", "Accept: text/event-stream"} {
			agent.do(v.Method, path, bodies[v.Name], header).problem(fault.DeniedByPolicy)
			got := agent.post("/v1/verbs/"+v.Name, args, header)
			if got.status != http.StatusForbidden && got.status != http.StatusBadRequest {
				t.Errorf("%s: %d %.200s", got.what, got.status, got.body)
			}
		}
	}
	for _, more := range []string{`"role": "operator"`, `"caller": {"role": "operator"}`, `"Approve": true`, `"scope": "default"`} {
		agent.post("/v1/approvals/"+question+"/answer", `{"approve": true, `+more+`}`).problem(fault.InvalidRequest)
	}
	for _, path := range []string{"?access_token=" + g.token("operator"), "?token=" + g.token("operator")} {
		if got := agent.post("/v1/approvals/"+question+"/answer"+path, `{"approve": true}`); got.status < 400 {
			t.Errorf("%s: %d", got.what, got.status)
		}
	}
	status := agent.get("/v1/approvals/" + question + "/status").object(http.StatusOK)
	if status["state"] != "pending" || status["why"] != "" || status["screenshot"] != nil || status["within"] != nil {
		t.Errorf("an agent is told %v", status)
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// crawlOfOneQuestion crawls a sensitive host: one question covers the host and
// its pages, and nothing else afterwards.
func crawlOfOneQuestion(t *testing.T, g *gateway, site string) {
	t.Helper()
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	agent.post("/v1/sessions", `{"name": "crawler"}`).object(http.StatusOK) // on no page yet: the site is new to it
	body := fmt.Sprintf(`{"url": %q, "extract": "text", "delay": 200}`, site+"/")
	waits := agent.post("/v1/browser/crawl", body, "Prefer: wait=0").object(http.StatusAccepted)
	id := waits["approvalId"].(string)
	other := fmt.Sprintf(`{"url": %q, "extract": "text", "maxPages": 50}`, site+"/")
	if again := agent.post("/v1/browser/crawl", other, "Prefer: wait=0").object(http.StatusAccepted); again["approvalId"] == id {
		t.Error("another crawl has the same question")
	}
	operator.post("/v1/approvals/"+id+"/answer", `{"approve": true}`).object(http.StatusOK)
	got := agent.post("/v1/browser/crawl", body).object(http.StatusOK)
	if pages, _ := got["pages"].([]any); len(pages) != 4 || got["stopped"] != "done" {
		t.Errorf("crawled %v", got)
	}
	pending, _ := operator.get("/v1/approvals").object(http.StatusOK)["questions"].([]any)
	if len(pending) != 1 {
		t.Errorf("pages of the crawl were asked about: %v", pending)
	}
	if next := agent.post("/v1/browser/crawl", body, "Prefer: wait=0").object(http.StatusAccepted); next["approvalId"] == id {
		t.Error("the answer covers a second crawl")
	}
}

// aPauseOfARunIsTold checks that people are informed on every channel about a
// paused run of an operator.
func aPauseOfARunIsTold(t *testing.T, operator curl, site string, heard *eventReader, told *hook) {
	t.Helper()
	miss := `{"type": "left_click", "selector": "#nowhere", "timeout": 200}`
	begun := operator.post("/v1/runs", fmt.Sprintf(`{"url": "%s/", "domain_allowlist": ["127.0.0.1"], "timeout": 120000, "actions": [%s, %[2]s, %[2]s, {"type": "read_page"}]}`, site, miss), "Prefer: wait=0").object(http.StatusAccepted)
	at := "/v1/runs/" + begun["run_id"].(string)
	var question string
	testwait.For(t, "the run to pause", func() bool {
		run := operator.get(at).object(http.StatusOK)
		question, _ = run["waits_for"].(string)
		return run["state"] == "paused" && question != ""
	})
	heard.wants(t, "question", question)
	if data := told.next(t, "question.asked", question); data["state"] != "pending" {
		t.Errorf("the webhook told %v", data)
	}
	operator.post("/v1/approvals/"+question+"/answer", `{"approve": true, "reason": "go on"}`).object(http.StatusOK)
	wantRun(t, operator.ended(at), "completed", "actions_failed", "navigate", "!left_click", "!left_click", "!left_click", "!pause", "resume", "read_page")
}
