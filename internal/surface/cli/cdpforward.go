package cli

import (
	"context"
	"log/slog"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/forward"
)

func (r *root) cdpForward() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use: "forward", Short: "Offer a session's browser to clients on this machine, until it is interrupted",
		Long: "Offer a session's browser to clients on this machine, until it is interrupted. Clients need no token. What pages\n" +
			"download is put where the client looks for it, so that Playwright's saveAs and path find it. Whoever knows the\n" +
			"address drives the browser: it has a secret in it, which is another each time.",
		Example: "  glovebox cdp forward\n  glovebox cdp forward -s work --listen 127.0.0.1:9222\n  node -e 'require(\"playwright\").chromium.connectOverCDP(process.argv[1])' \"$(glovebox cdp forward | head -1)\"",
		Args:    between(0, 0),
		RunE:    func(c *cobra.Command, _ []string) error { return r.forward(c.Context(), listen) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address on this machine; port 0 is a free one")
	return c
}

func (r *root) forward(ctx context.Context, listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fault.New(fault.InvalidRequest, "--listen: %q is no address of this machine alone", listen).Hinted("give one like 127.0.0.1:9222")
	}
	door, err := r.door(operatorToken)
	if err != nil {
		return err
	}
	result, err := r.send(ctx, door, action.Call{Verb: "session.show", Session: r.target, Args: &action.None{}})
	if err != nil {
		return err
	}
	session, _ := result.Data.(*action.Session)
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", listen)
	if err != nil {
		return fault.New(fault.InvalidRequest, "--listen: %s cannot be listened on", listen).Hinted("give another port; 0 is a free one").Because(err)
	}
	f := forward.New(door, session.ID, listener, slog.New(slog.NewTextHandler(r.io.Err, nil)))
	data := map[string]string{"http": f.Address(), "url": strings.Replace(f.Address(), "http", "ws", 1), "session": session.ID}
	if err := r.print(action.Result{Data: data}, func(action.Result) {
		r.printf("%s\n", f.Address())
		r.printf("%s\n", r.style.dim("for Playwright's connectOverCDP; ws:// in place of http:// is the WebSocket; Ctrl-C ends it"))
	}); err != nil {
		return err
	}
	return f.Serve(ctx)
}
