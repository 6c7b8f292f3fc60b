package e2e

import (
	"database/sql"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// unseen are faults that no answer of a complete test run has, with the reasons.
// A run that has one of them fails, and so does one that lacks any other.
var unseen = map[fault.Code]string{
	fault.SandboxWeak:     "takes a kernel that keeps Chromium from sandboxing itself; the session room's tests show one",
	fault.CDPError:        "takes a browser or guest that breaks the protocol; the bridge room's tests have both",
	fault.RedactionFailed: "takes what cannot be looked through for secrets; the gate's and the session room's tests have it",
}

// faults causes, one after the other, the faults that other tests do not cause.
func faults(t *testing.T, g *gateway) {
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	id := agent.open(`{"name": "twice"}`)
	agent.post("/v1/sessions", `{"name": "twice"}`).problem(fault.AlreadyActive)
	agent.post("/v1/sessions", `{"provider": "kernel"}`).problem(fault.ProviderNotSupported)
	agent.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/disabled"}`).object(http.StatusOK)
	agent.post("/v1/browser/click", `{"selector": "button", "timeout": 300}`).problem(fault.NotActionable)
	agent.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
	agent.post("/v1/browser/click", `{"selector": "p", "strict": true}`).problem(fault.Ambiguous)
	agent.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/dialog"}`).object(http.StatusOK)
	agent.post("/v1/browser/click", `{"selector": "button"}`).object(http.StatusOK)
	agent.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).problem(fault.DialogOpen)
	operator.post("/v1/sessions/"+id+"/browser/dialog", `{"accept": false}`).object(http.StatusOK)
	pageChanges(t, g, id)
	heldPage(t, g, id)
}

// pageChanges lets a person approve a script for a page that was loaded again meanwhile.
func pageChanges(t *testing.T, g *gateway, id string) {
	t.Helper()
	operator := g.curl(t, "operator")
	came, asked := askedAbout(t, g, id, "execute", `{"expression": "document.title"}`)
	operator.post("/v1/sessions/"+id+"/browser/reload", "").object(http.StatusOK)
	operator.post("/v1/approvals/"+asked+"/answer", `{"approve": true, "reason": "go on"}`).object(http.StatusOK)
	(<-came).problem(fault.PageChanged)
}

// heldPage tries to act on a page whose next document waits for a person: the refusal comes
// at once, though the call that caused it still waits.
func heldPage(t *testing.T, g *gateway, id string) {
	t.Helper()
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	signIn(t, g, agent)
	agent.post("/v1/browser/navigate", `{"url": "`+g.site+`/invoices/`+g.app.Invoices()[0].ID+`"}`).object(http.StatusOK)
	came, asked := askedAbout(t, g, id, "click", `{"role": "button", "name": "Delete invoice"}`)
	operator.post("/v1/sessions/"+id+"/browser/reload", "").problem(fault.NotActionable)
	operator.post("/v1/approvals/"+asked+"/answer", `{"approve": false}`).object(http.StatusOK)
	(<-came).problem(fault.ApprovalDenied)
}

// askedAbout makes an agent's call, and returns its answer and the question about it.
func askedAbout(t *testing.T, g *gateway, session, verb, args string) (came <-chan answer, question string) {
	t.Helper()
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	operator.get("/v1/approvals").object(http.StatusOK) // who lists questions is there to answer
	answers := make(chan answer, 1)
	go func() { answers <- agent.post("/v1/browser/"+verb, args, "Prefer: wait=300") }()
	testwait.For(t, "the question", func() bool {
		for _, q := range operator.get("/v1/approvals").object(http.StatusOK)["questions"].([]any) {
			if q.(object)["session"] == session {
				question = q.(object)["id"].(string)
			}
		}
		return question != ""
	})
	return answers, question
}

func TestAnUnansweredQuestionRefuses(t *testing.T) {
	g := start(t, settings{env: []string{"GLOVEBOX_SECURITY_HITL_TIMEOUTS_HIGH=1"}})
	c := g.curl(t, "agent")
	c.open(`{}`)
	signIn(t, g, c)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/invoices/`+g.app.Invoices()[0].ID+`"}`).object(http.StatusOK)
	g.curl(t, "operator").get("/v1/approvals").object(http.StatusOK) // somebody is there, and does not answer
	c.post("/v1/browser/click", `{"role": "button", "name": "Delete invoice"}`, "Prefer: wait=300").problem(fault.ApprovalTimeout)
}

func TestInvalidCredentialsRefuseTheVisit(t *testing.T) {
	testenv.Heavy(t)
	g := start(t, settings{env: []string{
		"GLOVEBOX_SECURITY_CREDENTIALS_VAULT_BACKEND=env",
		"GLOVEBOX_SECRET_SECRETS_BROWSER_LOCALHOST={", "GLOVEBOX_SECRET_SECRETS_BROWSER_127_0_0_1={",
	}})
	c := g.curl(t, "agent")
	c.open(`{}`)
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/"}`).problem(fault.CredentialsUnavailable)
}

func TestDisabledBrowsersDoNotStart(t *testing.T) {
	g := start(t, settings{env: []string{"GLOVEBOX_BROWSER_ENABLED=false"}})
	g.curl(t, "agent").post("/v1/sessions", `{}`).problem(fault.BrowserDisabled)
}

func TestBoxThatIsNoneIsAFailedStart(t *testing.T) {
	g := start(t, settings{image: "debian:bookworm-slim"})
	g.curl(t, "agent").post("/v1/sessions", `{}`).problem(fault.StartFailed)
}

// TestNothingRunsThatCannotBeRecorded makes the trail impossible to write by
// locking its file from another program.
func TestNothingRunsThatCannotBeRecorded(t *testing.T) {
	g := start(t, settings{})
	c := g.curl(t, "operator")
	c.open(`{}`)
	db, err := sql.Open("sqlite", filepath.Join(g.dir, "state", "glovebox.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	lock, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := lock.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).problem(fault.AuditUnavailable)
	if got := c.get("/readyz"); got.status != http.StatusServiceUnavailable || !strings.Contains(string(got.body), "storage") {
		t.Errorf("readiness: %d %s", got.status, got.body)
	}
	if _, err := lock.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/lab/controls"}`).object(http.StatusOK)
}

// TestProblemsOfTheGatewayAreInternalFaults puts a folder where the gateway
// expects a file.
func TestProblemsOfTheGatewayAreInternalFaults(t *testing.T) {
	g := start(t, settings{})
	c := g.curl(t, "operator")
	id := c.open(`{}`)
	c.get("/v1/browser/screenshot")
	files, _ := c.get("/v1/sessions/" + id + "/artifacts").object(http.StatusOK)["artifacts"].([]any)
	if len(files) != 1 {
		t.Fatalf("artifacts %v", files)
	}
	file := files[0].(object)["id"].(string)
	path := filepath.Join(g.dir, "state", "artifacts", file)
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if got := c.get("/v1/artifacts/" + file); strings.Contains(string(got.body), g.dir) {
		t.Errorf("it shows where files are: %s", got.body)
	} else {
		got.problem(fault.Internal)
	}
}
