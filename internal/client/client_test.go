package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/client"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

type callFunc func(context.Context, action.Call) (action.Result, error)

func (d callFunc) Call(ctx context.Context, c action.Call) (action.Result, error) { return d(ctx, c) }

func (d callFunc) Refuse(context.Context, action.Call, error) {}

type tokens struct{}

func (tokens) Identify(_ context.Context, token string) (auth.Identity, error) {
	if token != "good" {
		return auth.Identity{}, fault.New(fault.Unauthenticated, "no valid token").Hinted("send one")
	}
	return auth.Identity{Caller: action.Caller{Actor: "agent", Scope: "default", Role: action.Agent}}, nil
}

// gateway serves the real REST surface, which passes calls to d.
func gateway(t *testing.T, d callFunc) string {
	t.Helper()
	h, err := rest.New(rest.Options{Gate: d, Auth: tokens{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func connect(t *testing.T, url, token string) *client.Client {
	t.Helper()
	c, err := client.New(url, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestCallArrivesAndResultReturns(t *testing.T) {
	index := 2
	args := &action.Click{Locator: action.Locator{Role: "button", Name: "Save", Index: &index}, Modifiers: []string{"Shift"}}
	want := action.Result{
		Session: "s1",
		Data:    &action.Acted{OK: true, Matches: 3, Element: &action.Element{Role: "button", Name: "Save", Tag: "button"}},
		Page:    &action.Page{URL: "https://a.example/", Title: "A"},
		Modal:   &action.Dialog{Kind: "confirm", Message: "Sure?"},
		Notes:   []string{"a popup opened"},
		Changes: &action.Changes{Text: "+ text \"Saved\"", Moved: true, Errors: []string{"console: boom"}},
	}
	var got action.Call
	url := gateway(t, func(_ context.Context, c action.Call) (action.Result, error) {
		got = c
		return want, nil
	})
	call := action.Call{ID: "id-1", Verb: "page.click", Session: "s1", Args: args, Surface: "cli", Wait: 1500 * time.Millisecond, Changes: true, Source: action.Source{UserAgent: "tool/1"}}
	result, err := connect(t, url, "good").Call(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Errorf("the result differs:\n%s", diff)
	}
	call.Caller = action.Caller{Actor: "agent", Scope: "default", Role: action.Agent}
	call.Source = action.Source{Address: "127.0.0.1", UserAgent: "tool/1", Request: "POST /v1/verbs/page.click"}
	if !strings.HasPrefix(got.ID, "id-1-") { // the gateway adds its own part
		t.Errorf("correlation id %q", got.ID)
	}
	call.ID, got.ID, got.Bind = "", "", nil
	if diff := cmp.Diff(call, got); diff != "" {
		t.Errorf("the call differs:\n%s", diff)
	}
}

func TestEveryVerbReturnsItsOwnDataType(t *testing.T) {
	url := gateway(t, func(_ context.Context, c action.Call) (action.Result, error) {
		v, _ := action.Lookup(c.Verb)
		return action.Result{Data: v.NewData()}, nil
	})
	c := connect(t, url, "good")
	args := map[string]any{
		"page.goto": &action.Goto{URL: "a.example"}, "page.press": &action.Press{Key: "Enter"}, "page.select": &action.Select{Values: []string{"a"}},
		"artifact.get": &action.ByID{ID: "a"}, "approval.status": &action.ByID{ID: "a"}, "approval.show": &action.ByID{ID: "a"},
		"approval.answer": &action.Answer{ID: "a"}, "tab.activate": &action.ByID{ID: "a"}, "tab.close": &action.ByID{ID: "a"},
		"download.get": &action.ByID{ID: "a"}, "download.read": &action.DownloadRead{ByID: action.ByID{ID: "a"}}, "download.cancel": &action.ByID{ID: "a"}, "artifact.put": &action.NewFile{Name: "a"},
		"page.resize": &action.Resize{Width: 800, Height: 600}, "page.batch": &action.Batch{Steps: []action.Step{{Verb: "page.back"}}},
		"page.crawl": &action.Crawl{URL: "a.example"},
		"run.start":  &action.RunStart{URL: "https://a.example/", DomainAllowlist: []string{"a.example"}, Actions: []action.RunAction{{Type: "go_back"}}},
		"run.show":   &action.RunShow{ID: "a"}, "run.cancel": &action.ByID{ID: "a"}, "run.resume": &action.RunResume{ID: "a", Guidance: "go on"},
		"page.scrape": &action.Scrape{Selectors: map[string]string{"title": "h1"}}, "page.execute": &action.Execute{Expression: "1"},
		"profile.create": &action.ProfileCreate{Name: "work"}, "profile.delete": &action.ByID{ID: "a"},
		"profile.export": &action.ByID{ID: "a"}, "profile.import": &action.ProfileImport{ID: "a"}, "grant.revoke": &action.ByID{ID: "a"},
		"session.allow": &action.AllowHost{Host: "a.example"}, "session.request_human": &action.HumanRequest{Reason: "a captcha"},
		"page.fill_secret": &action.FillSecret{Secret: "password"}, "credential.capture": &action.Capture{Domain: "a.example"},
		"policy.explain": &action.PolicyQuery{Verb: "page.click"}, "credential.check": &action.CredentialQuery{Domain: "a.example"},
		"token.create": &action.TokenCreate{Name: "ci", Role: action.Agent}, "token.revoke": &action.TokenRevoke{ID: "ci"},
		"cookie.set": &action.CookieSet{Cookies: []action.NewCookie{{Name: "n", Value: new("v")}}},
	}
	for _, v := range action.Offered() {
		given := args[v.Name]
		if given == nil {
			given = v.NewArgs()
		}
		result, err := c.Call(t.Context(), action.Call{Verb: v.Name, Args: given})
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if got, want := typeOf(result.Data), typeOf(v.NewData()); got != want {
			t.Errorf("%s returned a %s, want a %s", v.Name, got, want)
		}
	}
}

func TestBytesAndPendingAnswersAreReturned(t *testing.T) {
	url := gateway(t, func(_ context.Context, c action.Call) (action.Result, error) {
		if c.Verb == "page.screenshot" {
			return action.Result{Data: &action.Screenshot{Format: "png", Bytes: []byte{0, 1, 254, 255}}}, nil
		}
		return action.Result{Pending: &action.Pending{Approval: "q1", Risk: action.High}}, nil
	})
	c := connect(t, url, "good")
	result, err := c.Call(t.Context(), action.Call{Verb: "page.screenshot"})
	if err != nil || string(result.Data.(*action.Screenshot).Bytes) != "\x00\x01\xfe\xff" {
		t.Errorf("%+v %v", result, err)
	}
	result, err = c.Call(t.Context(), action.Call{Verb: "page.back"})
	if err != nil || result.Pending == nil || result.Pending.Approval != "q1" || result.Pending.Risk != action.High {
		t.Errorf("%+v %v", result, err)
	}
}

func TestFaultsAreReturnedWithAllFields(t *testing.T) {
	sent := fault.New(fault.BlockedDomain, "evil.example is not allowed").Hinted("ask an operator").With("host", "evil.example")
	url := gateway(t, func(context.Context, action.Call) (action.Result, error) { return action.Result{}, sent })
	_, err := connect(t, url, "good").Call(t.Context(), action.Call{ID: "id-7", Verb: "page.back"})
	got := fault.From(err)
	if got.Code != sent.Code || got.Message != sent.Message || got.Hint != sent.Hint {
		t.Errorf("got %+v", got)
	}
	id, _ := got.Details["correlationId"].(string)
	if got.Details["host"] != "evil.example" || !strings.HasPrefix(id, "id-7-") {
		t.Errorf("details %v", got.Details)
	}
	_, err = connect(t, url, "bad").Call(t.Context(), action.Call{Verb: "page.back"})
	if fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("got %v", err)
	}
	_, err = connect(t, url, "good").Call(t.Context(), action.Call{Verb: "page.fly"})
	if fault.CodeOf(err) != fault.UnknownAction {
		t.Errorf("got %v", err)
	}
}

func TestNoGatewayIsNotActiveAndSaysHowToStart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	c := connect(t, "http://"+address, "good")
	for name, err := range map[string]error{"health": c.Health(t.Context()), "call": second(c.Call(t.Context(), action.Call{Verb: "page.back"}))} {
		f := fault.From(err)
		if f.Code != fault.NotActive || f.Hint != "start it: glovebox serve" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestOtherServersAreNotTakenForAGateway(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"a page": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a 404":  http.NotFound,
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
	} {
		server := httptest.NewServer(h)
		c := connect(t, server.URL, "good")
		for _, err := range []error{c.Health(t.Context()), second(c.Call(t.Context(), action.Call{Verb: "page.back"}))} {
			if fault.CodeOf(err) != fault.NotActive {
				t.Errorf("%s: %v", name, err)
			}
		}
		server.Close()
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	arrived, left := make(chan struct{}), make(chan struct{})
	url := gateway(t, func(ctx context.Context, _ action.Call) (action.Result, error) {
		close(arrived)
		<-ctx.Done()
		close(left)
		return action.Result{}, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := connect(t, url, "good").Call(ctx, action.Call{Verb: "page.back"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-left // the gateway's call ended too
}

// expiring is a context whose deadline passes when its channel is closed.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestDeadlineIsATimeout(t *testing.T) {
	over := make(chan struct{})
	url := gateway(t, func(ctx context.Context, _ action.Call) (action.Result, error) {
		close(over)
		<-ctx.Done()
		return action.Result{}, ctx.Err()
	})
	_, err := connect(t, url, "good").Call(expiring{t.Context(), over}, action.Call{Verb: "page.back"})
	if fault.CodeOf(err) != fault.ActionTimeout {
		t.Errorf("got %v", err)
	}
}

func TestBadAddressesAndTokensAreRefused(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:2468", "ftp://a", "http://", "http://u:p@a", "http://a\x00"} {
		if _, err := client.New(address, "t"); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := client.New("http://127.0.0.1:1", "a\r\nX: y"); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("token with a line break: %v", err)
	}
}

func TestHealthNeedsNoToken(t *testing.T) {
	url := gateway(t, func(context.Context, action.Call) (action.Result, error) { return action.Result{}, nil })
	if err := connect(t, url, "").Health(t.Context()); err != nil {
		t.Error(err)
	}
}

func typeOf(v any) string { return fmt.Sprintf("%T", v) }

func second(_ action.Result, err error) error { return err }

func TestAnExportIsWrittenWhileItIsReceived(t *testing.T) {
	var got *action.AuditExport
	broken := false
	url := gateway(t, func(_ context.Context, c action.Call) (action.Result, error) {
		got = c.Args.(*action.AuditExport)
		send := func(_ context.Context, to io.Writer) error {
			if _, err := io.WriteString(to, strings.Repeat("x", 100_000)); err != nil {
				return err
			}
			if broken {
				return errors.New("the disk has gone")
			}
			return nil
		}
		return action.Result{Data: &action.AuditFile{Name: "audit.csv", MediaType: "text/csv", Send: send}}, nil
	})
	want := action.AuditExport{AuditFilter: action.AuditFilter{Session: "s 1", From: "2026-01-01T00:00:00Z", Unscoped: true}, Format: "csv"}
	c := connect(t, url, "good")
	var out bytes.Buffer
	if n, err := c.Export(t.Context(), want, &out); err != nil || n != 100_000 || out.Len() != 100_000 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("the arguments differ:\n%s", diff)
	}
	broken = true
	if _, err := c.Export(t.Context(), want, io.Discard); fault.CodeOf(err) != fault.Internal {
		t.Errorf("an export that was cut off: %v", err)
	}
	if _, err := connect(t, url, "bad").Export(t.Context(), want, io.Discard); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("a wrong token: %v", err)
	}
}
