package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// kind is a page whose controls automation often gets wrong. The agent calls tools, and
// the page's own function state tells what came of it.
type kind struct {
	page  string // of testdata/kinds
	steps []step
	want  string // of state()
}

// step is a call of a tool. has are words that its answer has, lacks those that it does
// not have; refused is the code of a fault that is expected.
type step struct {
	tool    string
	args    object
	has     []string
	lacks   []string
	refused string
}

func typed(name, text string) step {
	return step{tool: "browser_type", args: object{"name": name, "text": text}}
}

func clicked(role, name string) step {
	return step{tool: "browser_click", args: object{"role": role, "name": name}}
}

// kinds are tried one after the other, each on a fresh page. docs/apps.md has the table.
var kinds = []kind{
	{"cart", []step{typed("Quantity", "3"), typed("Title", "New title"), typed("Tag", "red"), clicked("button", "Next")}, "amount 3, caption New title; Lamp × 3; tags red"},
	{"cart", []step{{tool: "browser_fill_form", args: object{"fields": []object{{"name": "Quantity", "value": "2"}, {"name": "Title", "value": "Second"}, {"name": "Tag", "value": "blue"}}}}, clicked("button", "Next")},
		"amount 2, caption Second; Lamp × 2; tags blue"},
	{"price", []step{typed("Price", "12.50")}, "12.50"},
	{"messages", []step{typed("Message", "first\nsecond")}, `[[],"first\nsecond"]`},
	{"messages", []step{{tool: "browser_type", args: object{"name": "Message", "text": "first\nsecond", "submit": true}}}, `[["first\nsecond"],""]`},
	{"long", []step{typed("Text", strings.Repeat("line\n", 3999)+"end")}, "4000 lines, last end"},
	{"mailto", []step{typed("Draft", "Dear Ann"), {tool: "browser_click", args: object{"role": "link", "name": "Write a mail"}, has: []string{"mailto:"}}}, "Dear Ann"},
	{"slider", []step{{tool: "browser_press_key", args: object{"role": "slider", "name": "Volume", "key": "ArrowRight"}}, {tool: "browser_press_key", args: object{"key": "ArrowRight"}}}, "7"},
	{"hint", []step{{tool: "browser_click", args: object{"target": "#dots"}, has: []string{"Copy note"}}}, "true"},
	{"boxes", []step{
		{tool: "browser_check", args: object{"name": "Newsletter"}}, {tool: "browser_check", args: object{"name": "Yearly"}}, {tool: "browser_check", args: object{"name": "Weekly summary"}},
		{tool: "browser_file_upload", args: object{"name": "Photo", "files": []object{{"name": "me.png", "text": "hello"}}}},
	}, "true false true true me.png"},
	{"areas", []step{clicked("link", "South hall")}, "#south"},
	{"combo", []step{clicked("combobox", "Fruit"), clicked("option", "Pear")}, "Pear"},
	{"groups", []step{
		{tool: "browser_select_option", args: object{"name": "Colour", "values": "Green"}, refused: "invalid_request"},
		{tool: "browser_select_option", args: object{"name": "Colour", "values": "Dark: Green"}},
	}, "dark-green"},
	{"later-options", []step{{tool: "browser_select_option", args: object{"name": "City", "values": "Rome"}}}, "Rome"},
	{"no-password", []step{typed("City", "Oslo")}, "Oslo"},
	{"delivery", []step{typed("PIN code", "560001"), typed("Library card number", "7"), typed("Secret Santa partner", "Ben"), typed("API key name", "build"), typed("Token amount", "3")}, "560001 7 Ben build 3"},
	{"code", []step{typed("Character 1", "K7QP")}, "K7QP"},
	{"zoom", []step{{tool: "browser_scroll", args: object{"name": "City map", "y": -300}}}, "zoom 2"},
	{"order", []step{{tool: "browser_drag", args: object{"startTarget": "text=First", "endTarget": "text=Third"}}}, "Second Third First"},
	{"refused", []step{clicked("button", "Read clipboard")}, "NotAllowedError"},
	{"captions", []step{typed("Remarks", "none"), typed("Username", "ann"), typed("Full name", "Ann"), typed("Display title", "Dr")}, "none ann Ann Dr"},
	{"template", []step{clicked("link", "Queues"), {tool: "browser_wait_for", args: object{"text": "All queues"}}}, "All queues"},
	{"article", []step{{tool: "browser_snapshot", args: object{"max_tokens": 500}, has: []string{"Prune roses in March."}}}, ""},
	{"menu", []step{
		{tool: "browser_click", args: object{"role": "button", "name": "State"}, has: []string{"Closed"}, lacks: []string{"Details 30"}},
		{tool: "browser_click", args: object{"role": "menuitem", "name": "Closed"}, lacks: []string{"Details 30"}},
	}, "State: Closed"},
	{"welcome", []step{{tool: "browser_click", args: object{"role": "button", "name": "Understood"}, has: []string{"Begin the tour"}}, clicked("button", "Begin the tour")}, "Begun"},
	{"late", []step{clicked("button", "Create"), {tool: "browser_wait_for", args: object{"role": "textbox", "name": "Text of the document"}}, typed("Text of the document", "Minutes")}, "Minutes"},
	{"blank", []step{{tool: "browser_snapshot", has: []string{"Sign in here"}}}, ""},
}

// TestKindsOfControls has an agent act on each page over MCP, in a real box.
func TestKindsOfControls(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata/kinds")))
	mux.HandleFunc("/templates/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>All queues</p>")) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	site := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	g := prepare(t, settings{env: []string{"GLOVEBOX_SECURITY_NETWORK_ALLOW_PRIVATE=" + strings.TrimPrefix(site, "http://")}, security: "max_actions_per_session: -1\n  max_failures: -1"})
	g.run()
	a, operator := g.streamable(t, g.token("agent"), ""), g.curl(t, "operator")
	a.must("browser_session", object{"action": "start"}, "")
	session := operator.get("/v1/sessions").object(http.StatusOK)["sessions"].([]any)[0].(object)["id"].(string)
	for _, k := range kinds {
		a.must("browser_navigate", object{"url": site + "/" + k.page + ".html"}, "")
		for _, s := range k.steps {
			s.do(t, a, k.page)
		}
		body, err := json.Marshal(object{"expression": "state()"})
		if err != nil {
			t.Fatal(err)
		}
		if got := operator.post("/v1/sessions/"+session+"/browser/execute", string(body)).object(http.StatusOK)["result"]; got != k.want {
			t.Errorf("%s: the page says %q, want %q", k.page, got, k.want)
		}
	}
	a.must("browser_navigate", object{"url": site + "/idle.html", "wait_for": "networkidle"}, "Feed")
}

// do makes the call and compares its answer.
func (s step) do(t *testing.T, a agent, page string) {
	t.Helper()
	if s.refused != "" {
		a.refused(s.tool, s.args, s.refused)
		return
	}
	text, result := a.use(s.tool, s.args)
	if result.IsError {
		t.Errorf("%s: %s %v was refused:\n%s", page, s.tool, s.args, text)
	}
	for _, words := range s.has {
		if !strings.Contains(text, words) {
			t.Errorf("%s: the answer of %s %v has no %q:\n%s", page, s.tool, s.args, words, text)
		}
	}
	for _, words := range s.lacks {
		if strings.Contains(text, words) {
			t.Errorf("%s: the answer of %s %v has %q:\n%s", page, s.tool, s.args, words, text)
		}
	}
}
