package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Every revision that the library supports can be negotiated on a stream and
// over HTTP, and tools and resources work in each.
func TestEveryRevisionIsSpoken(t *testing.T) {
	versions := sdk.SupportedProtocolVersions()
	if len(versions) < 5 {
		t.Errorf("only %v", versions)
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			s := surface(t, site())
			c, err := dial(t, guarded(t, s), "agent", version)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			for _, c := range []*sdk.ClientSession{c, attached(t, s, "", version, nil)} {
				if got := c.InitializeResult().ProtocolVersion; got != version {
					t.Errorf("they agreed on %s", got)
				}
				if result := use(t, c, "browser_click", map[string]any{"target": "e1"}); result.IsError {
					t.Error(text(t, result))
				}
				if _, err := c.ListResources(t.Context(), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestASessionOfTheProtocolEndsByDelete(t *testing.T) {
	url := guarded(t, surface(t, site()))
	c, err := dial(t, url, "agent", "2025-11-25")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	send := func(method, body string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": c.ID(), "Mcp-Protocol-Version": "2025-11-25"} {
			r.Header.Set(name, value)
		}
		answer, err := (&http.Client{Transport: bearer("agent")}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		return answer.StatusCode
	}
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}`
	if got := send(http.MethodPost, call); got != http.StatusOK {
		t.Errorf("before: %d", got)
	}
	if got := send(http.MethodDelete, ""); got != http.StatusNoContent {
		t.Errorf("delete: %d", got)
	}
	if got := send(http.MethodPost, call); got != http.StatusNotFound {
		t.Errorf("after: %d", got)
	}
}
