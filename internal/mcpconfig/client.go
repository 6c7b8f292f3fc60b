// Package mcpconfig adds the gateway to the configuration files of clients of the
// Model Context Protocol. It knows the entry that each client needs and where its
// file is. It works on text only; the caller reads and writes the files.
package mcpconfig

import (
	"errors"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Format is the syntax of a client's file.
type Format string

const (
	JSON Format = "json" // with comments and trailing commas, if the client accepts them
	TOML Format = "toml"
	YAML Format = "yaml"
)

// Client is a program that connects to MCP servers.
type Client struct {
	Name   string // on our command line
	Title  string
	Format Format
	Key    string // of the object that contains the entries
	linux  string // path of the file below the home directory
	mac    string // path on macOS, if it differs
	shape  func(Command) []field
}

// Command starts an MCP server on standard input and output.
type Command struct {
	Name string // of the entry
	Path string // of the program
	Args []string
	Env  []Variable // set for it, in this order
}

// Variable is a variable of the environment.
type Variable struct{ Name, Value string }

// field is a member of an entry; a list of them keeps their order.
type field struct {
	name  string
	value any
}

// variables is an object with ordered members.
type variables []Variable

// env appends the field with the variables of c, if there are any.
func (c Command) env(name string, fields ...field) []field {
	if len(c.Env) > 0 {
		fields = append(fields, field{name, variables(c.Env)})
	}
	return fields
}

func plain(c Command) []field {
	return c.env("env", field{"command", c.Path}, field{"args", c.Args})
}

func typed(c Command) []field { return append([]field{{"type", "stdio"}}, plain(c)...) }

func local(c Command) []field {
	return c.env("environment", field{"type", "local"}, field{"command", append([]string{c.Path}, c.Args...)}, field{"enabled", true})
}

func extension(c Command) []field {
	return c.env("envs", field{"name", c.Name}, field{"type", "stdio"}, field{"cmd", c.Path}, field{"args", c.Args},
		field{"enabled", true}, field{"timeout", 300}) // seconds: long enough for an approval
}

// Clients are the supported clients, with the paths and formats of their
// documentation.
var Clients = []Client{
	{"claude-code", "Claude Code", JSON, "mcpServers", ".claude.json", "", typed},
	{"claude-desktop", "Claude Desktop", JSON, "mcpServers", ".config/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json", plain},
	{"cursor", "Cursor", JSON, "mcpServers", ".cursor/mcp.json", "", plain},
	{"vscode", "Visual Studio Code", JSON, "servers", ".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json", typed},
	{"windsurf", "Windsurf", JSON, "mcpServers", ".codeium/windsurf/mcp_config.json", "", plain},
	{"zed", "Zed", JSON, "context_servers", ".config/zed/settings.json", "", plain},
	{"codex", "Codex", TOML, "mcp_servers", ".codex/config.toml", "", plain},
	{"gemini", "Gemini CLI", JSON, "mcpServers", ".gemini/settings.json", "", plain},
	{"goose", "Goose", YAML, "extensions", ".config/goose/config.yaml", "", extension},
	{"opencode", "OpenCode", JSON, "mcp", ".config/opencode/opencode.json", "", local},
}

// Names lists the clients' names.
func Names() []string {
	names := make([]string, len(Clients))
	for i, c := range Clients {
		names[i] = c.Name
	}
	return names
}

// Find returns the client with this name. Fault: invalid_request.
func Find(name string) (Client, error) {
	at := slices.IndexFunc(Clients, func(c Client) bool { return c.Name == name })
	if at < 0 {
		return Client{}, fault.New(fault.InvalidRequest, "there is no client of that name").
			Hinted("use one of %s; for another client, write the entry that is shown without --client into its settings", strings.Join(Names(), ", ")).With("field", "client")
	}
	return Clients[at], nil
}

// File returns the path of the client's file for the user with this home
// directory.
func (c Client) File(home string) string {
	if runtime.GOOS == "darwin" && c.mac != "" {
		return filepath.Join(home, filepath.FromSlash(c.mac))
	}
	return filepath.Join(home, filepath.FromSlash(c.linux))
}

// Text returns a file with the entry alone.
func (c Client) Text(command Command) (string, error) { return c.Add("", command) }

// Add returns the text of a client's file with the entry added or replaced.
// Nothing else is changed. Fault: invalid_request for a text that cannot be
// parsed or cannot be changed safely.
func (c Client) Add(text string, command Command) (string, error) {
	return c.changed(text, command.Name, true, func() (string, error) {
		switch c.Format {
		case TOML:
			return c.addTOML(text, command)
		case YAML:
			return c.addYAML(text, command)
		}
		return c.addJSON(text, command)
	})
}

// Remove returns the text without the entry with this name. A text without such
// an entry is returned unchanged. Fault: as of Add.
func (c Client) Remove(text, name string) (string, error) {
	return c.changed(text, name, false, func() (string, error) {
		switch {
		case strings.TrimSpace(text) == "":
			return text, nil
		case c.Format == TOML:
			return c.removeTOML(text, name)
		case c.Format == YAML:
			return c.removeYAML(text, name)
		}
		return c.removeJSON(text, name)
	})
}

// changed makes a change, parses the result and compares it with the text before:
// only the entry may differ, and it must exist or not, as there says.
func (c Client) changed(text, name string, there bool, change func() (string, error)) (string, error) {
	before, err := c.read(text)
	if err != nil {
		return "", unreadable(c, err)
	}
	out, err := change()
	if err != nil {
		return "", unsafe(c)
	}
	after, err := c.read(out)
	if err == nil && reflect.DeepEqual(before, after) {
		return text, nil
	}
	if err != nil || c.without(after, name) != there {
		return "", unsafe(c)
	}
	if c.without(before, name); !reflect.DeepEqual(before, after) {
		return "", unsafe(c)
	}
	return out, nil
}

// without removes an entry from a parsed file, and reports whether there was one.
// It also removes a group that is empty then.
func (c Client) without(all map[string]any, name string) bool {
	group, _ := all[c.Key].(map[string]any)
	_, had := group[name]
	delete(group, name)
	if value, is := all[c.Key]; is && len(group) == 0 && (value == nil || group != nil) {
		delete(all, c.Key)
	}
	return had
}

func (c Client) read(text string) (map[string]any, error) {
	switch c.Format {
	case TOML:
		return readTOML(text)
	case YAML:
		return readYAML(text)
	}
	return readJSON(text)
}

var errShape = errors.New("not an object")

func unreadable(c Client, err error) error {
	return fault.New(fault.InvalidRequest, "the settings of %s cannot be read", c.Title).
		Hinted("correct the file, or add the entry by hand: it is shown without --write").Because(err)
}

func unsafe(c Client) error {
	return fault.New(fault.InvalidRequest, "the settings of %s are written in a way that cannot be changed safely", c.Title).
		Hinted("add the entry by hand: it is shown without --write")
}
