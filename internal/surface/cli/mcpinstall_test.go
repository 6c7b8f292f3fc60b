package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/mcpconfig"
)

const cursor = `{
  // mine
  "mcpServers": {
    "other": {"command": "other", "args": []}
  }
}
`

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestMCPInstallPrintsTheEntryWithoutWriting(t *testing.T) {
	r := newRig(t, &fakeGate{})
	for _, client := range mcpconfig.Clients {
		out, complaint, status := r.run("mcp", "install", "--client", client.Name, "--allow", "a.example,*.b.example", "--tools", "+debug")
		path := client.File(r.env["HOME"])
		for _, want := range []string{"glovebox", "--allow", "a.example,*.b.example", "+debug", path, "--write"} {
			if status != 0 || complaint != "" || !strings.Contains(out, want) {
				t.Errorf("%s: status %d, no %q in\n%s%s", client.Name, status, want, out, complaint)
			}
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if out, _, status := r.run("mcp", "install"); status != 0 || !strings.Contains(out, `"mcpServers"`) || !strings.Contains(out, "windsurf") {
		t.Errorf("status %d: %s", status, out)
	}
}

// A server of development is allowed by its port, which other hosts may not have.
func TestMCPInstallAllowsALocalServer(t *testing.T) {
	r := newRig(t, &fakeGate{})
	for _, server := range []string{"localhost:3000", "127.0.0.1:8080", "[::1]:3000", "shop.localhost:3000", "nas:5000", "printer.lan:631"} {
		out, told, status := r.run("mcp", "install", "--allow", "a.example,"+server)
		entry := `"--allow", "a.example", "--allow-private", "` + server + `"`
		if status != 0 || !strings.Contains(out, entry) || strings.Count(told, server) != 2 {
			t.Errorf("%s: status %d, want %s in\n%s%s", server, status, entry, out, told)
		}
	}
}

// A gateway that runs keeps its own settings: what it does not allow is said, and
// nothing if it allows all.
func TestMCPSaysWhichHostsARunningGatewayDoesNotAllow(t *testing.T) {
	gate := &fakeGate{answer: func(c action.Call) (action.Result, error) {
		if c.Verb != "policy.show" {
			t.Errorf("a call of %s", c.Verb)
		}
		return action.Result{Data: &action.PolicyView{Allowed: []string{"a.example", "*.c.example", "localhost:3000"}}}, nil
	}}
	r := newRig(t, gate)
	if _, told, _ := r.run("mcp", "--allow", "a.example,b.example,x.c.example,*.b.example", "--allow-private", "nas:80"); !strings.Contains(told, "does not allow b.example, *.b.example, nas:80") {
		t.Errorf("told: %s", told)
	}
	if _, told, _ := r.run("mcp", "--allow", "a.example,x.c.example,*.c.example,localhost:3000"); strings.Contains(told, "does not allow") {
		t.Errorf("told: %s", told)
	}
}

func TestMCPInstallWritesAndRemovesTheEntry(t *testing.T) {
	r := newRig(t, &fakeGate{})
	path := filepath.Join(r.env["HOME"], ".cursor", "mcp.json")
	kept := filepath.Join(r.env["HOME"], "dotfiles", "mcp.json")
	writeFile(t, kept, cursor, 0o640)
	writeFile(t, filepath.Join(filepath.Dir(path), "x"), "", 0o600)
	if err := os.Symlink(kept, path); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Data struct {
			Client, File, Backup string
			Written              bool
		}
	}
	out, complaint, status := r.run("mcp", "install", "--client", "cursor", "--write", "--json")
	if err := json.Unmarshal([]byte(out), &got); status != 0 || err != nil || !got.Data.Written || got.Data.File != path {
		t.Fatalf("status %d, %v: %s%s", status, err, out, complaint)
	}
	with := read(t, path)
	if !strings.Contains(with, `"glovebox": {`) || !strings.Contains(with, "// mine") || read(t, got.Data.Backup) != cursor {
		t.Errorf("it is\n%s", with)
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info, err)
	}
	if link, err := os.Readlink(path); err != nil || link != kept {
		t.Errorf("the link is %q, %v", link, err)
	}
	if out, _, status := r.run("mcp", "install", "--client", "cursor", "--write"); status != 0 || !strings.Contains(out, "nothing to change") || read(t, path) != with {
		t.Errorf("again: status %d, %s", status, out)
	}
	if out, _, status := r.run("mcp", "install", "--client", "cursor", "--remove", "--write"); status != 0 || !strings.Contains(out, "no longer") || read(t, path) != cursor {
		t.Errorf("taken out: status %d, %s\n%s", status, out, read(t, path))
	}
}

func TestMCPInstallCreatesMissingSettings(t *testing.T) {
	r := newRig(t, &fakeGate{})
	if _, complaint, status := r.run("mcp", "install", "--client", "codex", "--write", "--name", "web"); status != 0 {
		t.Fatal(complaint)
	}
	path := filepath.Join(r.env["HOME"], ".codex", "config.toml")
	if got := read(t, path); !strings.HasPrefix(got, "[mcp_servers.web]\ncommand = ") {
		t.Errorf("it is\n%s", got)
	}
	if _, err := os.Stat(path + ".before-glovebox"); !os.IsNotExist(err) {
		t.Error("there is a copy of nothing")
	}
}

func TestMCPInstallDoesNotChangeInvalidSettings(t *testing.T) {
	r := newRig(t, &fakeGate{})
	path := filepath.Join(t.TempDir(), "mcp.json")
	writeFile(t, path, `{"mcpServers": `, 0o600)
	for name, line := range map[string][]string{
		"broken":       {"--client", "cursor", "--file", path, "--write"},
		"a folder":     {"--client", "cursor", "--file", filepath.Dir(path), "--write"},
		"no client":    {"--write"},
		"unknown":      {"--client", "emacs"},
		"a bad name":   {"--client", "cursor", "--name", "a.b"},
		"no such flag": {"--client", "cursor", "--force"},
	} {
		out, complaint, status := r.run(append([]string{"mcp", "install"}, line...)...)
		if status != 2 || out != "" || !strings.Contains(complaint, "hint: ") {
			t.Errorf("%s: status %d\n%s%s", name, status, out, complaint)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || read(t, path) != `{"mcpServers": ` {
		t.Errorf("%v %v", entries, err)
	}
}

func TestTheEntryHasTheRelevantEnvironment(t *testing.T) {
	r := newRig(t, &fakeGate{})
	writeFile(t, "glovebox.yaml", "browser: {enabled: true}\n", 0o600)
	for name, value := range map[string]string{
		"GLOVEBOX_SERVER_LISTEN": "127.0.0.1:2999", "GLOVEBOX_SERVER_STATE_DIR": "state", "DOCKER_HOST": "unix:///run/user/1000/docker.sock",
		"GLOVEBOX_TOKEN": "secret-one", "GLOVEBOX_VAULT_KEY": "secret-two", "PATH": "/bin",
	} {
		r.env[name] = value
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range mcpconfig.Clients {
		out, complaint, status := r.run("mcp", "install", "--client", client.Name)
		for _, want := range []string{
			"GLOVEBOX_SERVER_LISTEN", "127.0.0.1:2999", filepath.Join(here, "state"), "unix:///run/user/1000/docker.sock",
			"--config", filepath.Join(here, "glovebox.yaml"), "--gateway", "note: GLOVEBOX_TOKEN",
		} {
			if status != 0 || !strings.Contains(out, want) {
				t.Errorf("%s: status %d, no %q in\n%s%s", client.Name, status, want, out, complaint)
			}
		}
		if strings.Contains(out, "secret-") || strings.Contains(out, "/bin") || strings.Contains(out, "a-token") {
			t.Errorf("%s: it has more than it may\n%s", client.Name, out)
		}
	}
}

func TestMCPInstallRefusesAnEntryThatWouldFail(t *testing.T) {
	r := newRig(t, &fakeGate{})
	r.parts.Problems = func(c config.Config) (all []config.Problem) {
		for _, host := range c.Security.Network.Navigation {
			if strings.Contains(host, "/") {
				all = append(all, config.Problem{Path: "security.network.navigation[0]", Message: host + " is no host"})
			}
		}
		return all
	}
	writeFile(t, "broken.yaml", "browser: {enabld: true}\n", 0o600)
	path := filepath.Join(r.env["HOME"], ".cursor", "mcp.json")
	for says, line := range map[string][]string{
		"https://a.example/ is no host": {"--allow", "https://a.example/"},
		"is no group of tools":          {"--tools", "everything"},
		"problem":                       {"--config", "broken.yaml"},
	} {
		_, complaint, status := r.run(append([]string{"mcp", "install", "--client", "cursor", "--write"}, line...)...)
		if _, err := os.Stat(path); status != 2 || !strings.Contains(complaint, says) || !os.IsNotExist(err) {
			t.Errorf("%v: %d %s %v", line, status, complaint, err)
		}
	}
}
