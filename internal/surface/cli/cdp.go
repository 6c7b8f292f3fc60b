package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
	"github.com/gloveboxhq/glovebox/internal/surface/forward"
)

// cdpCommands connect clients of the DevTools protocol.
type cdpCommands struct{ *environment }

func (cmd cdpCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "cdp", Short: "Connect Playwright, Puppeteer and other clients of the browser's protocol", Args: between(0, 0), RunE: help}
	var lives time.Duration
	address := &cobra.Command{
		Use: "url", Short: "Print where clients connect, and how",
		Long: "Print where clients connect, and how. With --for the address has a token of its own in it, which opens the\n" +
			"browser's protocol of that one session, nothing else, and for so long: for clients that can send no header.\n" +
			"It is as good as a password while it lives: keep it from models and logs.",
		Example: "  glovebox cdp url\n  glovebox cdp url -s work --json\n  glovebox cdp url -s work --for 10m",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("for") {
				return cmd.ticket(c.Context(), lives)
			}
			return cmd.showURL()
		},
	}
	address.Flags().DurationVar(&lives, "for", 0, "make a token for the session and put it into the address; an hour at most")
	group.AddCommand(address, cmd.forwardCommand())
	return []*cobra.Command{group}
}

// showURL prints the address without asking the gateway: a client gets a clearer
// answer there.
func (cmd cdpCommands) showURL() error {
	c, err := cmd.load()
	if err != nil {
		return err
	}
	base := first(cmd.url, c.Server.URL())
	path := "/v1/browser/cdp"
	if cmd.target != "" {
		path = "/v1/sessions/" + cmd.target + "/browser/cdp"
	}
	at := strings.Replace(strings.TrimSuffix(base, "/"), "http", "ws", 1) + path
	if cmd.json {
		return encode(cmd.io.Out, action.CDPEndpoint{URL: at})
	}
	cmd.printf(`%[1]s

TOKEN=$(cat %[2]s/%[3]s)
Playwright:  await chromium.connectOverCDP("%[1]s", {headers: {Authorization: "Bearer " + process.env.TOKEN}})
Puppeteer:   await puppeteer.connect({browserWSEndpoint: "%[1]s", headers: {Authorization: "Bearer " + process.env.TOKEN}})
others:      glovebox cdp url --for 10m prints an address with a token of its own
without one: glovebox cdp forward offers it on this machine, and puts downloads where the client looks for them
`, at, c.Server.StateDir, operatorToken)
	return nil
}

// ticket prints an address with a token of its own.
func (cmd cdpCommands) ticket(ctx context.Context, lives time.Duration) error {
	if lives < time.Second || lives > time.Hour {
		return usage(errors.New("want --for between 1s and 1h"))
	}
	session, made, base, err := cmd.sessionToken(ctx, "cdp-", lives)
	if err != nil {
		return err
	}
	path := "/v1/sessions/" + session.ID + "/browser/cdp?" + url.Values{"access_token": {made.Secret}}.Encode()
	at := strings.Replace(base, "http", "ws", 1) + path
	return cmd.print(action.Result{Data: map[string]any{"url": at, "http": base + path, "session": session.ID, "expiresAt": made.Expires, "token": made.ID}}, func(action.Result) {
		cmd.printf("%s\n", at)
		cmd.printf("%s\n", cmd.style.dim("for "+lives.String()+", of session "+session.ID+" alone; http:// in place of ws:// for clients that look for it; glovebox token revoke "+made.ID+" ends it"))
	})
}

// sessionToken makes a token for one session, and returns it with the address of the
// gateway.
func (cmd *environment) sessionToken(ctx context.Context, prefix string, lives time.Duration) (session *action.Session, made *action.TokenMade, base string, err error) {
	conf, err := cmd.load()
	if err != nil {
		return nil, nil, "", err
	}
	gateway, err := cmd.client(operatorToken)
	if err != nil {
		return nil, nil, "", err
	}
	result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbSessionShow.Name, Session: cmd.target, Args: &action.None{}})
	if err != nil {
		return nil, nil, "", err
	}
	session, _ = result.Data.(*action.Session)
	result, err = cmd.send(ctx, gateway, action.Call{Verb: action.VerbTokenCreate.Name, Args: &action.TokenCreate{
		Name: prefix + randid.Word()[:12], Role: action.Operator, Session: session.ID, ExpiresIn: int(lives.Seconds()),
	}})
	if err != nil {
		return nil, nil, "", err
	}
	made, _ = result.Data.(*action.TokenMade)
	return session, made, strings.TrimSuffix(first(cmd.url, conf.Server.URL()), "/"), nil
}

func (cmd cdpCommands) forwardCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use: "forward", Short: "Offer a session's browser to clients on this machine, until it is interrupted",
		Long: "Offer a session's browser to clients on this machine, until it is interrupted. Clients need no token. What pages\n" +
			"download is put where the client looks for it, so that Playwright's saveAs and path find it. Whoever knows the\n" +
			"address drives the browser: it has a secret in it, which is another each time.",
		Example: "  glovebox cdp forward\n  glovebox cdp forward -s work --listen 127.0.0.1:9222\n  node -e 'require(\"playwright\").chromium.connectOverCDP(process.argv[1])' \"$(glovebox cdp forward | head -1)\"",
		Args:    between(0, 0),
		RunE:    func(c *cobra.Command, _ []string) error { return cmd.forward(c.Context(), listen) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address on this machine; port 0 is a free one")
	return c
}

func (cmd cdpCommands) forward(ctx context.Context, listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fault.New(fault.InvalidRequest, "--listen: %q is no address of this machine alone", listen).Hinted("give one like 127.0.0.1:9222")
	}
	gateway, err := cmd.client(operatorToken)
	if err != nil {
		return err
	}
	result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbSessionShow.Name, Session: cmd.target, Args: &action.None{}})
	if err != nil {
		return err
	}
	session, _ := result.Data.(*action.Session)
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", listen)
	if err != nil {
		return fault.New(fault.InvalidRequest, "--listen: %s cannot be listened on", listen).Hinted("give another port; 0 is a free one").Because(err)
	}
	f := forward.New(gateway, session.ID, listener, slog.New(slog.NewTextHandler(cmd.io.Err, nil)))
	data := map[string]string{"http": f.Address(), "url": strings.Replace(f.Address(), "http", "ws", 1), "session": session.ID}
	if err := cmd.print(action.Result{Data: data}, func(action.Result) {
		cmd.printf("%s\n", f.Address())
		cmd.printf("%s\n", cmd.style.dim("for Playwright's connectOverCDP; ws:// in place of http:// is the WebSocket; Ctrl-C ends it"))
	}); err != nil {
		return err
	}
	return f.Serve(ctx)
}
