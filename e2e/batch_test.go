package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// batches makes a batch that stops at a step with a question, and continues there
// after the answer: nothing is done twice. A batch with an invalid step does
// nothing.
func batches(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	session := c.open(`{}`)
	signIn(t, g, c)
	invoice := g.app.Invoices()[0].ID
	const steps = `{"steps": [{"verb": "page.goto", "args": {"url": "%s"}}, {"verb": "page.click", "args": {"role": "button", "name": "Delete invoice"}}, {"verb": "%s"}]}`
	at := g.site + "/invoices/" + invoice
	if bad := c.post("/v1/browser/batch", fmt.Sprintf(steps, at, "page.fly")).problem(fault.InvalidRequest); !strings.Contains(fmt.Sprint(bad), "steps.2.verb") {
		t.Errorf("a bad third step: %v", bad)
	}
	body := fmt.Sprintf(steps, at, "page.back")
	waits := c.post("/v1/browser/batch", body, "Prefer: wait=0").object(http.StatusOK)
	if waits["state"] != "pending" || waits["done"] != 1.0 {
		t.Fatalf("the batch says %v", waits)
	}
	id := waits["pending"].(object)["approvalId"].(string)
	if out, complaint, status := g.command(t, "approvals", "approve", id, "--reason", "the customer asked for it"); status != 0 {
		t.Fatalf("status %d\n%s%s", status, out, complaint)
	}
	done := c.post("/v1/browser/batch", body, "Prefer: wait=0").object(http.StatusOK)
	if done["ok"] != true || done["done"] != 3.0 || done["resumed"] != 1.0 || exists(g.app, invoice) {
		t.Errorf("the batch says %v, and the invoice is there: %t", done, exists(g.app, invoice))
	}
	if got := g.verbs(t, session); strings.Count(got, "page.goto") != 2 || strings.Count(got, "page.back ok") != 1 { // signing in, and once in the batch
		t.Errorf("the trail has %s", got)
	}
	c.post("/v1/sessions/"+session+"/archive", "").object(http.StatusOK)
}

// resources reads a session's resources, also by its name over another
// connection.
func resources(t *testing.T, g *gateway) {
	first := g.streamable(t, g.token("agent"), "2025-11-25")
	first.must("browser_session", object{"action": "start", "name": "kept", "url": g.site}, "kept")
	first.must("browser_take_screenshot", object{"session": "kept"}, "")
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	a := g.stdio(t)
	a.must("browser_snapshot", object{"session": "kept"}, "Sign in to Northwind")
	page, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "glovebox://session/kept/snapshot"})
	if err != nil || !strings.Contains(page.Contents[0].Text, "Sign in to Northwind") {
		t.Errorf("the page is %+v, %v", page, err)
	}
	list, err := a.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pictures := 0
	for _, r := range list.Resources {
		if r.MIMEType != "image/png" {
			continue
		}
		pictures++
		file, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI})
		if err != nil || !bytes.HasPrefix(file.Contents[0].Blob, []byte("\x89PNG")) {
			t.Errorf("%s: %v", r.URI, err)
		}
	}
	if pictures == 0 {
		t.Errorf("no picture among %+v", list.Resources)
	}
	a.must("browser_session", object{"action": "archive", "session": "kept"}, "archived")
}
