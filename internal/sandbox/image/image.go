// Package image builds the image boxes are made from, over the engine's API:
// the files of the images folder, and this program as the guest.
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

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Labels of an image this package built.
const (
	LabelBinary = "glovebox.binary" // SHA-256 of the glovebox binary in it
	LabelRecipe = "glovebox.recipe" // SHA-256 of the files it was built from
)

// Command is what people run to repair a missing image.
const Command = "glovebox image build"

const logLines = 30 // of a failed build, kept for the fault

// Options say what to build. The zero value lacks a tag and is refused.
type Options struct {
	Tag     string    // name of the image, as glovebox-browser:0.1.0
	Binary  string    // path of a static Linux glovebox; empty for the running program
	Mirror  string    // Debian's archive, as http://server/debian; empty for the base's own
	Proxy   string    // proxy for packages; empty for the one the host's apt uses, if any
	Network string    // of the build: empty for the engine's default, or "host"
	Out     io.Writer // is told the progress, line by line; nil for nobody
}

// Build builds the image and tags it. Faults: invalid_request for options and
// a binary that cannot work, sandbox_runtime_required when there is no engine
// or no way to a base, start_failed with the log's last lines (detail "log")
// when a step of the build fails.
func Build(ctx context.Context, options Options) error {
	if options.Tag == "" {
		return fault.New(fault.InvalidRequest, "an image needs a tag").Hinted("give one, as in --tag glovebox-browser:dev")
	}
	engine, architecture, err := dial(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	recipe, err := prepare(options.Binary, architecture)
	if err != nil {
		return err
	}
	options = options.complete(ctx)
	if err := ensureBase(ctx, engine, base, options); err != nil {
		return err
	}
	return build(ctx, engine, recipe, options)
}

// complete fills in what the host knows.
func (o Options) complete(ctx context.Context) Options {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Proxy == "" {
		o.Proxy = hostProxy(ctx)
	}
	if o.Network == "" && loopback(o.Proxy) {
		o.Network = "host" // the host's own proxy is not in a container's loopback
	}
	return o
}

func build(ctx context.Context, engine *client.Client, recipe *recipe, options Options) error {
	arguments := map[string]*string{}
	maps.Copy(arguments, recipe.arguments)
	if options.Mirror != "" {
		arguments["APT_MIRROR"] = &options.Mirror
	}
	if options.Proxy != "" { // known to every engine: not declared, not kept in the image
		arguments["http_proxy"], arguments["https_proxy"] = &options.Proxy, &options.Proxy
	}
	before, _ := engine.ImageInspect(ctx, options.Tag) // none, the first time
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
	log, err := follow(answer.Body, options.Out)
	if err != nil {
		return fault.New(fault.StartFailed, "the image could not be built").With("log", log).
			Hinted("the log's last lines say which step failed; packages need a way to Debian's archive: " +
				"--mirror names another one, --network host uses the host's network").Because(err)
	}
	_, _ = fmt.Fprintf(options.Out, "built %s\n", options.Tag)
	dropReplaced(ctx, engine, before.ID)
	return nil
}

// dropReplaced removes the image that had the tag before, unless it has
// another name or is in use: each has a layer of its own with the binary.
func dropReplaced(ctx context.Context, engine *client.Client, id string) {
	if id == "" {
		return
	}
	old, err := engine.ImageInspect(ctx, id)
	if err != nil || len(old.RepoTags) > 0 || old.Config == nil || old.Config.Labels[LabelBinary] == "" {
		return
	}
	// refused while a container is made of it; then it stays until it is pruned
	_, _ = engine.ImageRemove(ctx, id, client.ImageRemoveOptions{PruneChildren: true})
}

// follow copies the progress of an engine's stream to out, and returns its
// last lines and the failure it reports.
func follow(stream io.Reader, out io.Writer) ([]string, error) {
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
			last = slices.Delete(last, 0, max(0, len(last)-logLines))
		}
	}
	if err := lines.Err(); err != nil {
		return last, fmt.Errorf("the engine's progress broke off: %w", err)
	}
	return last, nil
}
