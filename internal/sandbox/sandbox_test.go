package sandbox_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

func TestNewIDsAreUniqueAndValid(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := sandbox.NewID()
		if !sandbox.ValidID(id) || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
	for _, bad := range []string{"", "ABCDEF0123456789", "0123456789abcde", "0123456789abcdef0", "../../etc/passwd", "0123456789abcde\n"} {
		if sandbox.ValidID(bad) {
			t.Errorf("%q is valid", bad)
		}
	}
}

func TestScopesHaveDifferentHashes(t *testing.T) {
	if sandbox.ScopeHash("") != "" {
		t.Error("the empty scope has a hash")
	}
	if sandbox.ScopeHash("a") == sandbox.ScopeHash("b") || len(sandbox.ScopeHash("a")) != 16 {
		t.Error("hashes are not distinct, or not 16 digits")
	}
}

func TestSandboxedNeedsEveryProtection(t *testing.T) {
	strong := sandbox.Renderer{SeccompFilters: 2, OwnUserNS: true, OwnNetNS: true, CapEff: "0000000000000000"}
	if !strong.Sandboxed() || (sandbox.Renderer{}).Sandboxed() {
		t.Fatal("a whole proof is weak, or an empty one strong")
	}
	for name, weaken := range map[string]func(*sandbox.Renderer){
		"one filter":        func(p *sandbox.Renderer) { p.SeccompFilters = 1 },
		"shared user ns":    func(p *sandbox.Renderer) { p.OwnUserNS = false },
		"shared network ns": func(p *sandbox.Renderer) { p.OwnNetNS = false },
		"a capability":      func(p *sandbox.Renderer) { p.CapEff = "0000000000200000" },
		"unknown":           func(p *sandbox.Renderer) { p.CapEff = "" },
	} {
		weak := strong
		weaken(&weak)
		if weak.Sandboxed() {
			t.Errorf("%s: strong", name)
		}
	}
}
