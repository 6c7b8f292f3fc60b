package cli_test

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

// TestTokensAreMadeWithoutAGateway has no gateway listen: the state directory
// is asked, unless a gateway was named or a token given.
func TestTokensAreMadeWithoutAGateway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		args    []string
		env     map[string]string
		offline bool
		status  int
	}{
		"none runs":            {[]string{"token", "create", "--name", "ci", "--role", "agent"}, nil, true, 0},
		"one was named":        {[]string{"token", "list", "--url", "http://" + address, "--token", "t"}, nil, false, 6},
		"a token was given":    {[]string{"token", "list", "--token", "t"}, nil, false, 6},
		"a token is set":       {[]string{"token", "list"}, map[string]string{"GLOVEBOX_TOKEN": "t"}, false, 6},
		"bad arguments":        {[]string{"token", "create", "--name", "ci"}, nil, false, 2},
		"nothing but tokens":   {[]string{"session", "list", "--token", "t"}, nil, false, 6},
		"certificates missing": {[]string{"token", "list", "--ca", "/nowhere"}, nil, false, 2},
	} {
		asked := false
		parts := cli.Deps{Offline: func(_ context.Context, _ config.Config, call action.Call) (action.Result, error) {
			asked = call.Verb == "token.create" && call.Args.(*action.TokenCreate).Name == "ci"
			return action.Result{Data: &action.TokenMade{Token: action.Token{ID: "tok_1", Name: "ci"}, Secret: "gbx_ag_x"}}, nil
		}}
		env := func(name string) (string, bool) {
			value, set := c.env[name]
			if name == "GLOVEBOX_SERVER_LISTEN" {
				value, set = address, true
			}
			return value, set
		}
		var out, complaint bytes.Buffer
		status := cli.Run(t.Context(), parts, c.args, env, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &complaint})
		if asked != c.offline || status != c.status || asked && !strings.Contains(out.String(), "\ngbx_ag_x\n") {
			t.Errorf("%s: asked %t, status %d: %s%s", name, asked, status, &out, &complaint)
		}
	}
}
