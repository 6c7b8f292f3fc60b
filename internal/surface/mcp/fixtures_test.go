package mcp

//lint:file-ignore SA1019 the suite tries what the revisions before the newest have

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// NewFixtures makes a surface that offers the tools that the protocol's
// conformance suite calls, instead of the product's tools. Answers with text,
// pictures, faults and progress are made as those of the product's tools. Calls
// back to the client are made by the library.
func NewFixtures(o Options) (*Surface, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	names := []string{"test_sampling", "test_elicitation", "test_missing_capability", "test_logging_tool", "test_x_mcp_header", "test_reconnection"}
	for _, f := range fixtures {
		names = append(names, f.name)
	}
	server := s.serverOf(fixtures, names)
	server.AddTool(raw("test_sampling", `"prompt": {"type": "string"}`), sampled)
	server.AddTool(raw("test_elicitation", `"message": {"type": "string"}`), elicited)
	server.AddTool(raw("test_missing_capability", ""), incapable)
	server.AddTool(raw("test_logging_tool", ""), logged)
	server.AddTool(raw("test_x_mcp_header", `"region": {"type": "string", "x-mcp-header": "Region"}`), region)
	server.AddTool(raw("test_reconnection", ""), reconnected)
	for key := range s.servers {
		s.servers[key] = server
	}
	return s, nil
}

var fixtures = []tool{
	define("test_simple_text", reads, func(_ context.Context, t *turn, _ *noneIn) error {
		t.reply.did = append(t.reply.did, "This is a simple text response for testing.")
		return nil
	}, "Answers in words."),
	define("test_streaming_elicitation", reads, func(_ context.Context, t *turn, _ *noneIn) error {
		t.reply.did = append(t.reply.did, "The stream has this answer, and no request.")
		return nil
	}, "Answers in a stream."),
	define("test_image_content", reads, func(_ context.Context, t *turn, _ *noneIn) error {
		t.reply.image = &mcp.ImageContent{Data: []byte("\x89PNG\r\n\x1a\n"), MIMEType: "image/png"}
		return nil
	}, "Answers with a picture."),
	define("test_error_handling", reads, func(context.Context, *turn, *noneIn) error {
		return fault.New(fault.NotFound, "this tool intentionally returns an error for testing")
	}, "Fails."),
	define("test_tool_with_progress", reads, func(_ context.Context, t *turn, _ *noneIn) error {
		for step := range 3 {
			if t.tell != nil {
				t.tell(fmt.Sprintf("step %d of 3", step+1))
			}
		}
		return nil
	}, "Tells of its progress."),
}

func raw(name, properties string) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: "A fixture.", InputSchema: json.RawMessage(`{"type": "object", "properties": {` + properties + `}}`)}
}

func says(text string) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

func sampled(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	got, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
		MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "a word"}}},
	})
	if err != nil {
		return nil, err
	}
	return says("LLM response: " + got.Model)
}

func elicited(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	got, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "a name", RequestedSchema: json.RawMessage(
		`{"type": "object", "properties": {"username": {"type": "string"}}, "required": ["username"]}`)})
	if err != nil {
		return nil, err
	}
	return says("the user's answer: " + got.Action)
}

// incapable needs a client that supports sampling, and answers with the
// protocol's error otherwise.
func incapable(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if can := req.ClientCapabilities(); can != nil && can.Sampling != nil {
		return says("the client samples")
	}
	need, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client does not sample", Data: need}
}

func logged(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "to whoever asked for it"}); err != nil {
		return nil, err
	}
	return says("logged where it was asked for")
}

// reconnected closes the stream before the result is sent, so that the client
// must resume it.
func reconnected(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	return says("the stream was taken up")
}

func region(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return says(string(req.Params.Arguments))
}
