package mcpconfig_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/mcpconfig"
)

var ours = mcpconfig.Command{Name: "glovebox", Path: "/opt/a \"b\"/glovebox", Args: []string{"mcp", "--allow", "example.com,*.example.org"},
	Env: []mcpconfig.Variable{{Name: "GLOVEBOX_SERVER_LISTEN", Value: "127.0.0.1:9"}, {Name: "DOCKER_HOST", Value: "unix:///run/a \"b\".sock"}}}

// settings are realistic files of each client.
var settings = map[string][]string{
	"claude-code": {`{
  "numStartups": 12,
  "mcpServers": {
    "github": { "type": "stdio", "command": "npx", "args": ["-y", "@modelcontextprotocol/server-github"], "env": {"TOKEN": "t"} }
  },
  "projects": {"/home/ada/x": {"allowedTools": []}}
}
`},
	"claude-desktop": {"{}", "{\n  \"mcpServers\": {}\n}\n", "{\r\n\t\"globalShortcut\": \"\",\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\": \"a\"}\r\n\t}\r\n}\r\n"},
	"cursor":         {`{"mcpServers":{"a":{"command":"a","args":[]}}}`},
	"vscode": {`{
	// servers of this profile
	"inputs": [{"id": "key", "type": "promptString", "password": true,},],
	"servers": {
		"playwright": {"command": "npx", "args": ["@playwright/mcp@latest"]}, // the other one
		/* and */ "b": {"type": "http", "url": "https://b.example/mcp"}, // last
	},
}
`},
	"windsurf": {""},
	"zed": {`// Zed settings
{
  "theme": "One Dark", // dark
  "vim_mode": true
  // the end
}
`, `{
  "context_servers": {
    "a": {
      "command": "a",
      "args": []
    }
    // none else
  },
  "theme": {"mode": "system",},
}
`},
	"codex": {"", "model = \"o3\"\n", `# mine
model = "o3"

[mcp_servers.a]
command = "npx"
args = ["-y",
  "[b]"]

[mcp_servers.a.env]
KEY = "v" # secret

[profiles.fast]
text = """
[mcp_servers.fake]
"""
`},
	"gemini": {`{"selectedAuthType": "oauth", "mcpServers": {"a": {"httpUrl": "https://a.example"}}, "theme": "x"}`},
	"goose": {"", "GOOSE_MODEL: gpt-4o\n", `GOOSE_PROVIDER: openai # mine
extensions:
    developer:
        bundled: true
        enabled: true
        name: developer
    # not this
    memory:
        enabled: false
GOOSE_MODE: auto
`, "extensions: {}\nkeep: 1\n"},
	"opencode": {`{
  "$schema": "https://opencode.ai/config.json",
  "mcp": { "a": { "type": "remote", "url": "https://a.example" } },
}
`},
}

func TestEveryClientHasTestSettings(t *testing.T) {
	for _, c := range mcpconfig.Clients {
		if len(settings[c.Name]) == 0 || c.Title == "" || c.Key == "" || !strings.HasPrefix(c.File("/home/ada"), "/home/ada/") {
			t.Errorf("%+v", c)
		}
	}
}

// TestAddingAnEntryChangesNothingElse checks that all other bytes of a file stay
// in their order.
func TestAddingAnEntryChangesNothingElse(t *testing.T) {
	for name, texts := range settings {
		c := client(t, name)
		for _, text := range texts {
			with := must(t, name)(c.Add(text, ours))
			at := 0
			for _, word := range strings.Fields(strings.NewReplacer("{}", "").Replace(text)) {
				word = strings.TrimRight(word, "},")
				found := strings.Index(with[at:], word)
				if found < 0 {
					t.Errorf("%s: %q has moved:\n%s", name, word, with)
					break
				}
				at += found + len(word)
			}
			if again := must(t, name)(c.Add(with, ours)); again != with {
				t.Errorf("%s: adding it twice changes the file:\n%s\n%s", name, with, again)
			}
		}
	}
}

func TestRemovingAnEntryRestoresTheFile(t *testing.T) {
	for name, texts := range settings {
		c := client(t, name)
		for _, text := range texts {
			without := must(t, name)(c.Remove(must(t, name)(c.Add(text, ours)), ours.Name))
			if strings.Contains(without, "glovebox") {
				t.Errorf("%s: the entry is still there:\n%s", name, without)
			}
			if strings.Contains(text, `"a": `) && without != text && strings.Join(strings.Fields(without), "") != strings.Join(strings.Fields(text), "") ||
				strings.Contains(text, "\t\"a\":") && without != text || strings.Contains(text, "[mcp_servers.a]") && without != text || strings.Contains(text, "developer") && without != text {
				t.Errorf("%s: it was\n%s\nand is\n%s", name, text, without)
			}
			if again := must(t, name)(c.Remove(without, ours.Name)); again != without {
				t.Errorf("%s: removing it twice changes the file:\n%s", name, again)
			}
		}
	}
}

func TestAnEntryIsReplacedInItsPlace(t *testing.T) {
	other := ours
	other.Args = []string{"mcp", "--tools", "all"}
	for name, texts := range settings {
		c := client(t, name)
		for _, text := range texts {
			with := must(t, name)(c.Add(must(t, name)(c.Add(text, ours)), other))
			if strings.Contains(with, "--allow") || !strings.Contains(with, "--tools") || strings.Count(with, "glovebox\":")+strings.Count(with, "glovebox:")+strings.Count(with, ".glovebox]") != 1 {
				t.Errorf("%s:\n%s", name, with)
			}
		}
	}
}

func TestTheEntryOfEachClient(t *testing.T) {
	short := mcpconfig.Command{Name: "glovebox", Path: "/bin/glovebox", Args: []string{"mcp"}}
	for name, want := range map[string]string{
		"cursor":   "{\n  \"mcpServers\": {\n    \"glovebox\": {\n      \"command\": \"/bin/glovebox\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
		"vscode":   "{\n  \"servers\": {\n    \"glovebox\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/glovebox\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
		"opencode": "{\n  \"mcp\": {\n    \"glovebox\": {\n      \"type\": \"local\",\n      \"command\": [\"/bin/glovebox\", \"mcp\"],\n      \"enabled\": true\n    }\n  }\n}\n",
		"codex":    "[mcp_servers.glovebox]\ncommand = \"/bin/glovebox\"\nargs = [\"mcp\"]\n",
		"goose":    "extensions:\n  glovebox:\n    name: \"glovebox\"\n    type: \"stdio\"\n    cmd: \"/bin/glovebox\"\n    args: [\"mcp\"]\n    enabled: true\n    timeout: 300\n",
	} {
		if got := must(t, name)(client(t, name).Text(short)); got != want {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestFilesThatCannotBeChangedSafelyAreRefused(t *testing.T) {
	for text, name := range map[string]string{
		`{"mcpServers": `: "cursor", `[]`: "cursor", `{"mcpServers": []}`: "cursor", `{"mcpServers": {"glovebox": 1, "glovebox": 2}, "a": 1} b`: "gemini",
		"mcp_servers = {a = {command = \"a\"}}\n": "codex", "a = \n": "codex", "mcp_servers.glovebox.command = \"x\"\n": "codex",
		"extensions: {a: {enabled: true}}\n": "goose", "extensions: [a]\n": "goose", "a: [\n": "goose", "\"extensions\":\n  a: {}\n": "goose",
	} {
		c := client(t, name)
		out, err := c.Add(text, ours)
		if f := fault.From(err); f == nil || f.Code != fault.InvalidRequest || !strings.Contains(f.Hint, "by hand") || out != "" {
			t.Errorf("%s: %q became %q, %v", name, text, out, err)
		}
	}
	if _, err := mcpconfig.Find("emacs"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
}

func FuzzAddingChangesNothingElse(f *testing.F) {
	for _, texts := range settings {
		for _, text := range texts {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range mcpconfig.Clients {
			with, err := c.Add(text, ours)
			if err != nil {
				continue
			}
			if again, err := c.Add(with, ours); err != nil || again != with {
				t.Errorf("%s: %q became %q, then %q: %v", c.Name, text, with, again, err)
			}
		}
	})
}

func client(t *testing.T, name string) mcpconfig.Client {
	t.Helper()
	c, err := mcpconfig.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must(t *testing.T, name string) func(string, error) string {
	t.Helper()
	return func(text string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v, %s", name, err, fault.From(err).Hint)
		}
		return text
	}
}
