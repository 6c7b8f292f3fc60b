package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/image"
	"github.com/spf13/cobra"
)

// setupCommands prepare the machine and look at the configuration.
type setupCommands struct{ *environment }

func (cmd setupCommands) commands() []*cobra.Command {
	return []*cobra.Command{cmd.image(), cmd.health(), cmd.configuration(), cmd.openapi(), cmd.version()}
}

func (cmd setupCommands) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return cmd.print(action.Result{Data: map[string]string{"version": cmd.deps.Version}}, func(action.Result) {
				cmd.printf("glovebox %s\n", cmd.deps.Version)
			})
		},
	}
}

func (cmd setupCommands) image() *cobra.Command {
	group := &cobra.Command{Use: "image", Short: "Build the image that boxes are made of", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.buildImage(), cmd.seccomp())
	return group
}

func (cmd setupCommands) buildImage() *cobra.Command {
	var options image.Options
	var allInOne bool
	build := &cobra.Command{
		Use:   "build",
		Short: "Build the image, and its base where no registry answers",
		Long: "Builds the image that boxes are made of, and its base where no registry answers. With --all-in-one it\n" +
			"also builds one that holds the gateway too, glovebox:<version>, which needs no engine to run boxes.",
		Example: "  glovebox image build\n  glovebox image build --network host\n  glovebox image build --all-in-one",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := cmd.load()
			if err != nil {
				return err
			}
			box := cmd.deps.Image(conf)
			options.Out = cmd.io.Err
			if allInOne {
				options.Tag = first(options.Tag, "glovebox:"+cmd.deps.Version)
				return image.BuildAllInOne(c.Context(), box, options)
			}
			options.Tag = first(options.Tag, box)
			return image.Build(c.Context(), options)
		},
	}
	f := build.Flags()
	f.BoolVar(&allInOne, "all-in-one", false, "also build the image that holds the gateway too")
	f.StringVar(&options.Tag, "tag", "", "of the image (default: browser.sandbox.container_image, or glovebox:<version> with --all-in-one)")
	f.StringVar(&options.Mirror, "mirror", "", "Debian's archive, as http://server/debian (default: the base's own)")
	f.StringVar(&options.Network, "network", "", "of the build: the engine's default, or host")
	f.StringVar(&options.Binary, "binary", "", "a static Linux glovebox to put in (default: this program)")
	return build
}

func (cmd setupCommands) seccomp() *cobra.Command {
	return &cobra.Command{
		Use:   "seccomp",
		Short: "Print the seccomp profile that the all-in-one container is started with",
		Long: "Prints the profile boxes have: the engine's default without what a browser does not need, with the\n" +
			"namespaces of Chromium's own sandbox. An engine's default profile does not permit those.",
		Example: "  glovebox image seccomp > seccomp.json\n  docker run --security-opt seccomp=seccomp.json …",
		Args:    between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			profile, err := cmd.deps.Seccomp()
			if err != nil {
				return err
			}
			cmd.printf("%s\n", profile) // JSON with and without --json
			return nil
		},
	}
}

// health is the health check of containers.
func (cmd setupCommands) health() *cobra.Command {
	return &cobra.Command{
		Use:     "health",
		Short:   "Say whether a gateway answers",
		Example: "  glovebox health\n  glovebox health --json",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := cmd.load()
			if err != nil {
				return err
			}
			gateway, err := cmd.connect(conf, "")
			if err != nil {
				return err
			}
			if err := gateway.Health(c.Context()); err != nil {
				return err
			}
			return cmd.print(action.Result{Data: map[string]bool{"ok": true}}, func(action.Result) {
				cmd.printf("%s the gateway answers\n", cmd.style.good("ok"))
			})
		},
	}
}

func (cmd setupCommands) openapi() *cobra.Command {
	var page bool
	var file string
	c := &cobra.Command{
		Use:     "openapi",
		Short:   "Print the description of the REST interface",
		Long:    "Print the description of the REST interface, as OpenAPI 3.1 or as a page to read. It needs no gateway;\none serves the same at /openapi.json and /docs to whoever has a token.",
		Example: "  glovebox openapi -o openapi.json\n  glovebox openapi --docs -o glovebox.html",
		Args:    between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			text, err := cmd.deps.Describe(page)
			if err != nil {
				return err
			}
			if file != "" && file != "-" {
				return os.WriteFile(file, text, 0o644)
			}
			var data any = json.RawMessage(text)
			if page {
				data = string(text)
			}
			return cmd.print(action.Result{Data: data}, func(action.Result) { cmd.printf("%s", text) })
		},
	}
	c.Flags().BoolVar(&page, "docs", false, "a page of HTML in place of OpenAPI")
	outputFlag(c, &file, toStandardOutput)
	return c
}

func (cmd setupCommands) configuration() *cobra.Command {
	group := &cobra.Command{Use: "config", Short: "Check and print the configuration", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.configCheck(), cmd.configPrint())
	return group
}

func (cmd setupCommands) configCheck() *cobra.Command {
	return &cobra.Command{
		Use: "check [<file>]", Short: "Name everything that is wrong with the configuration, rules included",
		Example: "  glovebox config check\n  glovebox config check ./glovebox.yaml --json",
		Args:    between(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			conf, err := cmd.examine(first(append(args, cmd.config)...))
			if err != nil {
				return err
			}
			from := conf.Source
			return cmd.print(action.Result{Data: map[string]any{"ok": true, "file": from.File, "sha256": from.SHA256}}, func(action.Result) {
				cmd.printf("%s %s\n", cmd.style.good("ok"), first(from.File, "no file: every key has its default"))
			})
		},
	}
}

func (cmd setupCommands) configPrint() *cobra.Command {
	return &cobra.Command{
		Use: "print", Short: "Print the configuration in force", Example: "  glovebox config print > glovebox.yaml",
		Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			conf, err := cmd.load()
			if err != nil {
				return err
			}
			text, err := conf.YAML()
			if err != nil {
				return err
			}
			return cmd.print(action.Result{Data: conf}, func(action.Result) { cmd.printf("%s", text) })
		},
	}
}

// examine reads the configuration as the gateway does. Faults: invalid_request with
// all problems.
func (cmd setupCommands) examine(path string) (config.Config, error) {
	var further []func(config.Config) []config.Problem
	if cmd.deps.Problems != nil {
		further = append(further, cmd.deps.Problems)
	}
	conf, err := config.Examine(path, cmd.vars, further...)
	var problems config.Problems
	if !errors.As(err, &problems) {
		if err != nil {
			return conf, usage(err)
		}
		return conf, nil
	}
	if !cmd.json {
		for _, p := range problems {
			at := place(conf.Source.File, p.Line)
			p.Line = 0
			fmt.Fprintf(cmd.io.Err, "%s %s\n", cmd.style.dim(at), clean(p.Error()))
		}
	}
	return conf, fault.New(fault.InvalidRequest, "the configuration has %s", count(len(problems), "problem")).
		Hinted("docs/reference/configuration.md has every key, docs/policy.md how rules are written").
		With("file", conf.Source.File).With("problems", problems)
}

// place is where a problem is, in the form that editors read.
func place(file string, line int) string {
	switch {
	case file == "":
		return "environment:"
	case line == 0:
		return file + ":"
	}
	return fmt.Sprintf("%s:%d:", file, line)
}
