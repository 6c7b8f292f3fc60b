package peer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// opens is the tool of each server that opens an address, and shows the page.
var opens = map[Kind][]struct {
	tool string
	args map[string]any
}{
	Glovebox:        {{"browser_navigate", map[string]any{"url": ""}}},
	Playwright:      {{"browser_navigate", map[string]any{"url": ""}}, {"browser_snapshot", map[string]any{}}},
	PlaywrightTuned: {{"browser_navigate", map[string]any{"url": ""}}, {"browser_snapshot", map[string]any{}}},
	AgentBrowser:    {{"agent_browser_open", map[string]any{"url": ""}}, {"agent_browser_snapshot", map[string]any{}}},
	DevTools:        {{"navigate_page", map[string]any{"url": ""}}, {"take_snapshot", map[string]any{}}},
}

func TestEveryServerShowsAPageWithItsSandboxOnAndLeavesNothing(t *testing.T) {
	testenv.Heavy(t)
	testenv.Require(t, testenv.Engine)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Peers</title><h1>All see this</h1><button>Press</button>`)
	}))
	defer site.Close()
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			s := Start(t, kind, site.URL)
			if len(s.Tools()) == 0 {
				t.Error("it has no tools")
			}
			var seen string
			for _, step := range opens[kind] {
				args := step.args
				if _, ok := args["url"]; ok {
					args = map[string]any{"url": site.URL}
				}
				text, err := s.Call(t.Context(), step.tool, args)
				if err != nil {
					t.Fatal(err)
				}
				seen += text
			}
			if !strings.Contains(seen, "Press") {
				t.Errorf("it shows\n%s", seen)
			}
			if s.Memory() < 1<<20 {
				t.Errorf("it holds %d bytes", s.Memory())
			}
			sandboxed(t, s)
			s.Close()
			if left := s.family.processes(); len(left) > 0 {
				t.Errorf("still running: %v", left)
			}
		})
	}
}

// sandboxed fails a browser of ours that gave its sandbox up. Glovebox's runs
// in a box, which proves it by itself.
func sandboxed(t *testing.T, s *Server) {
	t.Helper()
	browsers := 0
	for _, p := range s.family.processes() {
		if !p.browser() {
			continue
		}
		browsers++
		if strings.Contains(p.command, "--no-sandbox") {
			t.Errorf("no sandbox: %s", p.command)
		}
	}
	if browsers == 0 && s.Kind != Glovebox {
		t.Error("it has no browser that we see")
	}
}

func TestARefusalIsToldFromAServerThatIsGone(t *testing.T) {
	s := Start(t, PlaywrightTuned)
	_, err := s.Call(t.Context(), "browser_navigate", map[string]any{"url": "nowhere://"})
	if refusal, ok := err.(*Refusal); !ok || refusal.Text == "" {
		t.Errorf("got %v", err)
	}
	s.family.end()
	_, err = s.Call(t.Context(), "browser_snapshot", nil)
	if _, ok := err.(*Refusal); ok || err == nil {
		t.Errorf("a server that is gone answered %v", err)
	}
}
