package image

import (
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox/engine"
)

// State is how an image on the engine relates to this program.
type State string

// The states. The zero value is none of them.
const (
	Absent  State = "absent"  // no image of that tag
	Stale   State = "stale"   // built from another glovebox or other files
	Current State = "current" // built from this glovebox and its files
)

const queryTimeout = 5 * time.Second // for an engine on this machine to answer a query

// Inspect returns the state of the image with that tag for a binary (a path, empty for
// the running program). Faults: sandbox_runtime_required when no engine answers,
// invalid_request when the binary cannot be read.
func Inspect(ctx context.Context, tag, binary string) (State, error) {
	engine, architecture, err := dial(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = engine.Close() }()
	recipe, err := newRecipe(binary, architecture)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	found, err := engine.ImageInspect(ctx, tag)
	if errdefs.IsNotFound(err) {
		return Absent, nil
	}
	if err != nil {
		return "", engineUnreachable(err)
	}
	if found.Config == nil {
		return Stale, nil
	}
	for label, value := range recipe.labels() {
		if found.Config.Labels[label] != value {
			return Stale, nil
		}
	}
	return Current, nil
}

// dial connects to the engine that the environment names (DOCKER_HOST and related
// variables), and returns its architecture.
func dial(ctx context.Context) (*client.Client, string, error) {
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return nil, "", engineUnreachable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	info, err := engine.Info(ctx, client.InfoOptions{})
	if err != nil {
		_ = engine.Close()
		return nil, "", engineUnreachable(err)
	}
	return engine, info.Info.Architecture, nil
}

func engineUnreachable(err error) error {
	return engine.Unreachable(err, fmt.Sprintf(", then run %q", Command))
}
