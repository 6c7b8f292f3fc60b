package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// declared answers that there is no such method where one belongs to a
// capability that the server does not declare. The library answers some of
// them all the same, with empty lists; a client that goes by what is declared
// takes that for a contradiction (the conformance suite's server-stateless).
func declared(by *mcp.ServerCapabilities) mcp.Middleware {
	absent := map[string]bool{
		"completion": by.Completions == nil, "logging": by.Logging == nil, "prompts": by.Prompts == nil, "resources": by.Resources == nil,
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if of, _, found := strings.Cut(method, "/"); found && absent[of] {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: the server does not declare " + of}
			}
			return next(ctx, method, r)
		}
	}
}
