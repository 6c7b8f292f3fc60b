package cli

import (
	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/sandbox/image"
)

func (r *root) image() *cobra.Command {
	group := &cobra.Command{Use: "image", Short: "Build the image that boxes are made of", Args: between(0, 0), RunE: help}
	group.AddCommand(r.buildImage(), r.seccomp())
	return group
}

func (r *root) buildImage() *cobra.Command {
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
			conf, err := r.load()
			if err != nil {
				return err
			}
			box := r.parts.Image(conf)
			options.Out = r.io.Err
			if allInOne {
				options.Tag = first(options.Tag, "glovebox:"+r.parts.Version)
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

func (r *root) seccomp() *cobra.Command {
	return &cobra.Command{
		Use:   "seccomp",
		Short: "Print the seccomp profile that the all-in-one container is started with",
		Long: "Prints the profile boxes have: the engine's default without what a browser does not need, with the\n" +
			"namespaces of Chromium's own sandbox. An engine's default profile does not permit those.",
		Example: "  glovebox image seccomp > seccomp.json\n  docker run --security-opt seccomp=seccomp.json …",
		Args:    between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			profile, err := r.parts.Seccomp()
			if err != nil {
				return err
			}
			r.printf("%s\n", profile) // JSON with and without --json
			return nil
		},
	}
}

// health is what a container's engine asks again and again.
func (r *root) health() *cobra.Command {
	return &cobra.Command{
		Use:     "health",
		Short:   "Say whether a gateway answers",
		Example: "  glovebox health\n  glovebox health --json",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := r.load()
			if err != nil {
				return err
			}
			gateway, err := r.connect(conf, "")
			if err != nil {
				return err
			}
			if err := gateway.Health(c.Context()); err != nil {
				return err
			}
			return r.print(action.Result{Data: map[string]bool{"ok": true}}, func(action.Result) {
				r.printf("%s the gateway answers\n", r.style.good("ok"))
			})
		},
	}
}
