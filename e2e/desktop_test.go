package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const desktopPage = `<!doctype html><title>Desk</title><style>body {margin: 0; background: rgb(10 200 30)} button, input {position: absolute; left: 20px; width: 200px; height: 40px} p {margin-left: 400px}</style>
<input id=q aria-label=Notes style="top: 20px">
<button id=more style="top: 80px" onclick="said.textContent = 'shown ' + ++shown">Show more</button>
<button id=gone style="top: 140px" onclick="said.textContent = 'deleted'">Delete account</button>
<p id=said>nothing</p><script>let shown = 0</script>`

// Points of the display on the page: below the tab strip and the address bar.
const (
	atField  = `{"x": 100, "y": 127}`
	atMore   = `{"x": 60, "y": 187}`
	atDelete = `{"x": 60, "y": 247}`
	atTabs   = `{"x": 640, "y": 20}` // beside the page
)

// desk is an agent and an operator at the display of one session.
type desk struct {
	t               *testing.T
	agent, operator curl
	session         string
}

// sees expects a text on the page.
func (d desk) sees(text string) {
	d.t.Helper()
	if page := fmt.Sprint(d.operator.get("/v1/sessions/" + d.session + "/browser/snapshot").object(http.StatusOK)["snapshot"]); !strings.Contains(page, text) {
		d.t.Errorf("the page lacks %q:\n%s", text, page)
	}
}

// approved makes a call of the agent that a person must allow, and allows it.
func (d desk) approved(path, body, risk string) {
	d.t.Helper()
	asked := d.agent.post(path, body, "Prefer: wait=0").object(http.StatusAccepted)
	if asked["risk"] != risk {
		d.t.Errorf("%s %s is %v, want %s", path, body, asked["risk"], risk)
	}
	d.operator.post(fmt.Sprintf("/v1/approvals/%s/answer", asked["approvalId"]), `{"approve": true, "reason": "a test"}`).object(http.StatusOK)
	d.agent.post(path, body, "Prefer: wait=0").object(http.StatusOK)
}

// TestTheDisplayIsUsedByAgentsAndPeople uses mouse and keyboard of a display as an
// agent, who is judged as in the page, and as the person who has the session.
func TestTheDisplayIsUsedByAgentsAndPeople(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, desktopPage)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	g := start(t, settings{env: []string{
		"GLOVEBOX_SECURITY_NETWORK_NAVIGATION=127.0.0.1", "GLOVEBOX_SECURITY_NETWORK_ALLOW_PRIVATE=127.0.0.1:" + port,
		"GLOVEBOX_SECURITY_HITL_TRUSTED_DOMAINS=", "GLOVEBOX_SECURITY_HITL_ASK_AT=act",
	}})
	d := desk{t: t, agent: g.curl(t, "agent"), operator: g.curl(t, "operator")}
	d.session = d.agent.open(`{}`)
	d.operator.post("/v1/sessions/"+d.session+"/browser/navigate", fmt.Sprintf(`{"url": %q}`, server.URL)).object(http.StatusOK)
	d.isJudgedAsInThePage()
	d.isShown()
	d.pressesWhatWasJudged()
	d.isDrivenByItsHolder()
	d.asksNobodyInItsOwnWindow(server.URL)
}

// asksNobodyInItsOwnWindow has a page ask for permissions about which a browser with a window
// asks the person in front of it. Nobody could answer there: they are refused at once.
func (d desk) asksNobodyInItsOwnWindow(page string) {
	d.t.Helper()
	d.operator.post("/v1/sessions/"+d.session+"/browser/navigate", fmt.Sprintf(`{"url": %q}`, page)).object(http.StatusOK)
	for _, request := range []string{"navigator.clipboard.readText()", "navigator.requestMIDIAccess()", "navigator.requestMIDIAccess({sysex: true})", "queryLocalFonts()", "getScreenDetails()",
		"navigator.mediaDevices.getUserMedia({audio: true})", "navigator.mediaDevices.getDisplayMedia()", "navigator.usb.requestDevice({filters: []})"} {
		expression := "(async () => { try { return 'granted: ' + JSON.stringify(await " + request + ") } catch (e) { return 'refused' } })()"
		body, _ := json.Marshal(object{"expression": expression, "awaitPromise": true})
		got := d.operator.post("/v1/sessions/"+d.session+"/browser/execute", string(body)).object(http.StatusOK)
		if answer := got["result"]; answer != "refused" && answer != "granted: []" {
			d.t.Errorf("%s: %v", request, got)
		}
	}
}

func (d desk) isJudgedAsInThePage() {
	d.t.Helper()
	if at := d.agent.post("/v1/desktop/mouse/click", atMore).object(http.StatusOK); at["x"] != 60.0 || at["y"] != 187.0 || at["screen"] != 0.0 {
		d.t.Errorf("the pointer is at %v", at)
	}
	d.sees("shown 1")
	asked := d.agent.post("/v1/desktop/mouse/click", atDelete, "Prefer: wait=0").object(http.StatusAccepted)
	q := d.operator.get(fmt.Sprintf("/v1/approvals/%s", asked["approvalId"])).object(http.StatusOK)
	if element, _ := q["element"].(object); asked["risk"] != "CRITICAL" || q["verb"] != "page.click" || element["name"] != "Delete account" {
		d.t.Errorf("the question is %v", q)
	}
	d.operator.post(fmt.Sprintf("/v1/approvals/%s/answer", asked["approvalId"]), `{"approve": false, "reason": "no"}`).object(http.StatusOK)
	d.agent.post("/v1/desktop/mouse/click", atDelete, "Prefer: wait=0").problem(fault.ApprovalDenied)
	d.agent.post("/v1/desktop/mouse/click", atTabs).problem(fault.DeniedByPolicy)
	d.agent.post("/v1/desktop/mouse/down", atTabs).problem(fault.DeniedByPolicy)
	d.agent.post("/v1/desktop/keyboard/press", `{"key": "l", "modifiers": {"ctrl": true}}`).problem(fault.DeniedByPolicy)
	d.agent.post("/v1/desktop/keyboard/down", `{"key": "F6"}`).problem(fault.DeniedByPolicy)
	d.sees("shown 1")
	d.agent.post("/v1/desktop/mouse/move", atMore).object(http.StatusOK)
	d.agent.post("/v1/desktop/mouse/click", atField).object(http.StatusOK)
	d.agent.post("/v1/desktop/keyboard/type", `{"text": "Ada"}`).object(http.StatusOK)
	d.agent.post("/v1/desktop/keyboard/press", `{"key": "!", "modifiers": {"shift": true}}`).object(http.StatusOK)
	d.sees(`"Ada!"`)
	d.agent.post("/v1/desktop/mouse/scroll", `{"x": 60, "y": 400, "deltaY": 1}`).object(http.StatusOK)
	trail := string(d.operator.get("/v1/audit?session=" + d.session + "&limit=1000").body)
	for _, recorded := range []string{"by desktop.mouse_click, the display at 60, 187", "by desktop.key_type", `"action":"desktop.mouse_click"`} {
		if !strings.Contains(trail, recorded) {
			d.t.Errorf("the audit lacks %q", recorded)
		}
	}
}

func (d desk) isShown() {
	d.t.Helper()
	shot := d.agent.get("/v1/desktop/screenshot?showCursor=true")
	picture, err := png.Decode(bytes.NewReader(shot.body))
	if err != nil || shot.header.Get("Content-Type") != "image/png" {
		d.t.Fatalf("%s, %v", shot.header.Get("Content-Type"), err)
	}
	if got := color.RGBAModel.Convert(picture.At(700, 500)); got != (color.RGBA{10, 200, 30, 255}) {
		d.t.Errorf("the page has the colour %v", got)
	}
	windows, _ := d.agent.get("/v1/desktop/windows").object(http.StatusOK)["windows"].([]any)
	if len(windows) != 1 || !strings.Contains(fmt.Sprint(windows[0]), "Desk") {
		d.t.Errorf("the windows are %v", windows)
	}
	d.agent.post("/v1/desktop/clipboard", `{"text": "copied"}`).object(http.StatusOK)
	if got := d.agent.get("/v1/desktop/clipboard").object(http.StatusOK); got["text"] != "copied" || got["selection"] != "clipboard" {
		d.t.Errorf("the clipboard has %v", got)
	}
	headless := d.operator.open(`{"headless": true}`)
	d.operator.get("/v1/sessions/" + headless + "/desktop/screenshot").problem(fault.ProviderNotSupported)
	d.operator.post("/v1/sessions/"+headless+"/desktop/mouse/click", atMore).problem(fault.ProviderNotSupported)
}

// pressesWhatWasJudged holds and releases a button, and has the page put another
// element below the pointer while a person is asked.
func (d desk) pressesWhatWasJudged() {
	d.t.Helper()
	d.approved("/v1/desktop/mouse/down", atMore, "MEDIUM")
	d.approved("/v1/desktop/mouse/up", `{}`, "MEDIUM")
	d.sees("shown 2")
	for _, path := range []string{"/v1/desktop/mouse/click", "/v1/desktop/mouse/down"} {
		d.operator.get("/v1/approvals").object(http.StatusOK) // who lists questions is there to answer
		came := make(chan answer, 1)
		go func() { came <- d.agent.post(path, atDelete, "Prefer: wait=300") }()
		waiting := d.question()
		d.operator.post("/v1/sessions/"+d.session+"/browser/execute", `{"expression": "gone.textContent = 'Delete everything'"}`).object(http.StatusOK)
		d.operator.post("/v1/approvals/"+waiting+"/answer", `{"approve": true, "reason": "a test"}`).object(http.StatusOK)
		(<-came).problem(fault.PageChanged)
		d.operator.post("/v1/sessions/"+d.session+"/browser/execute", `{"expression": "gone.textContent = 'Delete account'"}`).object(http.StatusOK)
	}
	d.sees("shown 2")
}

// question waits for the only question that nobody has answered.
func (d desk) question() string {
	d.t.Helper()
	id := ""
	testwait.For(d.t, "a question", func() bool {
		list, _ := d.operator.get("/v1/approvals").object(http.StatusOK)["questions"].([]any)
		for _, q := range list {
			if q.(object)["state"] == "pending" {
				id = fmt.Sprint(q.(object)["id"])
			}
		}
		return id != ""
	})
	return id
}

func (d desk) isDrivenByItsHolder() {
	d.t.Helper()
	at := "/v1/sessions/" + d.session
	d.operator.post(at+"/take", `{}`).object(http.StatusOK)
	d.agent.post("/v1/desktop/mouse/click", atMore).problem(fault.SessionPaused)
	d.operator.post(at+"/desktop/mouse/click", atDelete).object(http.StatusOK)
	d.sees("deleted")
	d.operator.post(at+"/desktop/mouse/click", `{"x": 100, "y": 127, "clickCount": 3}`).object(http.StatusOK)
	d.operator.post(at+"/desktop/keyboard/press", `{"key": "v", "modifiers": {"ctrl": true}}`).object(http.StatusOK)
	d.sees(`"copied"`)
	d.operator.post(at+"/desktop/keyboard/type", `{"text": " Größe 漢", "delayMs": 5}`).object(http.StatusOK)
	d.sees(`"copied Größe 漢"`)
	d.operator.post(at+"/desktop/keyboard/press", `{"key": "a", "modifiers": {"ctrl": true}}`).object(http.StatusOK)
	d.operator.post(at+"/desktop/keyboard/press", `{"key": "c", "modifiers": {"ctrl": true}}`).object(http.StatusOK)
	if got := d.operator.get(at + "/desktop/clipboard").object(http.StatusOK); got["text"] != "copied Größe 漢" {
		d.t.Errorf("the clipboard has %v", got)
	}
	if got := d.operator.get(at + "/desktop/mouse/position").object(http.StatusOK); got["x"] != 100.0 || got["y"] != 127.0 || got["window"] == nil {
		d.t.Errorf("the pointer is at %v", got)
	}
	d.operator.post(at+"/hand-back", `{}`).object(http.StatusOK)
	d.agent.post("/v1/desktop/mouse/click", atMore).object(http.StatusOK)
	d.sees("shown 3")
	d.operator.post(at+"/take", `{}`).object(http.StatusOK)
	d.operator.post(at+"/browser/tabs", `{}`).object(http.StatusCreated)
	d.operator.post(at+"/desktop/mouse/click", `{"x": 100, "y": 20}`).object(http.StatusOK) // the first tab
	d.operator.post(at+"/hand-back", `{}`).object(http.StatusOK)
	if shot := d.agent.get("/v1/browser/screenshot"); shot.status != http.StatusOK {
		d.t.Errorf("the active tab is not shown: %s", shot.body)
	}
}
