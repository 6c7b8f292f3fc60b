package gateway

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/profile"
)

// TestConfigCheckFindsWhatServeRefuses checks that config check reports every
// configuration error that stops the gateway from starting, with its key.
func TestConfigCheckFindsWhatServeRefuses(t *testing.T) {
	t.Setenv(profile.KeyEnv, "no key")
	t.Setenv("HOOK", "short")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Server.StateDir, c.Audit.CheckpointDir = t.TempDir(), file
	c.Server.TLS.Cert, c.Server.TLS.Key = file, file
	c.Security.Network.Navigation = []string{"example.com", "https://example.com/"}
	c.Security.Network.Listed = []string{"*.a.*"}
	c.Security.Network.AllowPrivate = []string{"localhost"}
	c.Security.HITL.Webhook = config.Webhook{URL: "https://hooks.example.com/", SecretEnv: "HOOK"}
	c.Security.Credentials.Backend, c.Security.Credentials.SOPS = "sops", config.SOPS{Path: "none", KeyFile: file}
	hash := strings.Repeat("ab", 32)
	c.Auth.Tokens = []config.Token{{Name: "ci", Role: "agent", Scope: "a", SHA256: hash}, {Name: "cd", Role: "agent", Scope: "a", SHA256: hash}}
	got := problems(c)
	for _, path := range []string{
		"security.network.navigation[1]", "security.network.listed[0]", "security.network.allow_private[0]", "server.tls",
		"security.hitl.webhook.secret_env", "security.credentials.vault_backend", "auth.tokens[1]", "audit.checkpoint_dir",
	} {
		if !slices.ContainsFunc(got, func(p config.Problem) bool { return p.Path == path && len(strings.Fields(p.Message)) > 3 }) {
			t.Errorf("nothing about %s in %+v", path, got)
		}
	}
	if !slices.ContainsFunc(got, func(p config.Problem) bool { return strings.Contains(p.Message, profile.KeyEnv) }) || len(got) != 9 {
		t.Errorf("%d problems: %+v", len(got), got)
	}
	t.Setenv(profile.KeyEnv, "")
	right := config.Default()
	right.Server.StateDir = t.TempDir()
	right.Security.Network.Navigation = []string{"example.com", "*.example.org"}
	if got := problems(right); len(got) > 0 {
		t.Errorf("a valid configuration has %+v", got)
	}
}
