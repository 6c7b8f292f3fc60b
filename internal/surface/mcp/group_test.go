package mcp_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
)

// groups are all there are.
var groups = []string{"core", "act", "read", "session", "debug", "many", "alias"}

// listed returns the tools that a client gets if it asks for these groups.
func listed(t *testing.T, groups ...string) []*sdk.Tool {
	t.Helper()
	list, err := connect(t, surface(t, site(), func(o *mcp.Options) { o.Tools = groups }), nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools
}

func names(tools []*sdk.Tool) (all []string) {
	for _, tool := range tools {
		all = append(all, tool.Name)
	}
	return all
}

// tokens returns the number of tokens of a value in o200k.
func tokens(t *testing.T, v any) int {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheUsualToolsCostLittle(t *testing.T) {
	const most = 4_000 // tokens, with names, descriptions, schemas and annotations
	tools := listed(t)
	if cost := tokens(t, tools); len(tools) > 30 || cost > most {
		t.Errorf("%d tools cost %d tokens", len(tools), cost)
	} else {
		t.Logf("%d tools cost %d tokens; all cost %d", len(tools), cost, tokens(t, listed(t, "all")))
	}
}

func TestToolsAreChosenByGroup(t *testing.T) {
	few := names(listed(t, "read", "read"))
	if !slices.Contains(few, "browser_markdown") || !slices.Contains(few, "browser_navigate") || slices.Contains(few, "browser_hover") {
		t.Errorf("read is %v", few)
	}
	usual, more := names(listed(t)), names(listed(t, "+debug"))
	if slices.Contains(usual, "browser_console_messages") || !slices.Contains(more, "browser_console_messages") {
		t.Errorf("usual are %v, with debug %v", usual, more)
	}
	for _, name := range usual {
		if !slices.Contains(more, name) {
			t.Errorf("+debug takes %s away", name)
		}
	}
	var every []string
	for _, group := range groups {
		every = append(every, names(listed(t, group))...)
	}
	for _, name := range names(listed(t, "all")) {
		if !slices.Contains(every, name) {
			t.Errorf("%s is in no group", name)
		}
	}
	_, err := mcp.New(mcp.Options{Gate: site(), Tools: []string{"reed"}})
	if f := fault.From(err); f == nil || f.Code != fault.InvalidRequest || !strings.Contains(f.Hint, "read") {
		t.Errorf("an unknown group: %v", err)
	}
}

func TestAToolThatIsNotOfferedIsNotCalled(t *testing.T) {
	d := site()
	c := connect(t, surface(t, d, func(o *mcp.Options) { o.Tools = nil }), nil)
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_crawl", Arguments: map[string]any{"url": "a.example"}}); err == nil {
		t.Error("it was called")
	}
	if d.verbs() != "" || len(d.refused) != 1 || d.refused[0].why.Code != fault.UnknownAction {
		t.Errorf("called %q, refused %+v", d.verbs(), d.refused)
	}
}

func TestGroupsAreChosenInTheAddress(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		url := guarded(t, surface(t, site(), func(o *mcp.Options) { o.Tools = nil }))
		for query, has := range map[string]bool{"": false, "?tools=all": true, "?tools=+debug": true, "?tools=%2Bdebug": true, "?tools=core,debug": true, "?tools=act": false} {
			c, err := dial(t, url+query, "agent", version)
			if err != nil {
				t.Fatalf("%s %s: %v", version, query, err)
			}
			list, err := c.ListTools(t.Context(), nil)
			if err != nil || slices.Contains(names(list.Tools), "browser_console_messages") != has {
				t.Errorf("%s %s: %v %v", version, query, err, list)
			}
			_ = c.Close()
		}
	}
}

func TestAnUnknownGroupInTheAddressIsRefused(t *testing.T) {
	url := guarded(t, surface(t, site()))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"?tools=reed", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Transport: bearer("agent")}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", answer.StatusCode)
	}
}
