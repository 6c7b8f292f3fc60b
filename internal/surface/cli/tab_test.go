package cli_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestHeadersArePrintedBelowTheirRequest(t *testing.T) {
	r := newRig(t, &fakeGate{answer: func(action.Call) (action.Result, error) {
		return action.Result{Data: &action.NetworkListing{Requests: []action.NetworkRequest{{
			URL: "https://a.example/", Method: "GET", Status: 200, Headers: &action.Headers{
				Request: map[string]string{"b": "2", "a": "1\x1b[2J\n12:00"}, Response: map[string]string{"server": "x"},
			},
		}}}}, nil
	}})
	out, _, status := r.run("network", "--headers")
	if status != 0 || !strings.HasSuffix(out, "\n    > a: 1[2J 12:00\n    > b: 2\n    < server: x\n") {
		t.Errorf("status %d, printed %q", status, out)
	}
}

func TestConsoleMessagesAreSanitized(t *testing.T) {
	r := newRig(t, &fakeGate{answer: func(c action.Call) (action.Result, error) {
		if c.Verb == "page.network" {
			return action.Result{Data: &action.NetworkListing{Requests: []action.NetworkRequest{{URL: "https://a.example/\x1b[2J\nx", Method: "GET", Error: "net::ERR\x07_FAILED"}}}}, nil
		}
		return action.Result{Data: &action.ConsoleListing{Messages: []action.ConsoleMessage{
			{Level: "error", Text: "red\x1b[31m\u202e\n12:00:00.000 log   forged", URL: "https://a.example/\x1b]0;x\x07", Line: 3, Timestamp: time.Now()},
		}}}, nil
	}})
	out, _, status := r.run("console")
	if status != 0 || strings.ContainsAny(out, "\x1b\x07\u202e") || !strings.Contains(out, "error red[31m\n    12:00:00.000 log   forged  https://a.example/]0;x:3\n") {
		t.Errorf("status %d, printed %q", status, out)
	}
	out, _, status = r.run("network")
	if status != 0 || strings.ContainsAny(out, "\x1b\x07") || strings.Count(out, "\n") != 1 || !strings.Contains(out, "net::ERR_FAILED GET https://a.example/[2J x") {
		t.Errorf("status %d, printed %q", status, out)
	}
}
