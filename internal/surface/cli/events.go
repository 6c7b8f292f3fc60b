package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// eventCommands follow the events of the gateway.
type eventCommands struct{ *environment }

const (
	comeAgain = time.Second      // after a stream of events ended
	retryLate = 10 * time.Second // at most, while no gateway answers
)

func (cmd eventCommands) commands() []*cobra.Command {
	var kinds []string
	var after int64
	c := verb(action.VerbEventsFollow.Name, "events", "glovebox events\nglovebox events --kind question,answer,alert --json\nglovebox events --after 0")
	c.Args = between(0, 0)
	c.Flags().StringSliceVar(&kinds, "kind", nil, strings.Join(action.EventKinds, ", ")+" (default: all)")
	c.Flags().Int64Var(&after, "after", -1, "begin behind this event; 0: with the oldest (default: what is yet to come)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		args := &action.FollowEvents{Kinds: strings.Join(kinds, ",")}
		if after >= 0 {
			args.After = &after
		}
		return cmd.followEvents(c.Context(), gateway, args, func(e action.Event) error {
			if cmd.json {
				return encode(cmd.io.Out, e)
			}
			cmd.showEvent(e)
			return nil
		}, cmd.reportLost)
	}
	return []*cobra.Command{c}
}

// reportLost says on standard error that no gateway answers, and that one does again.
func (env *environment) reportLost(lost error) {
	if lost == nil {
		fmt.Fprintf(env.io.Err, "%s\n", env.style.dim("the gateway is there again"))
		return
	}
	fmt.Fprintf(env.io.Err, "%s %s; trying again\n", env.style.warn("note:"), clean(fault.From(lost).Message))
}

// followEvents calls each with events until ctx ends, also after restarts of the
// gateway. It calls state with the first failure to reach the gateway, and with nil
// when it answers again. It returns errors that do not pass, and any error before the
// first stream began.
func (env *environment) followEvents(ctx context.Context, gateway caller, args *action.FollowEvents, each func(action.Event) error, state func(error)) error {
	begun, lost, pause := false, false, comeAgain
	watch := &action.EventWatch{
		Begin: func() {
			if lost {
				state(nil)
			}
			begun, lost, pause = true, false, comeAgain
		},
		Event: func(e action.Event) error {
			args.After = &e.ID
			if !env.json {
				sanitize(reflect.ValueOf(&e))
			}
			return each(e)
		},
	}
	for {
		err := env.followOnce(ctx, gateway, args, watch)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && (!begun || !isTransient(err)) {
			return err
		}
		if err != nil && !lost {
			lost = true
			state(err)
		}
		if err != nil {
			pause = min(2*pause, retryLate)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// followOnce follows until the stream ends. The first time it asks for the newest
// event, so that nothing is missed when the stream ends early.
func (env *environment) followOnce(ctx context.Context, gateway caller, args *action.FollowEvents, watch *action.EventWatch) error {
	if args.After == nil {
		result, err := env.send(ctx, gateway, action.Call{Verb: action.VerbEventsFollow.Name, Args: args})
		if err != nil {
			return err
		}
		if page, ok := result.Data.(*action.EventPage); ok {
			args.After = &page.Last
		}
	}
	_, err := env.send(ctx, gateway, action.Call{Verb: action.VerbEventsFollow.Name, Args: args, Events: watch})
	return err
}

// isTransient reports whether an error may pass: the gateway does not answer now, or
// is slow.
func isTransient(err error) bool {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return false
	}
	return f.Code == fault.NotActive || f.Code == fault.ActionTimeout || f.Code == fault.AuditUnavailable
}

func (env *environment) showEvent(e action.Event) {
	rec := e.Record
	paint := map[string]func(string) string{"question": env.style.warn, "alert": env.style.bad}[e.Kind]
	if paint == nil {
		paint = env.style.dim
	}
	words := []string{rec.Action, rec.TargetElement, rec.Risk, rec.HITLDecision, rec.Result, first(rec.TargetURL, rec.URL), rec.Error, rec.Detail}
	var said []string
	for _, word := range words {
		if word != "" {
			said = append(said, short(word, 80))
		}
	}
	env.printf("%6d %s %s %s  %s\n", e.ID, env.style.dim(rec.Timestamp.Local().Format("15:04:05")), paint(fmt.Sprintf("%-8s", e.Kind)),
		short(rec.SessionID, 20), strings.Join(said, "  "))
}
