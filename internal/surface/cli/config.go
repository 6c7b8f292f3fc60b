package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (r *root) configuration() *cobra.Command {
	group := &cobra.Command{Use: "config", Short: "Check and print the configuration", Args: between(0, 0), RunE: help}
	group.AddCommand(r.configCheck(), r.configPrint())
	return group
}

func (r *root) configCheck() *cobra.Command {
	return &cobra.Command{
		Use: "check [<file>]", Short: "Name everything that is wrong with the configuration, rules included",
		Example: "  glovebox config check\n  glovebox config check ./glovebox.yaml --json",
		Args:    between(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			conf, err := r.examine(first(append(args, r.config)...))
			if err != nil {
				return err
			}
			from := conf.Source
			return r.print(action.Result{Data: map[string]any{"ok": true, "file": from.File, "sha256": from.SHA256}}, func(action.Result) {
				r.printf("%s %s\n", r.style.good("ok"), first(from.File, "no file: every key has its default"))
			})
		},
	}
}

func (r *root) configPrint() *cobra.Command {
	return &cobra.Command{
		Use: "print", Short: "Print the configuration in force", Example: "  glovebox config print > glovebox.yaml",
		Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			conf, err := r.load()
			if err != nil {
				return err
			}
			text, err := conf.YAML()
			if err != nil {
				return err
			}
			return r.print(action.Result{Data: conf}, func(action.Result) { r.printf("%s", text) })
		},
	}
}

// examine reads the configuration as the gateway would, and names everything
// that is wrong with it: a fault invalid_request with the problems.
func (r *root) examine(path string) (config.Config, error) {
	var further []func(config.Config) []config.Problem
	if r.parts.Problems != nil {
		further = append(further, r.parts.Problems)
	}
	conf, err := config.Examine(path, r.env, further...)
	var problems config.Problems
	if !errors.As(err, &problems) {
		if err != nil {
			return conf, usage(err)
		}
		return conf, nil
	}
	if !r.json {
		for _, p := range problems {
			at := place(conf.Source.File, p.Line)
			p.Line = 0
			fmt.Fprintf(r.io.Err, "%s %s\n", r.style.dim(at), clean(p.Error()))
		}
	}
	return conf, fault.New(fault.InvalidRequest, "the configuration has %s", count(len(problems), "problem")).
		Hinted("docs/reference/configuration.md has every key, docs/policy.md how rules are written").
		With("file", conf.Source.File).With("problems", problems)
}

// place is where a problem is, as editors and terminals read it.
func place(file string, line int) string {
	switch {
	case file == "":
		return "environment:"
	case line == 0:
		return file + ":"
	}
	return fmt.Sprintf("%s:%d:", file, line)
}
