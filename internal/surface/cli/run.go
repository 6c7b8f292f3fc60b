package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// runCommands start, watch and end contract runs.
type runCommands struct{ *environment }

const (
	maxRunFile  = 1 << 20          // bytes
	cancelLimit = 60 * time.Second // for an interrupted run to end
	lookEvery   = 5                // seconds that a call waits for a run
)

// exitStatus is an error that only sets the exit status.
type exitStatus int

// Error is never printed: the answer was.
func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// runStatus maps the final status of a run to the exit status; see docs/runs.md. It
// gives 0 for a run that has no final status yet.
var runStatus = map[string]exitStatus{
	action.RunCompleted: 0, action.RunFailed: 1, action.RunBlocked: 4, action.RunTimedOut: 9,
}

const someFailed exitStatus = 10 // completed, and not every action succeeded

func (cmd runCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "runs", Short: "See, cancel and resume runs", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.list(), cmd.show(), cmd.cancel(), cmd.resume())
	return []*cobra.Command{cmd.run(), group, cmd.capability()}
}

func (cmd runCommands) run() *cobra.Command {
	c := verb(action.VerbRunStart.Name, "run <file.yaml|file.json>", "glovebox run checkout.yaml\nglovebox run - --json < checkout.json")
	c.Long = "Runs the actions of a file (docs/runs.md) in a browser of its own, shows each as it is done, and writes\n" +
		"screenshots to screenshot_dir, below the current folder. It ends with\n" +
		"  0 every action was done    10 every action was tried, and some failed\n" +
		"  1 error    4 blocked domain    9 timeout    (as by fault where the run was refused)\n" +
		"Interrupted, it cancels the run; what was done is shown."
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		call, err := cmd.runFile(args[0])
		if err != nil {
			return err
		}
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		return cmd.drive(c.Context(), gateway, call)
	}
	return c
}

// runFile reads a run, strictly.
func (cmd runCommands) runFile(path string) (*action.RunStart, error) {
	text, err := cmd.input(path, "a run", "docs/runs.md")
	if err != nil {
		return nil, err
	}
	call := new(action.RunStart)
	if err := action.Decode(text, call); err != nil {
		return nil, err
	}
	return call, action.Check(call)
}

// input reads a file, or standard input, as YAML, which JSON is too. what and page
// are for faults: what it should hold, and where that is documented.
func (cmd runCommands) input(path, what, page string) ([]byte, error) {
	from := cmd.io.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "%s cannot be read", path).Hinted("give the file of %s, or - for standard input", what).Because(err)
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, maxRunFile+1))
	if err != nil || len(text) > maxRunFile {
		return nil, fault.New(fault.InvalidRequest, "%s cannot be read, or has more than %d bytes", path, maxRunFile).Hinted("give the file of %s", what).Because(err)
	}
	if filepath.Ext(path) != ".json" {
		if text, err = yaml.YAMLToJSON(text); err != nil {
			return nil, fault.New(fault.InvalidRequest, "%s is no YAML: %s", path, yaml.FormatError(err, false, false)).Hinted("see %s", page)
		}
	}
	return text, nil
}

// drive starts a run, prints its steps, and waits for its end.
func (cmd runCommands) drive(ctx context.Context, gateway caller, call *action.RunStart) error {
	var id string
	lines := 0
	watch := &action.RunWatch{
		Step:  func(e action.RunEntry) { lines++; cmd.showEntry(e) },
		State: func(run action.Run) { id = run.ID; cmd.showState(run) },
	}
	result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbRunStart.Name, Args: call, Run: watch})
	run, ok := result.Data.(*action.Run)
	for err == nil && ok && run.State != action.RunEnded { // a run that waits for people may take longer than a call
		result, err = cmd.send(ctx, gateway, action.Call{Verb: action.VerbRunShow.Name, Args: &action.RunShow{ID: run.ID, Wait: lookEvery}})
		if run, ok = result.Data.(*action.Run); ok {
			for ; lines < len(run.Log); lines++ {
				cmd.showEntry(run.Log[lines])
			}
		}
	}
	if ctx.Err() != nil && id != "" {
		stopping, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
		defer stop()
		ctx = stopping
		result, err = cmd.send(ctx, gateway, action.Call{Verb: action.VerbRunCancel.Name, Args: &action.ByID{ID: id}})
		run, ok = result.Data.(*action.Run)
	}
	if err != nil || !ok {
		return err
	}
	return cmd.conclude(ctx, gateway, call, result, run)
}

// conclude writes the screenshots of a run and says how it ended.
func (cmd runCommands) conclude(ctx context.Context, gateway caller, call *action.RunStart, result action.Result, run *action.Run) error {
	wrong := cmd.keepShots(ctx, gateway, first(call.ScreenshotDir, "./test-results/screenshots/"), run)
	if err := errors.Join(cmd.print(result, func(action.Result) { cmd.showEnd(run) }), wrong); err != nil {
		return err
	}
	status, known := runStatus[run.FinalStatus]
	if !known {
		return runStatus[action.RunFailed]
	}
	if status == 0 && run.Failed() > 0 {
		status = someFailed
	}
	if status == 0 {
		return nil
	}
	return status
}

// keepShots writes a run's screenshots below the current folder. It does not follow
// links that lead out of the folder.
func (cmd runCommands) keepShots(ctx context.Context, gateway caller, dir string, run *action.Run) error {
	if len(run.Screenshots) == 0 {
		return nil
	}
	here, err := os.OpenRoot(".")
	if err == nil {
		defer func() { _ = here.Close() }()
		err = here.MkdirAll(filepath.Clean(dir), 0o755)
	}
	for i := range run.Screenshots {
		shot := &run.Screenshots[i]
		var result action.Result
		if err == nil {
			result, err = cmd.send(ctx, gateway, action.Call{Verb: action.VerbArtifactGet.Name, Args: &action.ByID{ID: filepath.Base(shot.Path)}})
		}
		if file, ok := result.Data.(*action.File); err == nil && ok {
			path := filepath.Join(dir, filepath.Base(shot.Name))
			if err = here.WriteFile(path, file.Bytes, 0o644); err == nil {
				shot.Path = path
			}
		}
	}
	if err == nil || fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.New(fault.InvalidRequest, "screenshots cannot be written to %s", dir).
		Hinted("give screenshot_dir a folder below the current one that can be written").Because(err)
}

func (cmd runCommands) showEntry(e action.RunEntry) {
	if cmd.json {
		return
	}
	mark := cmd.style.good("ok  ")
	if !e.Success {
		mark = cmd.style.bad("FAIL")
	}
	if e.Action == action.RunPauseEntry {
		mark = cmd.style.warn("wait")
	}
	cmd.printf("%s %-25s %s\n", mark, e.Action, short(e.Details, 200))
}

func (cmd runCommands) showState(run action.Run) {
	switch {
	case cmd.json:
	case run.WaitsFor != "":
		fmt.Fprintf(cmd.io.Err, "%s a person must answer: glovebox approvals show %s\n", cmd.style.warn("waits:"), clean(run.WaitsFor))
	case run.State == action.RunPaused:
		fmt.Fprintf(cmd.io.Err, "%s say how to go on: glovebox runs resume %s --guidance '…'\n", cmd.style.warn("paused:"), clean(run.ID))
	}
}

func (cmd runCommands) showEnd(run *action.Run) {
	status := cmd.style.good(run.FinalStatus)
	if run.FinalStatus != action.RunCompleted || run.Failed() > 0 {
		status = cmd.style.bad(first(run.FinalStatus, run.State))
	}
	why := ""
	if run.Reason != nil {
		why = run.Reason.Message
	}
	cmd.printf("%s %s: %s\n", cmd.style.bold(run.ID), status, short(why, 300))
	for _, s := range run.Screenshots {
		cmd.printf("     %s\n", clean(s.Path))
	}
}

func (cmd runCommands) showRun(result action.Result) {
	if run, ok := result.Data.(*action.Run); ok {
		for _, e := range run.Log {
			cmd.showEntry(e)
		}
		cmd.showEnd(run)
	}
}

func (cmd runCommands) list() *cobra.Command {
	var call action.RunList
	c := verb(action.VerbRunList.Name, "list", "glovebox runs list --state paused")
	c.Args = between(0, 0)
	c.Flags().StringVar(&call.State, "state", "", "pending, running, paused or ended (default: all)")
	c.Flags().IntVar(&call.Limit, "limit", 0, "the newest so many (default 100)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbRunList.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.RunListing); ok {
				table(cmd.environment, "no runs", "RUN\tSTATE\tSTATUS\tREASON\tSTEPS\tFOR\tCREATED", got.Runs, func(run action.Run) []any {
					reason := ""
					if run.Reason != nil {
						reason = run.Reason.Code
					}
					return []any{run.ID, run.State, first(run.FinalStatus, "-"), short(first(reason, "-"), 30), len(run.Log), short(run.Actor, 30), run.Created.Local().Format(time.DateTime)}
				})
			}
		})
	}
	return c
}

func (cmd runCommands) show() *cobra.Command {
	var call action.RunShow
	c := verb(action.VerbRunShow.Name, "show <run>", "glovebox runs show r1f0… --wait 30 --json")
	c.Args = between(1, 1)
	c.Flags().IntVar(&call.Wait, "wait", 0, "seconds to wait for its end (60 at most)")
	c.RunE = func(c *cobra.Command, args []string) error {
		call.ID = args[0]
		return cmd.call(c.Context(), action.VerbRunShow.Name, &call, cmd.showRun)
	}
	return c
}

func (cmd runCommands) cancel() *cobra.Command {
	c := verb(action.VerbRunCancel.Name, "cancel <run>", "glovebox runs cancel r1f0…")
	c.Args = between(1, 1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbRunCancel.Name, &action.ByID{ID: args[0]}, cmd.showRun)
	}
	return c
}

func (cmd runCommands) resume() *cobra.Command {
	var call action.RunResume
	var file string
	c := verb(action.VerbRunResume.Name, "resume <run>", "glovebox runs resume r1f0… --guidance 'the button is called Save now'\nglovebox runs resume r1f0… --guidance 'do this instead' --actions rest.yaml")
	c.Args = between(1, 1)
	c.Flags().StringVar(&call.Guidance, "guidance", "", "what is to be said to it, for its log")
	c.Flags().StringVar(&file, "actions", "", "file with a list of actions, to be done in place of those that are left")
	c.RunE = func(c *cobra.Command, args []string) error {
		if file != "" {
			rest, err := readActions(file)
			if err != nil {
				return err
			}
			call.Actions = rest
		}
		call.ID = args[0]
		return cmd.call(c.Context(), action.VerbRunResume.Name, &call, cmd.showRun)
	}
	return c
}

// readActions reads a file that holds actions: below the name actions.
func readActions(path string) ([]action.RunAction, error) {
	text, err := os.ReadFile(path)
	if err == nil {
		text, err = yaml.YAMLToJSON(text)
	}
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%s cannot be read", path).Hinted("give a YAML or JSON file: actions: [{type: go_back}]").Because(err)
	}
	var given struct {
		Actions []action.RunAction `json:"actions" minItems:"1" maxItems:"100"`
	}
	if err := action.Decode(text, &given); err != nil {
		return nil, err
	}
	return given.Actions, action.Check(&given)
}
