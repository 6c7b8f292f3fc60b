package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func (r *root) cdpCommands() []*cobra.Command {
	group := &cobra.Command{Use: "cdp", Short: "Connect Playwright, Puppeteer and other clients of the browser's protocol", Args: between(0, 0), RunE: help}
	url := &cobra.Command{
		Use: "url", Short: "Print where clients connect, and how",
		Example: "  glovebox cdp url\n  glovebox cdp url -s work --json",
		Args:    between(0, 0),
		RunE:    func(c *cobra.Command, _ []string) error { return r.cdpURL() },
	}
	group.AddCommand(url)
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
others:      %[1]s?access_token=$TOKEN
`, at, c.Server.StateDir, operatorToken)
	return nil
}
