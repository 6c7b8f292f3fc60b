package mcp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// messages contains bodies that no correct client sends.
var messages = map[string]string{
	"empty":          "",
	"no JSON":        "hunter2",
	"deep list":      strings.Repeat("[", 900_000),
	"deep object":    strings.Repeat(`{"a":`, 180_000),
	"deep arguments": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_snapshot","arguments":` + strings.Repeat(`{"a":`, 150_000) + "1" + strings.Repeat("}", 150_000) + `}}`,
	"deep and whole": strings.Repeat("[", 400_000) + strings.Repeat("]", 400_000),
	"bad UTF-8":      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}",
	"no method":      `{"jsonrpc":"2.0","id":1}`,
	"too large":      `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", 1<<20) + `"}`,
	"many at once":   "[" + strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"},`, 100) + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}]`,
}

func TestHostileMessagesOverHTTPCallNothingAndServeOn(t *testing.T) {
	for name, body := range messages {
		for _, version := range []string{"", "2025-06-18", "2026-07-28", "9999-99-99", "x\u00e4"} {
			t.Run(name+" "+version, func(t *testing.T) {
				d := site()
				url, token := gateway(t, d)
				r, err := http.NewRequestWithContext(testwait.Context(t), http.MethodPost, url+"/mcp", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				if version != "" {
					r.Header.Set("Mcp-Protocol-Version", version)
				}
				res, err := (&http.Client{Transport: bearer(token)}).Do(r)
				if err != nil {
					t.Fatal(err)
				}
				answer, _ := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if res.StatusCode >= 500 || d.verbs() != "" {
					t.Errorf("status %d, called %q: %.200s", res.StatusCode, d.verbs(), answer)
				}
				c, err := dial(t, url+"/mcp", token, "2026-07-28")
				if err != nil {
					t.Fatalf("it serves no more: %v", err)
				}
				_ = c.Close()
			})
		}
	}
}

func TestHostileMessagesOnAStreamCallNothing(t *testing.T) {
	for name, body := range messages {
		t.Run(name, func(t *testing.T) {
			d := site()
			ours, theirs := pipes()
			ctx, cancel := context.WithCancel(testwait.Context(t))
			defer cancel()
			to := admitted(t, surface(t, d), "")
			done := make(chan error, 1)
			go func() {
				done <- to.Serve(ctx, ours)
				_ = ours.out.Close()
			}()
			go func() {
				_, _ = io.WriteString(theirs.Writer, strings.ReplaceAll(body, "\n", " ")+"\n")
				_ = theirs.Writer.Close()
			}()
			_, _ = io.Copy(io.Discard, theirs.Reader)
			<-done // however it ends, it ends
			if d.verbs() != "" || ctx.Err() != nil {
				t.Errorf("called %q: %v", d.verbs(), ctx.Err())
			}
		})
	}
}
