package cli

import (
	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
)

func (r *root) houseCommands() []*cobra.Command {
	return []*cobra.Command{r.image(), r.health(), r.configuration(), r.openapi(), r.version()}
}

func (r *root) configuration() *cobra.Command {
	group := &cobra.Command{Use: "config", Short: "Check and print the configuration", Args: between(0, 0), RunE: help}
	group.AddCommand(
		&cobra.Command{
			Use: "check", Short: "Say whether the configuration is right", Example: "  glovebox config check --config ./glovebox.yaml",
			Args: between(0, 0),
			RunE: func(*cobra.Command, []string) error {
				if _, err := r.load(); err != nil {
					return err
				}
				_, file, _ := config.Load(r.config, r.env)
				return r.print(action.Result{Data: map[string]any{"ok": true, "file": file}}, func(action.Result) {
					r.printf("%s %s\n", r.style.good("ok"), first(file, "no file: every key has its default"))
				})
			},
		},
		&cobra.Command{
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
		},
	)
	return group
}

func (r *root) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return r.print(action.Result{Data: map[string]string{"version": r.parts.Version}}, func(action.Result) {
				r.printf("glovebox %s\n", r.parts.Version)
			})
		},
	}
}
