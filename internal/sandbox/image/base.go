package image

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	baseImage        = "debian:bookworm-slim" // as in the Dockerfile
	suite            = "bookworm"
	pullTimeout      = 5 * time.Minute  // for 30 MB
	bootstrapTimeout = 15 * time.Minute // for debootstrap, which unpacks about a hundred packages
	killGrace        = 10 * time.Second // for debootstrap to unmount its mounts
	makeBaseCommand  = "sudo glovebox install engine && sudo " + Command
)

// ensureBase makes the base image available on the engine: it pulls it, or makes it
// with debootstrap when no registry answers.
func ensureBase(ctx context.Context, engine *client.Client, name string, options Options) error {
	_, err := engine.ImageInspect(ctx, name)
	if err == nil {
		return nil
	}
	if !errdefs.IsNotFound(err) {
		return engineUnreachable(err)
	}
	_, _ = fmt.Fprintf(options.Out, "pulling %s\n", name)
	pullError := pull(ctx, engine, name)
	if pullError == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("cannot pull %s: %w", name, ctx.Err())
	}
	_, _ = fmt.Fprintf(options.Out, "cannot pull %s: %v\n", name, pullError)
	debootstrap, err := exec.LookPath("debootstrap")
	if err != nil || os.Geteuid() != 0 {
		return fault.New(fault.SandboxRuntimeRequired, "%s cannot be pulled and cannot be made here", name).
			Hinted("where no registry answers, debootstrap makes the base, as root: %s", makeBaseCommand).Because(pullError)
	}
	return makeBase(ctx, engine, debootstrap, name, options)
}

func pull(ctx context.Context, engine *client.Client, name string) error {
	ctx, cancel := context.WithTimeout(ctx, pullTimeout)
	defer cancel()
	progress, err := engine.ImagePull(ctx, name, client.ImagePullOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = progress.Close() }()
	return progress.Wait(ctx)
}

// makeBase makes the base image from Debian's packages and imports it.
func makeBase(ctx context.Context, engine *client.Client, debootstrap, name string, options Options) (err error) {
	ctx, cancel := context.WithTimeout(ctx, bootstrapTimeout)
	defer cancel()
	dir, err := os.MkdirTemp(largeTempDir(), "glovebox-base-")
	if err != nil {
		return fmt.Errorf("cannot make a folder for the base: %w", err)
	}
	defer func() {
		if removal := removeTree(dir); err == nil && removal != nil {
			err = removal
		}
	}()
	root := filepath.Join(dir, "root")
	_, _ = fmt.Fprintf(options.Out, "making %s with debootstrap\n", name)
	if err := runDebootstrap(ctx, debootstrap, root, options); err != nil {
		return fault.New(fault.SandboxRuntimeRequired, "debootstrap could not make %s", name).
			Hinted("see its output; --mirror names another archive").Because(err)
	}
	if err := importTree(ctx, engine, root, name, options); err != nil {
		return fault.New(fault.SandboxRuntimeRequired, "the engine did not take the base made by debootstrap").
			Hinted("see the engine's log; its disk may be full").Because(err)
	}
	return nil
}

func runDebootstrap(ctx context.Context, debootstrap, root string, options Options) error {
	mirror := options.Mirror
	if mirror == "" {
		mirror = hostMirror(ctx)
	}
	arguments := []string{"--variant=minbase", suite, root}
	if mirror != "" {
		arguments = append(arguments, mirror)
	}
	run := groupCommand(ctx, debootstrap, arguments...)
	run.Stdout, run.Stderr = options.Out, options.Out
	if options.Proxy != "" {
		run.Env = append(os.Environ(), "http_proxy="+options.Proxy)
	}
	return run.Run()
}

// importTree imports a tree as an image, without device files and downloaded
// packages.
func importTree(ctx context.Context, engine *client.Client, root, name string, options Options) error {
	pack := groupCommand(ctx, "tar", "--numeric-owner", "--one-file-system", "-C", root,
		"--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", "--exclude=./var/lib/apt/lists/*",
		"--exclude=./var/cache/apt/archives/*.deb", "--exclude=./var/cache/apt/*.bin",
		"--exclude=./usr/share/man/*", "--exclude=./usr/share/locale/*",
		"-c", ".")
	pack.Stderr = options.Out
	tree, err := pack.StdoutPipe()
	if err != nil {
		return err
	}
	if err := pack.Start(); err != nil {
		return fmt.Errorf("cannot run tar: %w", err)
	}
	err = importTar(ctx, engine, tree, name, options)
	_ = tree.Close()
	if packError := pack.Wait(); err == nil && packError != nil {
		err = fmt.Errorf("cannot pack the base: %w", packError)
	}
	return err
}
