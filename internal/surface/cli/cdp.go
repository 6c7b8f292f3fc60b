package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) cdpCommands() []*cobra.Command {
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
				return r.cdpTicket(c.Context(), lives)
			}
			return r.cdpURL()
		},
	}
	address.Flags().DurationVar(&lives, "for", 0, "make a token for the session and put it into the address; an hour at most")
	group.AddCommand(address, r.cdpForward())
	return []*cobra.Command{group}
}

// cdpURL prints the address without asking the gateway: what a client is told
// there says more.
func (r *root) cdpURL() error {
	c, err := r.load()
	if err != nil {
		return err
	}
	base := first(r.url, c.Server.URL())
	path := "/v1/browser/cdp"
	if r.target != "" {
		path = "/v1/sessions/" + r.target + "/browser/cdp"
	}
	at := strings.Replace(strings.TrimSuffix(base, "/"), "http", "ws", 1) + path
	if r.json {
		return encode(r.io.Out, action.CDPEndpoint{URL: at})
	}
	r.printf(`%[1]s

TOKEN=$(cat %[2]s/%[3]s)
Playwright:  await chromium.connectOverCDP("%[1]s", {headers: {Authorization: "Bearer " + process.env.TOKEN}})
Puppeteer:   await puppeteer.connect({browserWSEndpoint: "%[1]s", headers: {Authorization: "Bearer " + process.env.TOKEN}})
others:      glovebox cdp url --for 10m prints an address with a token of its own
without one: glovebox cdp forward offers it on this machine, and puts downloads where the client looks for them
`, at, c.Server.StateDir, operatorToken)
	return nil
}

// cdpTicket prints an address with a token of its own.
func (r *root) cdpTicket(ctx context.Context, lives time.Duration) error {
	if lives < time.Second || lives > time.Hour {
		return usage(errors.New("want --for between 1s and 1h"))
	}
	conf, err := r.load()
	if err != nil {
		return err
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
	name := "cdp-" + strings.ToLower(rand.Text()[:12])
	result, err = r.send(ctx, door, action.Call{Verb: "token.create", Args: &action.TokenCreate{
		Name: name, Role: action.Operator, Session: session.ID, ExpiresIn: int(lives.Seconds()),
	}})
	if err != nil {
		return err
	}
	made, _ := result.Data.(*action.TokenMade)
	base := strings.TrimSuffix(first(r.url, conf.Server.URL()), "/")
	path := "/v1/sessions/" + session.ID + "/browser/cdp?" + url.Values{"access_token": {made.Secret}}.Encode()
	at := strings.Replace(base, "http", "ws", 1) + path
	return r.print(action.Result{Data: map[string]any{"url": at, "http": base + path, "session": session.ID, "expiresAt": made.Expires, "token": made.ID}}, func(action.Result) {
		r.printf("%s\n", at)
		r.printf("%s\n", r.style.dim("for "+lives.String()+", of session "+session.ID+" alone; http:// in place of ws:// for clients that look for it; glovebox token revoke "+made.ID+" ends it"))
	})
}
