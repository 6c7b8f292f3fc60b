package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

const goodToken = "gbx_ag_test"

var agent = action.Caller{Actor: "agent", Scope: "default", Role: action.Agent}

// door is a test gate: it checks arguments as the gate does, keeps the calls
// that it accepts, and answers as configured.
type door struct {
	mu      sync.Mutex
	calls   []action.Call
	refused []refusal
	answer  func(action.Call) (action.Result, error)
}

func (d *door) Call(_ context.Context, c action.Call) (action.Result, error) {
	if err := action.Check(c.Args); err != nil {
		return action.Result{}, err
	}
	d.mu.Lock()
	d.calls = append(d.calls, c)
	d.mu.Unlock()
	return d.answer(c)
}

func (d *door) Refuse(_ context.Context, c action.Call, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = append(d.refused, refusal{c, fault.From(why)})
}

// refusal is a call that was refused before it reached the door.
type refusal struct {
	call action.Call
	why  *fault.Fault
}

func (d *door) last(t *testing.T) action.Call {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.calls) == 0 {
		t.Fatal("no call came through the door")
	}
	return d.calls[len(d.calls)-1]
}

func (d *door) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.calls)
}

func refusing() *door {
	return &door{answer: func(action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.DeniedByPolicy, "nothing passes").Hinted("ask an operator")
	}}
}

func answering(result action.Result) *door {
	return &door{answer: func(action.Call) (action.Result, error) { return result, nil }}
}

type tokens struct{}

func (tokens) Identify(_ context.Context, token string) (auth.Identity, error) {
	if token != goodToken {
		return auth.Identity{}, fault.New(fault.Unauthenticated, "no valid token").Hinted("send one")
	}
	return auth.Identity{Caller: agent}, nil
}

type house struct {
	handler http.Handler
	log     *bytes.Buffer
}

func build(t *testing.T, d rest.Gate, change ...func(*rest.Options)) house {
	t.Helper()
	log := &bytes.Buffer{}
	o := rest.Options{Gate: d, Auth: tokens{}, Version: "test", Log: slog.New(slog.NewTextHandler(log, nil))}
	for _, f := range change {
		f(&o)
	}
	h, err := rest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return house{handler: h, log: log}
}

// request makes a valid request, which tests then change.
func request(method, target, body string) *http.Request {
	var reader io.Reader = http.NoBody
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	r.Host = "127.0.0.1:2468"
	r.Header.Set("Authorization", "Bearer "+goodToken)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (h house) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

type problem struct {
	Type, Title, Detail, Instance, Hint, CorrelationID string
	Code                                               fault.Code
	Status                                             int
	Retryable                                          *bool
	Details                                            map[string]any
}

func wantProblem(t *testing.T, w *httptest.ResponseRecorder, status int, code fault.Code) problem {
	t.Helper()
	var p problem
	if kind := w.Header().Get("Content-Type"); kind != "application/problem+json" {
		t.Fatalf("status %d, media type %q, body %s", w.Code, kind, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if w.Code != status || p.Status != status || p.Code != code {
		t.Fatalf("got %d %d %s (%s), want %d %s", w.Code, p.Status, p.Code, p.Detail, status, code)
	}
	if p.Type != code.Type() || p.Title == "" || p.Detail == "" || p.Hint == "" || p.Retryable == nil ||
		p.CorrelationID == "" || !strings.HasSuffix(p.Instance, p.CorrelationID) {
		t.Errorf("the problem document is incomplete: %s", w.Body)
	}
	return p
}

// bodies contains valid arguments for each verb.
var bodies = map[string]string{
	"page.drag": `{"from": {"ref": "e1"}, "to": {"ref": "e2"}}`, "page.dialog": `{"accept": false}`,
	"page.click": `{"ref":"e1"}`, "page.check": `{"ref":"e1"}`, "page.hover": `{"ref":"e1"}`,
	"page.upload":           `{"ref":"e1","files":[{"name":"a.txt","bytes":"aGk="}]}`,
	"page.goto":             `{"url":"https://a.example/"}`,
	"page.type":             `{"ref":"e1","text":"hello"}`,
	"page.press":            `{"key":"Enter"}`,
	"page.select":           `{"ref":"e1","values":["a"]}`,
	"page.fill_secret":      `{"ref":"e1","secret":"password"}`,
	"credential.capture":    `{"domain":"a.example"}`,
	"artifact.put":          `{"name":"a.txt","bytes":"aGk="}`,
	"page.resize":           `{"width":800,"height":600}`,
	"page.batch":            `{"steps":[{"verb":"page.click","args":{"ref":"e1"}}]}`,
	"page.crawl":            `{"url":"a.example"}`,
	"page.scrape":           `{"selectors":{"a":"h1"}}`,
	"page.execute":          `{"expression":"1"}`,
	"approval.answer":       `{"approve":true}`,
	"run.start":             `{"url":"https://a.example/","domain_allowlist":["a.example"],"actions":[{"type":"left_click","ref":"e1"}]}`,
	"run.resume":            `{"guidance":"go on"}`,
	"policy.explain":        `{"verb":"page.click","element":{"name":"Delete"}}`,
	"profile.create":        `{"name":"work"}`,
	"profile.import":        `{"file":"W10="}`,
	"credential.check":      `{"domain":"a.example"}`,
	"token.create":          `{"name":"ci","role":"agent"}`,
	"session.request_human": `{"reason":"a captcha"}`,
	"session.allow":         `{"host":"a.example"}`,
	"desktop.mouse_move":    `{"x":3,"y":4}`,
	"desktop.mouse_click":   `{"x":3,"y":4}`,
	"desktop.mouse_drag":    `{"startX":3,"startY":4,"endX":5,"endY":6}`,
	"desktop.mouse_scroll":  `{"x":3,"y":4,"deltaY":1}`,
	"desktop.key_type":      `{"text":"hello"}`,
	"desktop.key_press":     `{"key":"Enter"}`,
	"desktop.key_down":      `{"key":"Shift"}`,
	"desktop.key_up":        `{"key":"Shift"}`,
	"desktop.window_move":   `{"x":0,"y":0}`,
	"desktop.window_resize": `{"width":800,"height":600}`,
	"desktop.clipboard_set": `{"text":"hello"}`,
	"cookie.set":            `{"cookies":[{"name":"a","value":"1"}]}`,
}

// queries contains the same for verbs whose arguments are in the query.
var queries = map[string]string{"page.find": "text=a", "desktop.screenshot_region": "x=1&y=1&width=9&height=9"}

func TestEveryVerbGoesThroughTheDoorAndNoneAround(t *testing.T) {
	for _, v := range action.Offered() {
		targets := []string{"/v1" + v.Path}
		if strings.HasPrefix(v.Path, "/browser/") {
			targets = append(targets, "/v1/sessions/s1"+v.Path)
		}
		targets = append(targets, "/v1/verbs/"+v.Name)
		for _, target := range targets {
			t.Run(v.Name+" "+target, func(t *testing.T) {
				d := refusing()
				target := strings.NewReplacer("{session}", "s1", "{id}", "a1").Replace(target)
				method, body := v.Method, bodies[v.Name]
				if strings.HasPrefix(target, "/v1/verbs/") {
					method, body = http.MethodPost, genericBody(t, v)
				} else if query := queries[v.Name]; query != "" {
					target += "?" + query
				}
				w := build(t, d).do(request(method, target, body))
				wantProblem(t, w, http.StatusForbidden, fault.DeniedByPolicy)
				c := d.last(t)
				if d.count() != 1 || c.Verb != v.Name || c.Caller != agent || c.Surface != "rest" || c.ID == "" || c.Args == nil {
					t.Errorf("%d calls, the last %+v", d.count(), c)
				}
				if strings.Contains(target, "/s1") && c.Session != "s1" {
					t.Errorf("session %q, want s1", c.Session)
				}
			})
		}
	}
}

func genericBody(t *testing.T, v *action.Verb) string {
	t.Helper()
	args := map[string]any{}
	if body := bodies[v.Name]; body != "" {
		if err := json.Unmarshal([]byte(body), &args); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(v.Path, "{id}") {
		args["id"] = "a1"
	}
	for pair := range strings.SplitSeq(queries[v.Name], "&") {
		name, value, given := strings.Cut(pair, "=")
		if n, err := strconv.Atoi(value); err == nil {
			args[name] = n
		} else if given {
			args[name] = value
		}
	}
	body, err := json.Marshal(map[string]any{"session": "s1", "args": args, "waitSeconds": 1.5})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestArgumentsAndSessionReachTheDoor(t *testing.T) {
	d := answering(action.Result{})
	h := build(t, d)
	r := request("POST", "/v1/browser/click", `{"role":"button","name":"Save","index":0,"timeout":700}`)
	r.Header.Set("Glovebox-Session", "invoices")
	r.Header.Set("Prefer", "respond-async, wait=7")
	r.Header.Set("X-Request-Id", "mine-1")
	r.Header.Set("Glovebox-Surface", "cli")
	if w := h.do(r); w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("X-Request-Id"), "mine-1-") {
		t.Fatalf("%d %s", w.Code, w.Body)
	} else if id := d.last(t).ID; id != w.Header().Get("X-Request-Id") {
		t.Errorf("recorded as %s, answered as %s", id, w.Header().Get("X-Request-Id"))
	}
	c := d.last(t)
	click, ok := c.Args.(*action.Click)
	if !ok || click.Name != "Save" || click.Index == nil || *click.Index != 0 || click.Timeout != 700 {
		t.Errorf("arguments %+v", c.Args)
	}
	if c.Session != "invoices" || c.Wait != 7*time.Second || c.Surface != "cli" {
		t.Errorf("call %+v", c)
	}

	h.do(request("GET", "/v1/browser/screenshot?fullPage=true&format=jpeg&quality=50&session=s9", ""))
	shot, ok := d.last(t).Args.(*action.TakeScreenshot)
	if !ok || !shot.FullPage || shot.Format != "jpeg" || shot.Quality != 50 || d.last(t).Session != "s9" {
		t.Errorf("arguments %+v", d.last(t))
	}
	if d.last(t).Wait != 55*time.Second {
		t.Errorf("waits %s by default", d.last(t).Wait)
	}

	h.do(request("POST", "/v1/approvals/q7/answer", `{"approve":true,"reason":"checked"}`))
	answer, ok := d.last(t).Args.(*action.Answer)
	if !ok || answer.ID != "q7" || !answer.Approve || answer.Reason != "checked" {
		t.Errorf("arguments %+v", d.last(t).Args)
	}
}

func TestGenericRouteAnswersTheWholeResult(t *testing.T) {
	d := answering(action.Result{Session: "s1", Data: &action.Acted{OK: true}, Notes: []string{"a popup opened"}})
	w := build(t, d).do(request("POST", "/v1/verbs/page.click", `{"session":"s1","args":{"ref":"e4"},"waitSeconds":2.5}`))
	var got action.Result
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s %v", w.Code, w.Body, err)
	}
	if got.Session != "s1" || got.Notes[0] != "a popup opened" || got.Data.(map[string]any)["ok"] != true {
		t.Errorf("got %+v", got)
	}
	if c := d.last(t); c.Wait != 2500*time.Millisecond || c.Args.(*action.Click).Ref != "e4" {
		t.Errorf("call %+v", c)
	}
	wantProblem(t, build(t, d).do(request("POST", "/v1/verbs/page.fly", `{}`)), 400, fault.UnknownAction)
}

func TestOptionsMustBeComplete(t *testing.T) {
	if _, err := rest.New(rest.Options{}); err == nil {
		t.Error("a surface without a door was made")
	}
}
