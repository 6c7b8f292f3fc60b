package peer

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Version is a program of Glovebox that was built and the image of its boxes, which has a name
// of its own. Main removes both.
type Version struct{ Binary, Image string }

// Build builds the program of a commit and the image of its boxes, or what is
// checked out if the commit is "". It reads the commit from the repository in folder,
// into a temporary folder that is removed before Build returns.
func Build(ctx context.Context, folder, commit string) (Version, error) {
	built.Lock()
	defer built.Unlock()
	ctx, cancel := buildContext(ctx)
	defer cancel()
	place, err := os.MkdirTemp("", "gbversion-")
	if err != nil {
		return Version{}, fmt.Errorf("cannot make a folder: %w", err)
	}
	v := Version{Binary: filepath.Join(place, "glovebox"), Image: "glovebox-browser:bench-" + strings.ToLower(rand.Text())}
	built.versions = append(built.versions, v)
	if commit != "" {
		tree := filepath.Join(place, "tree")
		defer os.RemoveAll(tree)
		if err := export(ctx, folder, commit, tree); err != nil {
			return Version{}, err
		}
		folder = tree
	}
	return v, buildIn(ctx, folder, v.Binary, v.Image)
}

// export writes the files of a commit into a new folder. It is not a worktree of git,
// so nothing is left in the repository if the process is killed.
func export(ctx context.Context, repository, commit, folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("cannot make a folder: %w", err)
	}
	read := exec.CommandContext(ctx, "git", "-C", repository, "archive", "--format=tar", commit)
	extract := exec.CommandContext(ctx, "tar", "-x", "-C", folder)
	var readSaid, extractSaid strings.Builder
	read.Stderr, extract.Stderr = &readSaid, &extractSaid
	pipe, err := read.StdoutPipe()
	if err != nil {
		return fmt.Errorf("git archive: %w", err)
	}
	extract.Stdin = pipe
	if err := read.Start(); err != nil {
		return fmt.Errorf("git archive: %w", err)
	}
	extracted := extract.Run()
	if err := read.Wait(); err != nil {
		return fmt.Errorf("git archive %s: %w\n%s", commit, err, readSaid.String())
	}
	if extracted != nil {
		return fmt.Errorf("tar: %w\n%s", extracted, extractSaid.String())
	}
	return nil
}

// buildIn builds the program with the module in folder, and its image. The empty
// folder is the one that the tests run in.
func buildIn(ctx context.Context, folder, binary, image string) error {
	program := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=bench", "-o", binary, "github.com/gloveboxhq/glovebox/cmd/glovebox")
	program.Dir = folder
	program.Env = append(os.Environ(), "CGO_ENABLED=0")
	boxes := exec.CommandContext(ctx, binary, "image", "build")
	boxes.Env = append(os.Environ(), "GLOVEBOX_BROWSER_SANDBOX_CONTAINER_IMAGE="+image)
	for _, c := range []*exec.Cmd{program, boxes} {
		c.WaitDelay = 5 * time.Second // for the compilers of a go command that was killed
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", c.Args, err, out)
		}
	}
	return nil
}

// remove removes the program and the image. Layers that other images have too
// stay, such as those of "glovebox image build".
func (v Version) remove() {
	_ = os.RemoveAll(filepath.Dir(v.Binary))
	_ = exec.Command("docker", "image", "rm", v.Image).Run()
}

// Open starts a gateway of this version and one client, as Open does for the
// program of this tree.
func (v Version) Open(tb testing.TB, sites ...string) (*Server, error) {
	tb.Helper()
	g, err := startGateway(tb, v, Terms{Sites: sites, Trusted: true}.configuration)
	if err != nil {
		return nil, err
	}
	return g.client(tb, "")
}
