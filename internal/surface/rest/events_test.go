package rest_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// teller is a door that sends events to followers.
type teller func(ctx context.Context, c action.Call) (action.Result, error)

func (f teller) Call(ctx context.Context, c action.Call) (action.Result, error) {
	if err := action.Check(c.Args); err != nil {
		return action.Result{}, err
	}
	return f(ctx, c)
}

func (teller) Refuse(context.Context, action.Call, error) {}

// serve runs a real server, and returns its address and a function that shuts
// it down.
func serve(t *testing.T, d rest.Gate) (address string, shutdown func()) {
	t.Helper()
	h, err := rest.New(rest.Options{Gate: d, Auth: tokens{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := rest.NewServer(h, slog.New(slog.DiscardHandler))
	over := make(chan error, 1)
	go func() { over <- server.Serve(listener) }()
	shutdown = func() {
		if err := server.Shutdown(testwait.Context(t)); err != nil {
			t.Errorf("a follower held the server up: %v", err)
		}
		<-over
		h.Close()
	}
	return listener.Addr().String(), shutdown
}

func eventRequest(t *testing.T, address, target string, headers ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+target, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+goodToken)
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func TestEventsAreStreamedUntilTheServerEnds(t *testing.T) {
	asked := make(chan action.FollowEvents, 1)
	address, shutdown := serve(t, teller(func(ctx context.Context, c action.Call) (action.Result, error) {
		asked <- *c.Args.(*action.FollowEvents)
		c.Events.Begin()
		if err := c.Events.Event(action.Event{ID: 8, Kind: "alert", Record: action.Record{Seq: 8, Detail: "a\nb\r\n\n: c"}}); err != nil {
			return action.Result{}, err
		}
		<-ctx.Done()
		return action.Result{}, nil
	}))
	response, err := http.DefaultClient.Do(eventRequest(t, address, "/v1/events?kinds=alert&after=3", "Last-Event-ID", "7"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got := <-asked; got.Kinds != "alert" || got.After == nil || *got.After != 7 {
		t.Errorf("asked for %+v", got)
	}
	lines := bufio.NewReader(response.Body)
	var head []string
	for range 6 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		head = append(head, strings.TrimSuffix(line, "\n"))
	}
	if got := strings.Join(head[:4], "|"); response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" ||
		got != "retry: 1000||id: 8|event: alert" || !strings.HasPrefix(head[4], `data: {"id":8,"kind":"alert","record":{`) || !strings.Contains(head[4], `a\nb\r\n\n: c`) || head[5] != "" {
		t.Errorf("%d %q", response.StatusCode, head)
	}
	shutdown()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) != 0 {
		t.Errorf("ended with %q, %v", rest, err)
	}
}

func TestARefusedFollowerGetsAProblem(t *testing.T) {
	address, shutdown := serve(t, teller(func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.DeniedByPolicy, "it is for operators").Hinted("ask one")
	}))
	defer shutdown()
	for target, want := range map[string]int{"/v1/events": http.StatusForbidden, "/v1/events?kinds=A": http.StatusBadRequest, "/v1/events?after=-1": http.StatusBadRequest, "/v1/events?x=1": http.StatusBadRequest} {
		response, err := http.DefaultClient.Do(eventRequest(t, address, target))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want || response.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", target, response.StatusCode, response.Header.Get("Content-Type"))
		}
	}
	for _, id := range []string{"x", "-1", "1e3", "99999999999999999999"} {
		response, err := http.DefaultClient.Do(eventRequest(t, address, "/v1/events", "Last-Event-ID", id))
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d", id, response.StatusCode)
		}
	}
}

// A client that reads nothing is disconnected: its call ends.
func TestASlowFollowerIsClosed(t *testing.T) {
	ended := make(chan error, 1)
	address, shutdown := serve(t, teller(func(ctx context.Context, c action.Call) (action.Result, error) {
		c.Events.Begin()
		text := strings.Repeat("x", 1<<20)
		for i := int64(1); ; i++ {
			if err := c.Events.Event(action.Event{ID: i, Kind: "alert", Record: action.Record{Detail: text}}); err != nil {
				<-ctx.Done() // the follower is gone for everybody
				ended <- err
				return action.Result{}, err
			}
		}
	}))
	defer shutdown()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET /v1/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\n\r\n", address, goodToken); err != nil {
		t.Fatal(err)
	}
	if err := testwait.Receive(t, ended, "the end of a follower"); err == nil {
		t.Error("it was told all")
	}
}
