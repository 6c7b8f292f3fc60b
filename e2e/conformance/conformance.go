// Package conformance runs the conformance suite of the Model Context Protocol
// against a server, and compares the results with a table. In the table each
// scenario has passed, or there is a reason why it does not apply. A scenario
// that is new, missing or ends differently fails the test.
package conformance

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testcache"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const (
	suite  = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
	schema = "wire-schema-valid" // a check of every scenario: each message is valid
)

// The servers that are tested.
const (
	Program  = "program"  // glovebox serve
	Fixtures = "fixtures" // its MCP surface behind its REST surface, with tools that the suite asks for by name
)

//go:embed package.json package-lock.json scenarios.json
var files embed.FS

// Run runs a revision's scenarios against the server at an address, and compares
// the results. The suite sends no token, so a proxy adds one; it forwards
// everything else unchanged, including Host and Origin.
func Run(t *testing.T, server, address, token, revision string) {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // complete: an answer that comes earlier would be cut off
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { between.CloseClientConnections(); between.Close() })
	compare(t, server, revision, judged(t, between.URL+"/mcp", revision))
}

// judged returns how each scenario ended.
func judged(t *testing.T, address, revision string) map[string]ending {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	project, results := testcache.Project(t, folder), filepath.Join(folder, "results")
	node := exec.CommandContext(testwait.Context(t), testcache.Node(project), suite, "server", "--url", address, "--requirements", revision, "--output-dir", results)
	node.Dir = project
	out, err := node.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: some failed
		t.Fatalf("the suite ended with %v\n%s", err, out)
	}
	return ends(t, results)
}

var named = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[0-9-]+Z$`)

// ends reads the results of the suite: a folder for each scenario.
func ends(t *testing.T, results string) map[string]ending {
	t.Helper()
	folders, err := os.ReadDir(results)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]ending{}
	for _, folder := range folders {
		name := named.FindStringSubmatch(folder.Name())
		text, err := os.ReadFile(filepath.Join(results, folder.Name(), "checks.json"))
		var checks []check
		if err == nil {
			err = json.Unmarshal(text, &checks)
		}
		if name == nil || err != nil {
			t.Fatalf("%s: %v", folder.Name(), err)
		}
		all[name[1]] = endOf(checks)
	}
	return all
}

// check is one check of a scenario.
type check struct{ ID, Status, ErrorMessage string }

// ending is the result of a scenario: passed, or the failed checks and their
// messages.
type ending struct {
	end  string
	told []string
}

func endOf(checks []check) (e ending) {
	not, some := map[string]map[string]bool{}, false
	for _, c := range checks {
		if c.Status == "SUCCESS" || c.Status == "INFO" {
			some = some || c.Status == "SUCCESS" && c.ID != schema
			continue
		}
		if not[c.Status] == nil {
			not[c.Status] = map[string]bool{}
		}
		not[c.Status][c.ID] = true
		e.told = append(e.told, c.ID+": "+c.ErrorMessage)
	}
	if len(not) == 0 {
		e.end = Passed
		return e
	}
	var parts []string
	if some {
		parts = append(parts, inPart)
	}
	for _, status := range slices.Sorted(maps.Keys(not)) {
		parts = append(parts, strings.ToLower(status)+": "+strings.Join(slices.Sorted(maps.Keys(not[status])), " "))
	}
	e.end = strings.Join(parts, "; ")
	return e
}

func compare(t *testing.T, server, revision string, got map[string]ending) {
	t.Helper()
	want := map[string]string{}
	for _, s := range Table() {
		if end, there := s.Ends[revision][server]; there {
			want[s.Name] = end
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name].end != want[name] {
			t.Errorf("%s of %s on %s ended with\n%q, the table has\n%q\n%s", name, revision, server, got[name].end, want[name], strings.Join(got[name].told, "\n"))
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s of %s was not run on %s", name, revision, server)
	}
}
