package cli

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// tidyUp is how long closing the session takes at most after a failed smoke test.
const tidyUp = 20 * time.Second

func (cmd setupCommands) smoke() *cobra.Command {
	return &cobra.Command{
		Use:     "smoke <url>",
		Short:   "Run the main job once: start, goto, extract, screenshot, archive",
		Example: "  glovebox smoke https://example.com/",
		Args:    between(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			gateway, _, err := gatewayCommands(cmd).readyClient(c.Context(), operatorToken, allowFlags{})
			if err != nil {
				return err
			}
			return cmd.runSmoke(c.Context(), gateway, args[0])
		},
	}
}

type smokeStep struct {
	Step   string `json:"step"`
	MS     int64  `json:"ms"`
	Detail string `json:"detail"`
}

func (cmd setupCommands) runSmoke(ctx context.Context, gateway caller, address string) error {
	host, err := hostOf(address)
	if err != nil {
		return err
	}
	session := ""
	do := func(verb string, args any, tell func(action.Result) string) error {
		begin := time.Now()
		result, err := cmd.send(ctx, gateway, action.Call{Verb: verb, Session: session, Args: args})
		took := time.Since(begin)
		if err != nil {
			if !cmd.json { // Run prints the fault
				cmd.printf("%s %-17s %s\n", cmd.style.bad("FAIL"), verb, clean(fault.From(err).Message))
			}
			return err
		}
		if session == "" {
			session = result.Session
		}
		cmd.showStep(smokeStep{Step: verb, MS: took.Milliseconds(), Detail: tell(result)})
		return nil
	}
	err = smokeSteps(do, host, address)
	if err != nil && session != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyUp)
		defer cancel()
		_, _ = cmd.send(ctx, gateway, action.Call{Verb: action.VerbSessionArchive.Name, Session: session, Args: &action.None{}})
	}
	return err
}

// hostOf returns the host of an address, which smoke allows its session.
func hostOf(address string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "", fault.New(fault.InvalidURL, "%q is no URL", address).Hinted("write one like https://example.com/")
	}
	return u.Hostname(), nil
}

func smokeSteps(do func(string, any, func(action.Result) string) error, host, address string) error {
	steps := []struct {
		verb string
		args any
		tell func(action.Result) string
	}{
		{action.VerbSessionStart.Name, &action.SessionStart{Allow: []string{host}}, func(r action.Result) string {
			return "session " + r.Session
		}},
		{action.VerbPageGoto.Name, &action.Goto{URL: address}, func(r action.Result) string {
			at := r.Data.(*action.Navigated)
			return fmt.Sprintf("%d %s", at.Status, at.URL)
		}},
		{action.VerbPageExtract.Name, &action.Extract{Mode: "title"}, func(r action.Result) string {
			return r.Data.(*action.Extracted).Text
		}},
		{action.VerbPageExtract.Name, &action.Extract{Mode: "text"}, func(r action.Result) string {
			text := r.Data.(*action.Extracted).Text
			return fmt.Sprintf("%d characters: %s", len([]rune(text)), short(text, 60))
		}},
		{action.VerbPageScreenshot.Name, &action.TakeScreenshot{}, func(r action.Result) string {
			shot := r.Data.(*action.Screenshot)
			detail := fmt.Sprintf("%d × %d %s, %d bytes", shot.Width, shot.Height, shot.Format, len(shot.Bytes))
			for _, a := range r.Artifacts {
				detail += ", artifact " + a.ID
			}
			return detail
		}},
		{action.VerbSessionArchive.Name, &action.None{}, func(r action.Result) string { return r.Data.(*action.Session).State }},
	}
	for _, s := range steps {
		if err := do(s.verb, s.args, s.tell); err != nil {
			return err
		}
	}
	return nil
}

func (cmd setupCommands) showStep(s smokeStep) {
	if cmd.json {
		_ = encode(cmd.io.Out, s)
		return
	}
	cmd.printf("%s   %-17s %5d ms  %s\n", cmd.style.good("ok"), s.Step, s.MS, clean(s.Detail))
}
