package e2e

import (
	"bytes"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/demosite"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// ref finds the reference of a line of a snapshot.
func ref(t *testing.T, snapshot, line string) string {
	t.Helper()
	found := regexp.MustCompile(regexp.QuoteMeta(line) + `.*?\[(e\d+)\]`).FindStringSubmatch(snapshot)
	if found == nil {
		t.Fatalf("no reference for %s in\n%s", line, snapshot)
	}
	return found[1]
}

func restMainJob(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	session := c.post("/v1/sessions", `{"name": "by-hand", "width": 1000, "height": 700}`).object(http.StatusOK)
	if session["state"] != "open" || session["name"] != "by-hand" || session["width"] != 1000.0 || session["dpi"] != 96.0 || session["box"] == "" {
		t.Errorf("session %v", session)
	}
	at := c.post("/v1/browser/navigate", `{"url": "`+g.site+`"}`).object(http.StatusOK)
	if at["url"] != g.site+"/login" || at["status"] != 200.0 || !strings.Contains(at["title"].(string), "Sign in") {
		t.Errorf("navigated to %v", at)
	}
	shot := c.get("/v1/browser/snapshot").object(http.StatusOK)
	text := shot["snapshot"].(string)
	for _, line := range []string{`textbox "E-mail`, `textbox "Password"`, "(protected)", `button "Continue as demo user"`} {
		if !strings.Contains(text, line) {
			t.Errorf("the snapshot lacks %q:\n%s", line, text)
		}
	}
	acted := c.post("/v1/browser/click", `{"ref": "`+ref(t, text, `button "Continue as demo user"`)+`"}`).object(http.StatusOK)
	element, _ := acted["element"].(object)
	if acted["ok"] != true || element["role"] != "button" || element["name"] != "Continue as demo user" || acted["newPage"] != true {
		t.Errorf("clicked %v", acted)
	}
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/invoices/new"}`).object(http.StatusOK)
	text = c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"].(string)
	typed := c.post("/v1/browser/type", `{"ref": "`+ref(t, text, `textbox "Customer`)+`", "text": "Ada & Søn"}`).object(http.StatusOK)
	if typed["ok"] != true {
		t.Errorf("typed %v", typed)
	}
	if text = c.get("/v1/browser/snapshot").object(http.StatusOK)["snapshot"].(string); !strings.Contains(text, `value="Ada & Søn"`) {
		t.Errorf("the field was not filled:\n%s", text)
	}
	tree := c.get("/v1/browser/snapshot?format=tree&depth=3").object(http.StatusOK)
	if root, _ := tree["tree"].(object); root["role"] != "RootWebArea" {
		t.Errorf("tree %v", tree)
	}
	restPicture(t, c)
	restEnd(t, g, c, session["id"].(string))
}

func restPicture(t *testing.T, c curl) {
	t.Helper()
	got := c.get("/v1/browser/screenshot")
	picture, err := png.Decode(bytes.NewReader(got.body))
	if err != nil || got.status != http.StatusOK || got.header.Get("Content-Type") != "image/png" {
		t.Fatalf("screenshot: %d %s %v", got.status, got.header.Get("Content-Type"), err)
	}
	if size := picture.Bounds().Size(); size.X != 1000 || size.Y < 500 || size.Y > 700 {
		t.Errorf("the picture is %v", size)
	}
	if pdf := c.get("/v1/browser/pdf?format=letter"); pdf.header.Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(pdf.body, []byte("%PDF-")) {
		t.Errorf("pdf: %d %s", pdf.status, pdf.header.Get("Content-Type"))
	}
	title := c.get("/v1/browser/extract?mode=title").object(http.StatusOK)
	if title["mode"] != "title" || title["text"] == "" || title["url"] == "" {
		t.Errorf("title %v", title)
	}
}

// restEnd closes and archives, and checks what remains.
func restEnd(t *testing.T, g *gateway, c curl, id string) {
	t.Helper()
	files, _ := c.get("/v1/sessions/by-hand/artifacts").object(http.StatusOK)["artifacts"].([]any)
	if len(files) != 2 {
		t.Fatalf("artifacts %v", files)
	}
	file := c.get("/v1/artifacts/" + files[1].(object)["id"].(string))
	if file.status != http.StatusOK || !bytes.HasPrefix(file.body, []byte("\x89PNG")) {
		t.Errorf("artifact: %d, %d bytes", file.status, len(file.body))
	}
	if closed := c.post("/v1/sessions/by-hand/close", "").object(http.StatusOK); closed["state"] != "closed" || closed["closed"] == nil {
		t.Errorf("closed %v", closed)
	}
	g.settled(t)
	c.get("/v1/sessions/" + id + "/browser/snapshot").problem(fault.NotActive)
	if archived := c.post("/v1/sessions/"+id+"/archive", "").object(http.StatusOK); archived["state"] != "archived" {
		t.Errorf("archived %v", archived)
	}
	if listing := c.get("/v1/sessions").object(http.StatusOK); strings.Contains(string(c.get("/v1/sessions").body), id) {
		t.Errorf("an archived session is listed: %v", listing)
	}
	if all := c.get("/v1/sessions?include_archived=true"); !strings.Contains(string(all.body), id) {
		t.Errorf("the archived session is lost: %s", all.body)
	}
}

// restQuestion lets an agent delete, and people deny and then approve it, over
// REST.
func restQuestion(t *testing.T, g *gateway) {
	agent, operator := g.curl(t, "agent"), g.curl(t, "operator")
	id := agent.open(`{}`)
	signIn(t, g, agent)
	invoice := g.app.Invoices()[0]
	agent.post("/v1/browser/navigate", `{"url": "`+g.site+`/invoices/`+invoice.ID+`"}`).object(http.StatusOK)
	press := func() answer {
		return agent.post("/v1/browser/click", `{"role": "button", "name": "Delete invoice"}`, "Prefer: wait=0")
	}
	waits := press().object(http.StatusAccepted)
	approval, _ := waits["approvalId"].(string)
	if waits["state"] != "pending" || waits["risk"] != "HIGH" || approval == "" || waits["expires"] == nil {
		t.Fatalf("waiting %v", waits)
	}
	if again := press().object(http.StatusAccepted); again["approvalId"] != approval {
		t.Errorf("the same call asks another question: %v", again)
	}
	agent.get("/v1/approvals").problem(fault.DeniedByPolicy)
	agent.post("/v1/approvals/"+approval+"/answer", `{"approve": true}`).problem(fault.DeniedByPolicy)
	question := operator.get("/v1/approvals/" + approval).object(http.StatusOK)
	if question["session"] != id || question["verb"] != "page.request" || question["why"] == "" || question["element"].(object)["name"] != "Delete invoice" {
		t.Errorf("question %v", question)
	}
	operator.post("/v1/approvals/"+approval+"/answer", `{"approve": false, "reason": "keep it"}`).object(http.StatusOK)
	press().problem(fault.ApprovalDenied)
	if !exists(g.app, invoice.ID) {
		t.Fatal("a refused call was done")
	}
	approval = press().object(http.StatusAccepted)["approvalId"].(string)
	operator.post("/v1/approvals/"+approval+"/answer", `{"approve": true, "reason": "it may go"}`).object(http.StatusOK)
	testwait.For(t, "the request to be sent", func() bool { // which was held
		return agent.get("/v1/approvals/" + approval + "/status").object(http.StatusOK)["state"] == "used"
	})
	if done := press().object(http.StatusOK); done["ok"] != true || exists(g.app, invoice.ID) {
		t.Errorf("the approved call was not done: %v", done)
	}
	operator.post("/v1/approvals/"+approval+"/answer", `{"approve": true, "reason": "again"}`).problem(fault.NotActive)
}

func signIn(t *testing.T, g *gateway, c curl) {
	t.Helper()
	c.post("/v1/browser/navigate", `{"url": "`+g.site+`/login"}`).object(http.StatusOK)
	c.post("/v1/browser/click", `{"text": "Continue as demo user"}`).object(http.StatusOK)
}

func exists(app *demosite.Site, id string) bool {
	for _, invoice := range app.Invoices() {
		if invoice.ID == id {
			return true
		}
	}
	return false
}
