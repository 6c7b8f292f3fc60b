// Package peer starts MCP servers that drive a browser, Glovebox and others,
// each over standard input and output as a client would, on this machine and
// with Debian's Chromium, and talks to them. Benchmarks compare them with it.
package peer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Kind is one of the servers, in the way it is set up.
type Kind string

// The servers. Playwright stands twice: as it is installed, and without the
// half second that it waits after each action (--timeout-settle 0).
const (
	Glovebox        Kind = "Glovebox"
	PlaywrightTuned Kind = "Playwright MCP, tuned"
	Playwright      Kind = "Playwright MCP"
	AgentBrowser    Kind = "agent-browser"
	DevTools        Kind = "chrome-devtools-mcp"
)

// Kinds are all of them, in the order of tables.
func Kinds() []Kind { return []Kind{Glovebox, PlaywrightTuned, Playwright, AgentBrowser, DevTools} }

// Versions are the packages of npm that npm/package.json names.
var Versions = map[Kind]string{
	PlaywrightTuned: "0.0.83", Playwright: "0.0.83", AgentBrowser: "0.41.2", DevTools: "1.11.0",
}

const (
	startLimit = 90 * time.Second // for a server to answer initialize, a gateway and its first box included
	callLimit  = 90 * time.Second // of one tool call
)

// Server is a running MCP server and the client that talks to it. It is safe
// for concurrent use.
type Server struct {
	Kind    Kind
	session *mcp.ClientSession
	tools   []*mcp.Tool
	log     *tape
	named   string // the browser session that every call names; none when empty
	family  family // the server's processes
	gateway *gateway
}

// Refusal is a tool call that the server answered with an error. Its text is
// what an agent reads.
type Refusal struct{ Tool, Text string }

func (r *Refusal) Error() string { return r.Tool + " failed: " + r.Text }

// Missing is why a peer is not there: npm did not hand it out, or Chromium is
// not installed.
type Missing struct{ cause error }

func (m *Missing) Error() string { return "not installed: " + m.cause.Error() }

func (m *Missing) Unwrap() error { return m.cause }

// Start starts a server and ends it with the test, and everything it started.
// sites are the addresses ("http://localhost:1234") its pages may come from: what
// Glovebox is allowed; the others go anywhere. A test of a peer that cannot be
// installed is skipped.
func Start(tb testing.TB, kind Kind, sites ...string) *Server {
	tb.Helper()
	return Crew(tb, kind, 1, sites...)[0]
}

// Crew starts n clients that work side by side, each with a browser of its
// own: n sessions of one gateway, or n servers of a peer.
func Crew(tb testing.TB, kind Kind, n int, sites ...string) []*Server {
	tb.Helper()
	crew, err := Open(tb, kind, n, sites...)
	var missing *Missing
	if errors.As(err, &missing) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return crew
}

// Open is Crew for who wants to go on without a peer: it returns *Missing for
// one that cannot be installed, and another error for one that does not start.
func Open(tb testing.TB, kind Kind, n int, sites ...string) ([]*Server, error) {
	tb.Helper()
	if kind == Glovebox {
		return openGlovebox(tb, n, sites)
	}
	modules, err := installed(tb.Context())
	if err != nil {
		return nil, &Missing{err}
	}
	var crew []*Server
	for range n {
		s, err := openPeer(tb, kind, modules)
		if err != nil {
			return nil, err
		}
		crew = append(crew, s)
	}
	return crew, nil
}

// connect starts the program of a server and says hello.
func connect(tb testing.TB, s *Server, program program) error {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), startLimit)
	defer cancel()
	command, err := program.command(&s.family)
	if err != nil {
		return err
	}
	s.log = &tape{}
	command.Stderr = s.log
	client := mcp.NewClient(&mcp.Implementation{Name: "glovebox-bench", Version: "1"}, nil)
	tb.Cleanup(s.Close)
	if s.session, err = client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil); err != nil {
		return fmt.Errorf("%s does not start: %w\n%s", s.Kind, err, s.log)
	}
	for tool, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("%s does not list its tools: %w\n%s", s.Kind, err, s.log)
		}
		s.tools = append(s.tools, tool)
	}
	return nil
}

// Tools are the tools as the server lists them to a client.
func (s *Server) Tools() []*mcp.Tool { return s.tools }

// Call calls a tool and returns what an agent reads: the text of the answer.
// An answer that is an error is a *Refusal, with its text; any other error
// means that the server is not there any more, or did not answer in time.
func (s *Server) Call(ctx context.Context, tool string, args map[string]any) (string, error) {
	result, err := s.CallResult(ctx, tool, args)
	if err != nil {
		return "", err
	}
	text := Text(result)
	if result.IsError {
		return text, &Refusal{tool, text}
	}
	return text, nil
}

// CallResult is Call with the whole answer, pictures and structured content
// too. An answer that is an error is none here.
func (s *Server) CallResult(ctx context.Context, tool string, args map[string]any) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if s.named != "" {
		args = with(args, "session", s.named)
	}
	if args == nil {
		args = map[string]any{} // some refuse a call without
	}
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w%s", s.Kind, tool, err, s.log)
	}
	return result, nil
}

// with returns arguments with one more, unless it is there.
func with(args map[string]any, name string, value any) map[string]any {
	all := map[string]any{name: value}
	for key, given := range args {
		all[key] = given
	}
	return all
}

// Text is all text of an answer, in order.
func Text(result *mcp.CallToolResult) string {
	var parts []string
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// Close ends the server and everything it started. It may be called more than
// once.
func (s *Server) Close() {
	if s.session != nil {
		_ = s.session.Close()
	}
	s.family.end()
}
