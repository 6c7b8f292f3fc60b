package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// controlCommands keep agents from a session, and give it back.
func (r *root) controlCommands() []*cobra.Command {
	return []*cobra.Command{
		r.holdVerb("pause", "session.pause", "looking at the form"), r.holdVerb("take", "session.take", "signing in"),
		r.allowHost(), r.handBackVerb("resume", "session.resume"), r.handBackVerb("hand-back", "session.hand_back"),
	}
}

func (r *root) holdVerb(name, verbName, why string) *cobra.Command {
	var call action.Hands
	c := verb(verbName, name+" [<session>]", fmt.Sprintf("glovebox session %s invoices --reason '%s'", name, why))
	c.Args = between(0, 1)
	c.Flags().StringVar(&call.Reason, "reason", "", "why; its agents are told")
	c.RunE = func(c *cobra.Command, args []string) error {
		r.target = first(append(args, r.target)...)
		return r.call(c.Context(), verbName, &call, r.showSession)
	}
	return c
}

func (r *root) handBackVerb(name, verbName string) *cobra.Command {
	var call action.HandBack
	c := verb(verbName, name+" [<session>]", fmt.Sprintf("glovebox session %s invoices --note 'I signed in for you'", name))
	c.Args = between(0, 1)
	c.Flags().StringVar(&call.Note, "note", "", "what the agent is told")
	c.RunE = func(c *cobra.Command, args []string) error {
		r.target = first(append(args, r.target)...)
		return r.call(c.Context(), verbName, &call, r.showSession)
	}
	return c
}

func (r *root) allowHost() *cobra.Command {
	var call action.AllowHost
	c := verb("session.allow", "allow <host> [<session>]", "glovebox session allow docs.example.com invoices\nglovebox session allow cdn.example.net --for resource")
	c.Args = between(1, 2)
	c.Flags().StringVar(&call.For, "for", "", "page or resource (default page)")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.Host = args[0]
		r.target = first(append(args[1:], r.target)...)
		return r.call(c.Context(), "session.allow", &call, r.showSession)
	}
	return c
}

// held says who holds a session, nothing for nobody.
func held(hold *action.Hold) string {
	if hold == nil {
		return ""
	}
	return fmt.Sprintf("by %s since %s: %s", hold.By, hold.Since.Local().Format(time.TimeOnly), hold.Why)
}
