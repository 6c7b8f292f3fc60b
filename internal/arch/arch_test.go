// Package arch holds the import rules: which package may import which. A
// package without a rule, or an import that its rule does not list, fails here.
package arch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/golden"
)

const module = "github.com/gloveboxhq/glovebox/"

// rules lists, for each package below internal/, the packages it may import.
// Change it in a commit of its own that says why, and run make gen: the table in
// docs/architecture.md is written from it.
var rules = map[string][]string{
	"fault":                        {},
	"credentials":                  {},
	"credentials/redact":           {"credentials"},
	"agekey":                       {"fault"},
	"credentials/source":           {"credentials", "fault", "agekey", "spelling"},
	"credentials/source/vaulttest": {"testwait"},
	"action":                       {"fault", "spelling", "untrusted"},
	"spelling":                     {},
	"untrusted":                    {},
	"randid":                       {},
	"jwt":                          {},
	"jwt/jwttest":                  {},
	"tasks":                        {},
	"guarded":                      {},
	"tokens":                       {},
	"config":                       {"spelling"},
	"store":                        {"fault"},
	"browser/cdp":                  {"fault"},
	"browser/injected":             {"fault"},
	"browser/snapshot":             {"fault", "action", "tokens", "browser/injected", "untrusted"},
	"browser/extract":              {"untrusted"},
	"browser/selector":             {},
	"browser/annotate":             {},
	"browser/pagetext":             {"untrusted"},
	"browser/input":                {"action", "fault"},
	"browser/capture":              {"browser/injected"},
	"browser/download":             {"action", "fault", "browser/extract", "browser/pagetext", "browser/snapshot", "untrusted"},
	"browser/netlog":               {"action", "fault", "browser/cdp", "browser/pagetext", "untrusted"},
	"browser/outgoing":             {"action"},
	"browser/cdpproxy":             {"action", "fault", "browser/cdp"},
	"browser/observe":              {"action", "guarded", "browser/snapshot"},
	"browser/engine":               {"action", "credentials", "fault", "guarded", "tasks", "tokens", "browser/cdp", "browser/extract", "browser/injected", "browser/input", "browser/observe", "browser/outgoing", "browser/annotate", "browser/cdpproxy", "browser/selector", "browser/snapshot", "browser/capture", "browser/download", "browser/netlog", "browser/pagetext", "randid", "untrusted"},
	"browser/browsertest":          {"browser/cdp", "testenv"},
	"browser/corpus":               {},
	"sandbox":                      {"action", "fault", "randid"},
	"sandbox/bridge":               {"action", "fault", "jwt", "sandbox", "randid", "untrusted"},
	"sandbox/bundle":               {"fault"},
	"sandbox/guest":                {"action", "sandbox/xdisplay", "fault", "sandbox", "sandbox/bridge", "sandbox/bundle"},
	"sandbox/docker":               {"fault", "sandbox", "sandbox/bridge", "sandbox/engine", "untrusted"},
	"sandbox/local":                {"fault", "sandbox", "sandbox/bridge", "untrusted"},
	"sandbox/engine":               {"fault"},
	"sandbox/image":                {"fault", "sandbox/engine"},
	"sandbox/sandboxtest":          {"action", "fault", "sandbox", "testwait"},
	"sandbox/x11":                  {},
	"sandbox/xdisplay":             {"action", "fault", "sandbox/x11", "untrusted"},
	"sandbox/enginetest":           {},
	"sandbox/escapetest":           {},
	"artifact":                     {"action", "fault", "store", "randid", "untrusted"},
	"profile":                      {"action", "fault", "agekey", "store", "sandbox/bundle", "randid"},
	"storagestate":                 {"action", "fault"},
	"live":                         {"action", "fault", "sandbox"},
	"session":                      {"live", "action", "credentials", "fault", "credentials/redact", "artifact", "profile", "storagestate", "store", "sandbox", "browser/engine", "browser/observe", "browser/cdp", "randid", "untrusted"},
	"gate/policy":                  {"action", "fault", "spelling"},
	"gate/approval":                {"action", "fault", "store", "randid", "untrusted"},
	"gate/audit":                   {"action", "fault", "store", "untrusted"},
	"gate/webhook":                 {"action", "fault", "gate/approval", "gate/audit", "store", "untrusted"},
	"egress":                       {"action", "fault", "untrusted"},
	"gate/scan":                    {"action"},
	"egress/egresstest":            {},
	"gate":                         {"action", "credentials", "fault", "credentials/redact", "tasks", "gate/policy", "gate/approval", "gate/audit", "gate/scan", "randid", "untrusted"},
	"telemetry":                    {"action"},
	"workflow":                     {"action", "fault", "store", "randid"},
	"auth":                         {"action", "fault", "jwt", "store", "randid"},
	"surface/rest":                 {"action", "fault", "auth", "randid", "untrusted"},
	"surface/mcp":                  {"action", "fault", "auth", "randid", "spelling", "untrusted"},
	"demosite":                     {"randid"},
	"testenv":                      {},
	"testcache":                    {"testwait"},
	"testwait":                     {},
	"golden":                       {},
	"client":                       {"action", "fault"},
	"install":                      {"fault"},
	"mcpconfig":                    {"fault"},
	"sight":                        {"action"},
	"replay":                       {"action", "fault"},
	"surface/cli":                  {"action", "credentials", "fault", "client", "replay", "config", "mcpconfig", "install", "sandbox/image", "spelling", "surface/forward", "surface/mcp", "surface/relay", "credentials/source", "randid", "untrusted"},
	"surface/forward":              {"action", "fault", "randid"},
	"surface/stream":               {"action", "fault", "randid"},
	"surface/relay":                {"client", "fault", "randid", "surface/mcp"},
	"gateway":                      {"*"},
	"arch":                         {},
}

type listed struct {
	ImportPath string
	Doc        string // the first sentence of the package's comment
	Imports    []string
}

// packages lists the packages below internal/, by the path below it.
func packages(t *testing.T) map[string]listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Doc,Imports", "../...").Output()
	if err != nil {
		t.Fatalf("cannot list packages: %v", err)
	}
	all := map[string]listed{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, module+"internal/")] = p
	}
}

func TestPackagesImportWhatTheRulesAllow(t *testing.T) {
	for name, p := range packages(t) {
		allowed, known := rules[name]
		if !known {
			t.Errorf("package %s has no rule", name)
			continue
		}
		for _, imported := range p.Imports {
			other, ours := strings.CutPrefix(imported, module+"internal/")
			if ours && !slices.Contains(allowed, other) && !slices.Contains(allowed, "*") {
				t.Errorf("%s may not import %s", name, other)
			}
		}
	}
}

func TestRulesAreOfPackagesThatExist(t *testing.T) {
	exist := packages(t)
	for name, allowed := range rules {
		for _, path := range append(slices.Clone(allowed), name) {
			if _, ok := exist[path]; !ok && path != "*" {
				t.Errorf("the rule of %s names %s, which does not exist", name, path)
			}
		}
	}
}

// TestPackageTableIsUpToDate writes the table in docs/architecture.md.
func TestPackageTableIsUpToDate(t *testing.T) {
	exist := packages(t)
	var table strings.Builder
	table.WriteString("| package | what it does | may import |\n|---|---|---|\n")
	names := make([]string, 0, len(rules))
	for name := range rules {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if exist[name].Doc == "" && name != "arch" {
			t.Errorf("package %s has no comment", name)
		}
		allowed := slices.Sorted(slices.Values(rules[name]))
		may := strings.Join(allowed, ", ")
		switch may {
		case "":
			may = "nothing"
		case "*":
			may = "all"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", name, purpose(name, exist[name].Doc), may)
	}
	golden.Part(t, "../../docs/architecture.md", "packages", table.String())
}

// purpose is a package's first sentence without its name.
func purpose(name, doc string) string {
	if name == "arch" { // it has tests only, which go list does not describe
		return "holds the import rules, as a test"
	}
	_, words, _ := strings.Cut(strings.TrimPrefix(doc, "Package "), " ")
	return strings.TrimSuffix(strings.ReplaceAll(words, "|", "\\|"), ".")
}
