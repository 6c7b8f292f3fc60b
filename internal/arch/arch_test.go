// Package arch holds the floor plan: which room may enter which. A room that
// is not on the plan, or an import that the plan does not list, fails here.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gloveboxhq/glovebox/"

// plan lists, for each room below internal/, the rooms it may import. Change
// it in a commit of its own that says why, and docs/architecture.md with it.
var plan = map[string][]string{
	"fault":                  {},
	"credential":             {},
	"redact":                 {"credential"},
	"key":                    {"fault"},
	"vault":                  {"credential", "fault", "key", "spelling"},
	"vault/vaulttest":        {},
	"action":                 {"fault"},
	"spelling":               {},
	"tasks":                  {},
	"weight":                 {},
	"config":                 {"spelling"},
	"store":                  {},
	"browser/cdp":            {"fault"},
	"browser/inpage":         {"fault"},
	"browser/snapshot":       {"fault", "action", "weight", "browser/inpage"},
	"browser/extract":        {},
	"browser/static":         {},
	"browser/selector":       {},
	"browser/picture":        {},
	"browser/outgoing":       {"action"},
	"browser/relay":          {"action", "fault", "browser/cdp"},
	"browser/page":           {"action", "credential", "fault", "tasks", "weight", "browser/cdp", "browser/extract", "browser/inpage", "browser/outgoing", "browser/picture", "browser/relay", "browser/selector", "browser/snapshot", "browser/static"},
	"browser/browsertest":    {"browser/cdp"},
	"browser/realpages":      {},
	"sandbox":                {"fault"},
	"sandbox/bridge":         {"fault", "sandbox"},
	"sandbox/bundle":         {"fault"},
	"sandbox/guest":          {"fault", "sandbox", "sandbox/bridge", "sandbox/bundle"},
	"sandbox/docker":         {"fault", "sandbox", "sandbox/bridge", "sandbox/engine"},
	"sandbox/local":          {"fault", "sandbox", "sandbox/bridge"},
	"sandbox/engine":         {"fault"},
	"sandbox/image":          {"fault", "sandbox/engine"},
	"sandbox/sandboxtest":    {"fault", "sandbox"},
	"sandbox/enginetest":     {},
	"sandbox/escape":         {},
	"artifact":               {"action", "fault", "store"},
	"profile":                {"action", "fault", "key", "store", "sandbox/bundle"},
	"storagestate":           {"action", "fault"},
	"session":                {"action", "credential", "fault", "redact", "artifact", "profile", "storagestate", "store", "sandbox", "browser/page", "browser/cdp"},
	"gate/policy":            {"action", "fault", "spelling"},
	"gate/approval":          {"action", "fault", "store"},
	"gate/audit":             {"action", "fault", "store"},
	"gate/webhook":           {"action", "fault", "gate/approval", "gate/audit", "store"},
	"gate/egress":            {"action", "fault"},
	"gate/scan":              {"action"},
	"gate/egress/egresstest": {},
	"gate":                   {"action", "credential", "fault", "redact", "tasks", "gate/policy", "gate/approval", "gate/audit", "gate/scan"},
	"trace":                  {"action"},
	"macro":                  {"action", "fault", "store"},
	"auth":                   {"action", "fault", "store"},
	"surface/rest":           {"action", "fault", "auth"},
	"surface/mcp":            {"action", "fault", "auth"},
	"demosite":               {},
	"testcache":              {},
	"testdoc":                {},
	"client":                 {"action", "fault"},
	"install":                {"fault"},
	"entry":                  {"fault"},
	"surface/cli":            {"action", "credential", "fault", "client", "config", "entry", "install", "sandbox/image", "spelling", "surface/forward", "surface/mcp", "vault"},
	"surface/forward":        {"action", "fault"},
	"app":                    {"*"},
	"arch":                   {},
}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestRoomsKeepToTheFloorPlan(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "../...").Output()
	if err != nil {
		t.Fatalf("cannot list rooms: %v", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(p.ImportPath, module+"internal/")
		allowed, known := plan[room]
		if !known {
			t.Errorf("room %s is not on the floor plan", room)
			continue
		}
		for _, imported := range p.Imports {
			other, ours := strings.CutPrefix(imported, module+"internal/")
			if ours && !slices.Contains(allowed, other) && !slices.Contains(allowed, "*") {
				t.Errorf("%s may not enter %s", room, other)
			}
		}
	}
}
