package mcp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAStreamIsRefusedWhatItMayNotAskFor(t *testing.T) {
	s := surface(t, site())
	for query, code := range map[string]fault.Code{
		"tools=wings": fault.InvalidRequest, "read-only=maybe": fault.InvalidRequest, "connection=a": fault.InvalidRequest,
		"connection=../../../x": fault.InvalidRequest, "fly=1": fault.InvalidRequest, "tools=core&tools=all": fault.InvalidRequest,
		"connection=" + strings.Repeat("a", 33): fault.InvalidRequest,
		"unmet=a.example,%0Ab":                  fault.InvalidRequest, "unmet=" + strings.Repeat("a.example,", 50) + "b": fault.InvalidRequest,
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/mcp/stream?"+query, nil)
		if _, err := s.Admit(r.WithContext(auth.With(t.Context(), agent))); fault.CodeOf(err) != code {
			t.Errorf("%s: %v", query, err)
		}
	}
	for name, ctx := range map[string]context.Context{"nobody": t.Context(), "the zero caller": auth.With(t.Context(), action.Caller{})} {
		if _, err := s.Admit(httptest.NewRequest(http.MethodGet, "/v1/mcp/stream", nil).WithContext(ctx)); fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStreamsOfACallerHaveALimit(t *testing.T) {
	s := surface(t, site())
	var open []action.Attachment
	r := httptest.NewRequest(http.MethodGet, "/v1/mcp/stream", nil)
	r = r.WithContext(auth.With(t.Context(), agent))
	for {
		to, err := s.Admit(r)
		if err != nil {
			if fault.CodeOf(err) != fault.LimitReached || len(open) != 256 {
				t.Errorf("%d are open: %v", len(open), err)
			}
			break
		}
		open = append(open, to)
	}
	other := agent
	other.Actor = "another"
	if to, err := s.Admit(r.WithContext(auth.With(t.Context(), other))); err != nil {
		t.Errorf("another caller: %v", err)
	} else {
		to.Close()
	}
	open[0].Close()
	open[0].Close() // which counts once
	if _, err := s.Admit(r); err != nil {
		t.Error(err)
	}
	if _, err := s.Admit(r); fault.CodeOf(err) != fault.LimitReached {
		t.Errorf("%v", err)
	}
}

func TestStreamsOfOneClientAreOneConnection(t *testing.T) {
	d := site()
	s := surface(t, d)
	first, again := attached(t, s, "connection=abcdefgh", "", nil), attached(t, s, "connection=abcdefgh", "", nil)
	other := attached(t, s, "connection=hgfedcba", "", nil)
	if a, b, c := connectionOf(t, d, first), connectionOf(t, d, again), connectionOf(t, d, other); a != "stream:abcdefgh" || b != a || c == a {
		t.Errorf("%q %q %q", a, b, c)
	}
}

func TestAReadOnlyStreamStartsSessionsThatOnlyRead(t *testing.T) {
	for query, want := range map[string]string{"read-only=true": string(action.SendNone), "read-only=false": ""} {
		d := site()
		use(t, attached(t, surface(t, d), query, "", nil), "browser_session", map[string]any{"action": "start"})
		if got := d.call(t, 0).Args.(*action.SessionStart).Effects; got != want {
			t.Errorf("%s: %q", query, got)
		}
	}
}

// An agent whose person set up other hosts than the gateway has learns it at once.
func TestTheFirstAnswerSaysWhichHostsAreNotAllowed(t *testing.T) {
	c := attached(t, surface(t, site()), "unmet=b.example,*.c.example,localhost:3000", "", nil)
	if first := text(t, use(t, c, "browser_snapshot", nil)); !strings.Contains(first, "does not allow b.example, *.c.example, localhost:3000") {
		t.Errorf("the first answer: %s", first)
	}
	if second := text(t, use(t, c, "browser_snapshot", nil)); strings.Contains(second, "b.example") {
		t.Errorf("the second answer: %s", second)
	}
}

// A stream takes messages no faster than the rate of its token allows, and
// answers all.
func TestMessagesOfAStreamCountAgainstTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book, err := auth.New(auth.Entry{Name: "slow", Scope: "default", Role: action.Agent, SHA256: "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"}) // of "key"
		if err != nil {
			t.Fatal(err)
		}
		book.LimitRate(auth.Rate{PerSecond: 1, Burst: 5})
		who, err := book.Identify(t.Context(), "key")
		if err != nil {
			t.Fatal(err)
		}
		ctx, release := who.Bind(t.Context())
		defer release()
		s := surface(t, site())
		to, err := s.Admit(httptest.NewRequest(http.MethodGet, "/v1/mcp/stream", nil).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := pipes()
		var serving sync.WaitGroup
		serving.Go(func() { _ = to.Serve(ctx, ours) })
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, theirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		for range 20 {
			if err := c.Ping(ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begun); took < 15*time.Second || took > 25*time.Second {
			t.Errorf("20 messages took %s", took)
		}
		_ = c.Close()
		serving.Wait()
	})
}

func TestCallsWithLargeArgumentsHaveALimit(t *testing.T) {
	d := site()
	arrived, end := make(chan struct{}, 8), make(chan struct{})
	d.answer = func(_ context.Context, c action.Call) (action.Result, error) {
		arrived <- struct{}{}
		<-end
		return action.Result{Data: &action.Uploaded{}}, nil
	}
	c := connect(t, surface(t, d), nil)
	args := map[string]any{"target": "e1", "files": []any{map[string]any{"name": "a", "base64": strings.Repeat("AAAA", 1<<19)}}}
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			if result, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_file_upload", Arguments: args}); err != nil || result.IsError {
				t.Errorf("%v %+v", err, result)
			}
		})
	}
	for range 4 {
		<-arrived
	}
	if result := use(t, c, "browser_file_upload", args); !result.IsError || !strings.Contains(text(t, result), "limit_reached: 4 calls with files") {
		t.Errorf("%s", text(t, result))
	}
	close(end)
	calls.Wait()
}
