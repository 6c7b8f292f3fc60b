package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/install"
)

// installed is the answer of an install command.
type installed struct {
	install.Plan
	Installed bool `json:"installed"` // the commands were run, and nothing is missing now
}

func (cmd setupCommands) installCommands() []*cobra.Command {
	group := &cobra.Command{Use: "install", Short: "Install what a browser, a desktop or the container engine needs", Args: between(0, 0), RunE: help}
	group.AddCommand(
		cmd.install(install.Browser, "Install Chromium, a display, ffmpeg and fonts"),
		cmd.install(install.Desktop, "Install a display with windows, and tools to work it"),
		cmd.install(install.Engine, "Install a container engine and debootstrap"),
	)
	return []*cobra.Command{group}
}

func (cmd setupCommands) install(set install.Set, short string) *cobra.Command {
	var yes, printOnly bool
	var manager string
	c := &cobra.Command{
		Use: string(set), Short: short, Args: between(0, 0),
		Long: short + ", by the machine's package manager (apt, dnf or apk).\n" +
			"It shows the commands and asks before it runs them; it needs root or sudo only then.",
		Example: fmt.Sprintf("  glovebox install %[1]s\n  glovebox install %[1]s --yes\n  glovebox install %[1]s --print-only --package-manager apk", set),
		RunE: func(c *cobra.Command, _ []string) error {
			machine := install.Here()
			plan, err := install.Make(set, install.Manager(manager), machine)
			if err != nil {
				return err
			}
			if printOnly {
				return cmd.print(action.Result{Data: installed{Plan: plan}}, func(action.Result) {
					for _, command := range plan.Commands {
						cmd.printf("%s\n", command)
					}
				})
			}
			return cmd.execute(c.Context(), plan, machine, yes)
		},
	}
	f := c.Flags()
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	f.BoolVar(&printOnly, "print-only", false, "print the commands and do nothing")
	f.StringVar(&manager, "package-manager", "", "apt, dnf or apk (default: the one that is there)")
	return c
}

// execute runs a plan after a person agreed.
func (cmd setupCommands) execute(ctx context.Context, plan install.Plan, machine install.Machine, yes bool) error {
	if len(plan.Missing) == 0 {
		return cmd.print(action.Result{Data: installed{Plan: plan, Installed: true}}, func(action.Result) {
			cmd.printf("%s nothing is missing\n", cmd.style.good("ok"))
		})
	}
	cmd.showPlan(plan)
	if !yes {
		agreed, err := cmd.confirm(ctx, "go on?")
		if err != nil {
			return err
		}
		if !agreed {
			return fault.New(fault.InstallRequired, "nothing was installed; missing: %s", strings.Join(plan.Missing, ", ")).
				Hinted("%s installs it without asking", install.Again(plan.Set)).With("missing", plan.Missing)
		}
	}
	if err := plan.Run(ctx, machine, cmd.io.Err); err != nil {
		return err
	}
	return cmd.print(action.Result{Data: installed{Plan: plan, Installed: true}}, func(action.Result) {
		cmd.printf("%s installed: %s\n", cmd.style.good("ok"), strings.Join(plan.Missing, ", "))
	})
}

// showPlan prints the steps of a plan.
func (cmd setupCommands) showPlan(plan install.Plan) {
	say := func(format string, args ...any) { fmt.Fprintf(cmd.io.Err, format, args...) }
	say("missing: %s\n", strings.Join(plan.Missing, ", "))
	for _, note := range plan.Notes {
		say("%s %s\n", cmd.style.dim("note:"), note)
	}
	say("about to run:\n")
	for _, command := range plan.Commands {
		say("  %s\n", command)
	}
}

// confirm asks a person a question, and reports whether the answer is y or yes.
func (cmd setupCommands) confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(cmd.io.Err, "%s [y/N] ", question)
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() { // ends with the process: a read of a terminal cannot be interrupted
		line, err := bufio.NewReader(io.LimitReader(cmd.io.In, 1024)).ReadString('\n')
		replies <- reply{line, err}
	}()
	select {
	case got := <-replies:
		if got.err != nil && !errors.Is(got.err, io.EOF) {
			return false, usage(fmt.Errorf("cannot read the answer: %w", got.err))
		}
		answer := strings.ToLower(strings.TrimSpace(got.line))
		return answer == "y" || answer == "yes", nil
	case <-ctx.Done():
		return false, fault.New(fault.InstallRequired, "interrupted; nothing was installed").Hinted("run it again when it suits")
	}
}
