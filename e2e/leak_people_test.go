package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// peopleAsked lets an agent make calls that need an approval, about an element
// whose text and surroundings are secrets, and reads what people get on each
// channel.
func (l *leak) peopleAsked(t *testing.T) {
	heard := listenTo(t, l.gateway)
	l.fresh(t, "/asked")
	agent, operator := l.as(t, "agent"), l.as(t, "operator")
	waits := agent.post(l.at("/click"), `{"role": "button", "name": "Delete"}`, "Prefer: wait=0")
	l.clean(t, waits)
	id := waits.object(http.StatusAccepted)["approvalId"].(string)
	heard.wants(t, "question", id)
	wish := agent.post(l.at("/navigate"), `{"url": "`+l.base+`/away"}`)
	l.clean(t, wish)
	for _, path := range []string{"/v1/approvals?state=all", "/v1/approvals/" + id} {
		asked := operator.get(path)
		l.clean(t, asked)
		l.lively(t, asked.what, asked.body)
	}
	l.clean(t, agent.get("/v1/approvals/"+id+"/status"))
	picture, _ := operator.get("/v1/approvals/" + id).object(http.StatusOK)["screenshot"].(string)
	l.clean(t, operator.get("/v1/artifacts/"+picture))
	for _, args := range [][]string{{"approvals", "list"}, {"approvals", "list", "--json"}, {"approvals", "show", id}, {"approvals", "show", id, "--json"}} {
		out, status := l.commandAs(t, "operator", args...)
		if l.cleanText(t, strings.Join(args, " "), []byte(out)); status != 0 {
			t.Errorf("%v: %d %s", args, status, out)
		}
	}
	operator.post("/v1/approvals/"+id+"/answer", `{"approve": false, "reason": "no"}`).object(http.StatusOK)
	heard.wants(t, "answer", id)
	testwait.For(t, "the webhook to be told", func() bool { return strings.Contains(string(l.hook.bytes()), "question.answered") })
	l.cleanText(t, "the webhook", l.hook.bytes())
	l.lively(t, "the webhook", l.hook.bytes())
	result, err := l.operator.Call(t.Context(), action.Call{Verb: "events.follow", Args: &action.FollowEvents{After: new(int64)}, Surface: "cli"})
	if page, is := result.Data.(*action.EventPage); err != nil || !is || len(page.Events) == 0 {
		t.Errorf("no events: %v", err)
	}
	events := operator.get("/v1/events?after=0")
	l.clean(t, events)
	l.lively(t, "events", events.body)
	l.clean(t, l.as(t, "viewer").get("/v1/events?after=0"))
}

// ran reads the page by a contract run, which has a browser of its own.
func (l *leak) ran(t *testing.T) {
	body := fmt.Sprintf(`{"url": "%s/shown", "domain_allowlist": ["localhost"], "timeout": 120000, "actions": [
		{"type": "read_page"}, {"type": "screenshot", "name": "shot"}, {"type": "search_text", "text": "beacon"},
		{"type": "navigate", "url": "%s/mirror?form=base64"}, {"type": "wait", "text": "all is shown"}, {"type": "read_page"},
		{"type": "left_click", "selector": "#nowhere", "timeout": 300}, {"type": "navigate", "url": "%s/moved"}, {"type": "read_page"}]}`, l.base, l.base, l.base)
	agent := l.as(t, "agent")
	run := agent.post("/v1/runs", body, "Prefer: wait=300")
	l.clean(t, run)
	l.lively(t, "a run", run.body)
	id, _ := run.object(http.StatusOK)["run_id"].(string)
	stream := l.as(t, "operator").post("/v1/runs", body, "Accept: text/event-stream")
	l.clean(t, stream)
	l.lively(t, "the steps of a run", stream.body)
	for _, role := range []string{"agent", "viewer", "operator"} {
		l.clean(t, l.as(t, role).get("/v1/runs/"+id))
		l.clean(t, l.as(t, role).get("/v1/runs?state=all"))
	}
}

// crawled reads pages with a crawl.
func (l *leak) crawled(t *testing.T) {
	for _, crawl := range []struct{ role, extract, accept string }{
		{"agent", "markdown", "application/json"}, {"agent", "text", "text/event-stream"}, {"agent", "links", "application/json"},
		{"operator", "html", "application/json"}, {"operator", "markdown", "text/event-stream"},
	} {
		got := l.as(t, crawl.role).post(l.at("/crawl"), fmt.Sprintf(`{"url": "%s/places", "maxPages": 2, "extract": %q}`, l.base, crawl.extract), "Accept: "+crawl.accept)
		got.what = fmt.Sprintf("a crawl of the %s for %s as %s", crawl.role, crawl.extract, crawl.accept)
		l.clean(t, got)
		l.lively(t, got.what, got.body)
	}
	html := l.as(t, "agent").post(l.at("/crawl"), fmt.Sprintf(`{"url": "%s/places", "extract": "html"}`, l.base))
	l.clean(t, html)
	html.problem(fault.DeniedByPolicy)
}

// trailOfAll searches the records of everything done so far, in every format, and
// the spans sent to OpenTelemetry.
func (l *leak) trailOfAll(t *testing.T) {
	operator := l.as(t, "operator")
	for _, path := range []string{"/v1/audit/export?format=jsonl", "/v1/audit/export?format=csv", "/v1/audit?limit=1000"} {
		l.lively(t, path, l.fetched(operator, path))
	}
	for _, args := range [][]string{{"audit", "tail", "-n", "500"}, {"audit", "query", "--json", "-n", "500"}, {"audit", "verify"}, {"doctor"}} {
		out, status := l.commandAs(t, "operator", args...)
		if l.cleanText(t, strings.Join(args, " "), []byte(out)); status != 0 && args[0] == "audit" {
			t.Errorf("%v: %d %s", args, status, out)
		}
	}
	if verdict := operator.get("/v1/audit/verify").object(http.StatusOK); verdict["ok"] != true {
		t.Errorf("the trail is broken: %v", verdict)
	}
	testwait.For(t, "spans", func() bool { return len(l.spans.bytes()) > 0 })
	l.cleanText(t, "OpenTelemetry", l.spans.bytes())
	if !bytes.Contains(l.spans.bytes(), []byte("page.goto")) {
		t.Error("the spans are none of these calls")
	}
	l.cleanText(t, "the webhook", l.hook.bytes())
	l.cleanText(t, "the gateway's log", []byte(l.log.String()))
	metrics, err := http.Get(l.url() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	_ = metrics.Body.Close() // there are no metrics yet; when there are, check them here
	if metrics.StatusCode == http.StatusOK {
		t.Error("there are metrics, and nobody looks at them here")
	}
}
