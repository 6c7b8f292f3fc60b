package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// provoked are calls that fail or redirect, and repeat text of the page.
func (l *leak) provoked(t *testing.T) {
	l.fresh(t, "/choice") // where a failing look-up is allowed: an agent has so many of them
	for _, role := range []string{"agent", "operator"} {
		c := l.as(t, role)
		for _, call := range []struct {
			path, body string
			lively     bool
		}{
			{"/select", `{"selector": "#colour", "value": "none such"}`, true}, // lists what there is
			{"/click", `{"selector": "#under", "timeout": 1500}`, false},       // says what covers it
			{"/click", `{"text": "none such", "timeout": 500}`, false},
			{"/type", `{"selector": "#colour", "text": "-", "timeout": 500}`, false}, // no letter: one may complete part of a secret that the page cuts off, which pauses the session
			{"/drag", `{"from": {"selector": "#colour"}, "to": {"selector": "#under"}, "timeout": 1500}`, false},
			{"/select", `{"selector": "#under", "value": "-", "timeout": 500}`, false},
			{"/navigate", `{"url": "` + l.base + `/away"}`, false},
			{"/navigate", `{"url": "` + l.base + `/moved"}`, true},
			{"/back", ``, false},
			{"/reload", ``, false},
		} {
			if strings.HasPrefix(call.path, "/navigate") {
				l.show(t, "/choice")
			}
			got := c.post(l.at(call.path), call.body)
			l.clean(t, got)
			if call.lively {
				l.lively(t, got.what, got.body)
			}
		}
	}
	l.looked(t, "a page that was moved", false, "agent", "operator")
	for _, verb := range []string{"page.snapshot", "page.network", "page.console", "tab.list"} {
		l.clean(t, l.as(t, "agent").post("/v1/verbs/"+verb, fmt.Sprintf(`{"session": %q}`, l.session)))
	}
}

// tools uses every tool that shows content of a page, over both transports.
func (l *leak) tools(t *testing.T) {
	l.fresh(t, "/")
	for _, a := range []agent{l.streamable(t, l.token("agent"), ""), l.stdio(t)} {
		for _, form := range []string{"raw", "base64-2", "hex", "elements"} {
			l.used(t, a, "browser_navigate", object{"url": l.base + "/mirror?form=" + form}, false)
			l.used(t, a, "browser_wait_for", object{"text": "all is shown"}, false)
			for _, call := range []struct {
				tool string
				args object
			}{
				{"browser_snapshot", object{}}, {"browser_read", object{}}, {"browser_markdown", object{}}, {"browser_find", object{"text": leaksite.Beacon}},
				{"browser_console_messages", object{}}, {"browser_network_requests", object{}}, {"browser_tabs", object{"action": "list"}},
			} {
				l.used(t, a, call.tool, call.args, form == "raw" || call.tool != "browser_find")
			}
			l.used(t, a, "browser_take_screenshot", object{}, false)
			l.used(t, a, "browser_hover", object{"selector": "h2"}, false)
			l.used(t, a, "browser_click", object{"selector": "#tell"}, true)
			l.used(t, a, "browser_snapshot", object{}, true)
			l.used(t, a, "browser_handle_dialog", object{"accept": false}, false)
		}
		l.used(t, a, "browser_navigate", object{"url": l.base + "/choice"}, false)
		l.used(t, a, "browser_select_option", object{"selector": "#colour", "values": []string{"none such"}}, true)
		l.used(t, a, "browser_crawl", object{"url": l.base + "/shown", "maxPages": 2}, true)
		l.used(t, a, "browser_session", object{"action": "list"}, false)
	}
}

// used calls a tool, and looks at all of the answer: texts, structured content,
// pictures' bytes, what else a result may carry.
func (l *leak) used(t *testing.T, a agent, tool string, args object, lively bool) {
	t.Helper()
	args["session"] = l.session
	result, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return
	}
	whole, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	l.cleanText(t, tool, whole)
	for _, content := range result.Content {
		if text, is := content.(*mcp.TextContent); is {
			l.cleanText(t, tool, []byte(text.Text))
		}
	}
	if lively {
		l.lively(t, tool, whole)
	}
}

// commands reads the page by the command line, in both of its shapes.
func (l *leak) commands(t *testing.T) {
	l.show(t, "/mirror?form=raw")
	for _, args := range [][]string{
		{"snapshot"}, {"snapshot", "--urls"}, {"extract"}, {"markdown"}, {"links"}, {"find", leaksite.Beacon}, {"console"}, {"network"},
		{"tabs", "list"}, {"status"}, {"scrape", "h=h2"}, {"content"}, {"execute", "document.cookie + document.title"}, {"cookies", "list"},
		{"downloads", "list"}, {"artifacts", "list"}, {"session", "show"}, {"har", "-o", filepath.Join(t.TempDir(), "session.har")}, {"hover", "--selector", "h2"},
	} {
		for _, how := range []struct {
			role string
			more []string
		}{{"operator", nil}, {"operator", []string{"--json"}}, {"agent", []string{"--json"}}} {
			what := fmt.Sprintf("glovebox %v %v of the %s", args, how.more, how.role)
			out, status := l.commandAs(t, how.role, append(append(args, "-s", l.session), how.more...)...)
			l.cleanText(t, what, []byte(out))
			if status == int(fault.InvalidRequest.Info().Exit) {
				t.Errorf("%s is misspelt: %s", what, out)
			}
			if status == 0 && (args[0] == "snapshot" || args[0] == "extract" || args[0] == "links" || args[0] == "network") {
				l.lively(t, what, []byte(out))
			}
		}
	}
}

// protocol lets an operator's DevTools client read all that it may, and checks
// that an agent's is refused.
func (l *leak) protocol(t *testing.T) {
	l.show(t, "/mirror?form=raw")
	upgrade := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
	for _, role := range []string{"agent", "viewer"} {
		got := l.as(t, role).get(l.at("/cdp"), upgrade...)
		got.problem(fault.DeniedByPolicy)
		l.clean(t, got)
	}
	p := l.dial(t)
	target := ""
	var infos struct {
		TargetInfos []struct{ TargetID, Type, URL string }
	}
	p.ask("", "Target.getTargets", object{}, &infos)
	for _, info := range infos.TargetInfos {
		if info.Type == "page" {
			target = info.TargetID
		}
	}
	var attached struct{ SessionID string }
	p.ask("", "Target.attachToTarget", object{"targetId": target, "flatten": true}, &attached)
	page := attached.SessionID
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	p.ask(page, "Page.getFrameTree", object{}, &tree)
	origin, frame := l.base, tree.FrameTree.Frame.ID
	for _, domain := range []string{"Network", "Runtime", "Page", "DOM", "Log", "DOMStorage", "Console"} {
		p.ask(page, domain+".enable", object{}, nil)
	}
	evaluate := func(script string) object { return object{"expression": script, "returnByValue": true} }
	for _, call := range []struct {
		method string
		params object
		lively bool
	}{
		{"Runtime.evaluate", evaluate("document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.title"), true},
		{"Runtime.evaluate", evaluate("[...document.querySelectorAll('*')].map(e => e.outerHTML)"), true},
		{"Runtime.evaluate", object{"expression": "({[document.title]: document.title})", "generatePreview": true}, true},
		{"Runtime.evaluate", evaluate("throw new Error(document.title)"), true},
		{"Network.getCookies", object{}, false}, {"Network.getAllCookies", object{}, false}, {"Storage.getCookies", object{}, false},
		{"DOMStorage.getDOMStorageItems", object{"storageId": object{"securityOrigin": origin, "isLocalStorage": true}}, false},
		{"DOMStorage.getDOMStorageItems", object{"storageId": object{"securityOrigin": origin, "isLocalStorage": false}}, false},
		{"DOM.getDocument", object{"depth": -1, "pierce": true}, true}, {"DOMSnapshot.captureSnapshot", object{"computedStyles": []string{}}, true},
		{"Accessibility.getFullAXTree", object{}, true}, {"Page.getResourceTree", object{}, false}, {"Page.getNavigationHistory", object{}, true},
		{"Page.getResourceContent", object{"frameId": frame, "url": l.base + "/mirror?form=raw"}, false},
		{"Page.captureSnapshot", object{"format": "mhtml"}, false}, {"Page.navigate", object{"url": l.base + "/places"}, false},
		{"Runtime.evaluate", object{"expression": "fetch('/echo').then(r => r.text())", "awaitPromise": true, "returnByValue": true}, false},
		{"Runtime.evaluate", evaluate("document.documentElement.outerHTML"), true},
	} {
		answer := p.ask(page, call.method, call.params, nil)
		if call.lively {
			l.lively(t, call.method, answer)
		}
	}
	for _, request := range p.requests() {
		p.ask(page, "Network.getResponseBody", object{"requestId": request}, nil)
		p.ask(page, "Network.getRequestPostData", object{"requestId": request}, nil)
	}
	l.cleanText(t, "all that the protocol said", p.all)
	l.lively(t, "all that the protocol said", p.all)
}

// wire is a DevTools client that stores everything it receives.
type protocolClient struct {
	l    *leak
	t    *testing.T
	conn *websocket.Conn
	id   int
	all  []byte
}

func (l *leak) dial(t *testing.T) *protocolClient {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + l.token("operator")}}
	conn, _, err := websocket.Dial(t.Context(), "ws://"+l.address+l.at("/cdp"), &websocket.DialOptions{HTTPHeader: header}) //nolint:bodyclose // it is the connection's
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &protocolClient{l: l, t: t, conn: conn}
}

// ask makes a call and decodes its answer, and expects no secret in it nor in any
// event before it.
func (p *protocolClient) ask(session, method string, params object, into any) []byte {
	p.t.Helper()
	p.id++
	message := object{"id": p.id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	text, _ := json.Marshal(message)
	if err := p.conn.Write(p.t.Context(), websocket.MessageText, text); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	for {
		_, text, err := p.conn.Read(p.t.Context())
		if err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
		p.all = append(append(p.all, text...), '\n')
		var answer struct {
			ID     int
			Method string
			Result json.RawMessage
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			p.t.Fatalf("%s: %v", method, err)
		}
		if answer.ID != p.id {
			p.l.cleanText(p.t, "the event "+answer.Method, text)
			continue
		}
		p.l.cleanText(p.t, "the answer to "+method, text)
		if into != nil && json.Unmarshal(answer.Result, into) != nil {
			p.t.Fatalf("%s answers %.300q", method, text)
		}
		return text
	}
}

// requests returns the ids of all reported requests.
func (p *protocolClient) requests() []string {
	var ids []string
	for line := range strings.Lines(string(p.all)) {
		var event struct {
			Method string
			Params struct{ RequestID string }
		}
		if json.Unmarshal([]byte(line), &event) == nil && event.Method == "Network.responseReceived" {
			ids = append(ids, event.Params.RequestID)
		}
	}
	return ids
}
