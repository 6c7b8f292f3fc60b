// Package image builds the image of boxes through the engine's API, from the files of
// the images folder and this program as the guest.
package image

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/images"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Labels of an image that this package built.
const (
	LabelBinary = "glovebox.binary" // SHA-256 of the glovebox binary in it
	LabelRecipe = "glovebox.recipe" // SHA-256 of the files it was built from
)

// Command is the command that builds a missing image.
const Command = "glovebox image build"

const maxLogLines = 30 // of a failed build, in its fault

// Options are the settings of a build. The zero value is refused: it has no tag.
type Options struct {
	Tag     string    // name of the image, such as glovebox-browser:0.1.0
	Binary  string    // path of a statically linked glovebox for Linux; empty for the running program
	Mirror  string    // Debian's archive, such as http://server/debian; empty for the base image's
	Proxy   string    // proxy for packages; empty for the one of the host's apt, if any
	Network string    // of the build: empty for the engine's default, or "host"
	Out     io.Writer // gets the progress, line by line; may be nil
}

// Build builds the image of a box and tags it. Faults: invalid_request for invalid
// options or an unusable binary, sandbox_runtime_required without an engine or a base
// image, start_failed with the last lines of the log (detail "log") when a step of the
// build fails.
func Build(ctx context.Context, options Options) error {
	if options.Tag == "" {
		return fault.New(fault.InvalidRequest, "an image needs a tag").Hinted("give one, as in --tag glovebox-browser:dev")
	}
	engine, architecture, err := dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	recipe, err := newRecipe(options.Binary, architecture)
	if err != nil {
		return err
	}
	options = options.withDefaults(ctx)
	if err := ensureBase(ctx, engine, baseImage, options); err != nil {
		return err
	}
	return build(ctx, engine, recipe, options)
}

// withDefaults fills in empty options from the host's settings.
func (o Options) withDefaults(ctx context.Context) Options {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Proxy == "" {
		o.Proxy = hostProxy(ctx)
	}
	if o.Network == "" && isLoopback(o.Proxy) {
		o.Network = "host" // a container's loopback cannot reach the host's proxy
	}
	return o
}

func build(ctx context.Context, engine *client.Client, recipe *recipe, options Options) error {
	arguments := map[string]*string{}
	maps.Copy(arguments, recipe.arguments)
	if options.Mirror != "" {
		arguments["APT_MIRROR"] = &options.Mirror
	}
	if options.Proxy != "" { // engines predefine these arguments, and do not store them in the image
		arguments["http_proxy"], arguments["https_proxy"] = &options.Proxy, &options.Proxy
	}
	before, _ := engine.ImageInspect(ctx, options.Tag) // there is none at the first build
	_, _ = fmt.Fprintf(options.Out, "building %s\n", options.Tag)
	files, err := recipe.context()
	if err != nil {
		return err
	}
	answer, err := engine.ImageBuild(ctx, files, client.ImageBuildOptions{
		Tags: []string{options.Tag}, Remove: true, ForceRemove: true,
		NetworkMode: options.Network, BuildArgs: arguments, Labels: recipe.labels(),
	})
	if err != nil {
		return fault.New(fault.StartFailed, "the engine refused to build the image").
			Hinted("look at the engine's log, then run %q again", Command).Because(err)
	}
	defer func() { _ = answer.Body.Close() }()
	log, err := copyProgress(answer.Body, options.Out)
	if err != nil {
		return fault.New(fault.StartFailed, "the image could not be built").With("log", log).
			Hinted("the log's last lines say which step failed; packages need a way to Debian's archive: " +
				"--mirror names another one, --network host uses the host's network").Because(err)
	}
	_, _ = fmt.Fprintf(options.Out, "built %s\n", options.Tag)
	removeReplaced(ctx, engine, before.ID)
	return nil
}

// removeReplaced removes the image that had the tag before, unless it has another tag or
// is in use. Each image has a layer of its own with the binary.
func removeReplaced(ctx context.Context, engine *client.Client, id string) {
	if id == "" {
		return
	}
	old, err := engine.ImageInspect(ctx, id)
	if err != nil || len(old.RepoTags) > 0 || old.Config == nil || old.Config.Labels[LabelBinary] == "" {
		return
	}
	// fails while a container uses it; it then stays until somebody prunes images
	_, _ = engine.ImageRemove(ctx, id, client.ImageRemoveOptions{PruneChildren: true})
}

// copyProgress copies the progress in an engine's stream to out. It returns the last lines
// and the error that the stream reports.
func copyProgress(stream io.Reader, out io.Writer) ([]string, error) {
	var last []string
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			Stream string `json:"stream"`
			Status string `json:"status"`
			Error  string `json:"error"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return last, fmt.Errorf("cannot read the engine's progress: %w", err)
		}
		if m.Error != "" {
			return last, errors.New(m.Error)
		}
		for line := range strings.Lines(m.Stream) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			_, _ = fmt.Fprintln(out, line)
			last = append(last, line)
			last = slices.Delete(last, 0, max(0, len(last)-maxLogLines))
		}
	}
	if err := lines.Err(); err != nil {
		return last, fmt.Errorf("the engine's progress broke off: %w", err)
	}
	return last, nil
}

// BuildAllInOne builds the image that also contains the gateway: first the image of
// a box, which it tags box, then the all-in-one image from it. Faults are those of
// Build.
func BuildAllInOne(ctx context.Context, box string, options Options) error {
	if options.Tag == "" || box == options.Tag {
		return fault.New(fault.InvalidRequest, "the all-in-one image needs a tag of its own").
			Hinted("give one, as in --tag glovebox:dev")
	}
	options = options.withDefaults(ctx)
	first := options
	first.Tag = box
	if err := Build(ctx, first); err != nil {
		return err
	}
	engine, architecture, err := dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	recipe, err := newRecipe(options.Binary, architecture)
	if err != nil {
		return err
	}
	recipe.files = []file{{"Dockerfile", 0o644, images.AllInOne}}
	recipe.arguments = map[string]*string{"BOX_IMAGE": &box}
	return build(ctx, engine, recipe, options)
}
