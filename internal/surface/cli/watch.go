package cli

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// watch prints the address of a session's live view.
func (cmd sessionCommands) watch() *cobra.Command {
	var lives time.Duration
	c := &cobra.Command{
		Use: "watch [session]", Short: "Print an address at which a session is watched and taken over, in any browser",
		Long: "Print an address at which a session is watched and taken over, in any browser. It has a token of its own in it,\n" +
			"which opens that one session, nothing else, and for an hour at most: it is as good as a password while it lives.",
		Example: "  glovebox session watch\n  glovebox session watch work --for 10m\n  xdg-open \"$(glovebox session watch work)\"",
		Args:    between(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				cmd.target = args[0]
			}
			return cmd.printLiveView(c.Context(), lives)
		},
	}
	c.Flags().DurationVar(&lives, "for", time.Hour, "how long the address works; an hour at most")
	return c
}

func (cmd sessionCommands) printLiveView(ctx context.Context, lives time.Duration) error {
	if lives < time.Second || lives > time.Hour {
		return usage(errors.New("want --for between 1s and 1h"))
	}
	session, made, base, err := cmd.sessionToken(ctx, "live-", lives)
	if err != nil {
		return err
	}
	at := base + "/live/" + url.PathEscape(session.ID) + "#token=" + url.QueryEscape(made.Secret)
	return cmd.print(action.Result{Data: map[string]any{"url": at, "session": session.ID, "expiresAt": made.Expires, "token": made.ID}}, func(action.Result) {
		cmd.printf("%s\n", at)
		if cmd.io.Terminal {
			cmd.printf("%s\n", cmd.style.dim("for "+lives.String()+"; glovebox token revoke "+made.ID+" ends it"))
		}
	})
}
