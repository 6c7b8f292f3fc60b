// Package gateway assembles the program: it opens every part in dependency order,
// and closes them in reverse. It is the only package that knows all others.
package gateway

import (
	"context"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/mattn/go-isatty"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/sandbox/local"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// Main runs the program and returns its exit status.
func Main(ctx context.Context, version string, args []string, env config.Env, in io.Reader, out, err io.Writer) int {
	tuneGC()
	parts := cli.Deps{
		Version:  version,
		Problems: problems,
		Explain:  explain,
		Seccomp:  docker.SeccompProfile,
		Image:    func(c config.Config) string { return imageTag(c, version) },
		Describe: func(page bool) ([]byte, error) {
			if page {
				return rest.Documentation()
			}
			return rest.Description()
		},
		Serve: func(ctx context.Context, c config.Config, o cli.ServeOptions) error {
			tuneProcessors()
			return serve(ctx, c, version, o)
		},
		Offline: offline,
		Vault:   openVault,
		Guest:   func(ctx context.Context, _ []string) error { return runGuest(ctx, err) },
		Doctor: func(ctx context.Context, c config.Config) []cli.Check {
			return slices.Concat(diagnose(ctx, c, version), webhookCheck(ctx, c), vaultFindings(ctx, c))
		},
		Trail: cli.Trail{Inspect: inspectTrail, Key: showKey},
	}
	return cli.Run(ctx, parts, args, env, cli.Stdio{In: in, Out: out, Err: err, Terminal: terminal(out)})
}

func terminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

func runGuest(ctx context.Context, out io.Writer) error {
	runtime.GOMAXPROCS(1)               // it only carries bytes: with more, each message wakes another thread
	place, beside, err := local.Enter() // next to the gateway, or in a container of its own
	if err != nil {
		return err
	}
	c, err := guest.FromEnvironment(slog.New(slog.NewTextHandler(out, nil)))
	if err != nil {
		return err
	}
	if beside {
		c.SocketDir, c.Dir, c.ProxyPort = place.Sockets, place.Home, place.ProxyPort()
		c.Shared, c.Reap = true, true
	}
	return guest.Run(ctx, c)
}

// imageTag returns the tag of the image of boxes.
func imageTag(c config.Config, version string) string {
	if c.Browser.Sandbox.Image != "" {
		return c.Browser.Sandbox.Image
	}
	return "glovebox-browser:" + version
}

// gcPercent is the value for debug.SetGCPercent, half of Go's default. A gateway
// allocates little and runs for a long time, but snapshots of large pages make
// its heap grow.
const gcPercent = 50

// tuneProcessors leaves half of the processors to the browsers, unless $GOMAXPROCS is
// set. On two processors a navigation then takes the gateway a quarter less processor
// time: fewer threads are woken for its many small messages.
func tuneProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)/2))
	}
}

// tuneGC makes the garbage collector use less memory, unless $GOGC is set.
func tuneGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// freeMemory returns memory that only the start needed to the system. It collects
// twice, because pools, such as the 8 MiB for reading migrations, are freed at
// the second collection.
func freeMemory() {
	debug.FreeOSMemory()
	debug.FreeOSMemory()
}
