package mcp_test

import (
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The library answers some methods that the server does not declare. A client
// that follows the declaration would not use them.
func TestWhatIsAnsweredIsDeclared(t *testing.T) {
	c := connect(t, surface(t, site()), nil)
	has := c.InitializeResult().Capabilities
	for method, asked := range map[string]struct {
		declared bool
		ask      func() error
	}{
		"prompts/list":   {has.Prompts != nil, func() error { _, err := c.ListPrompts(t.Context(), nil); return err }},
		"resources/list": {has.Resources != nil, func() error { _, err := c.ListResources(t.Context(), nil); return err }},
		"completion/complete": {has.Completions != nil, func() error {
			_, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "p"}, Argument: mcp.CompleteParamsArgument{Name: "a"}})
			return err
		}},
		"tools/list": {has.Tools != nil, func() error { _, err := c.ListTools(t.Context(), nil); return err }},
	} {
		var refused *jsonrpc.Error
		err := asked.ask()
		if missing := errors.As(err, &refused) && refused.Code == jsonrpc.CodeMethodNotFound; missing == asked.declared {
			t.Errorf("%s is declared: %t, and asked for: %v", method, asked.declared, err)
		}
	}
}
