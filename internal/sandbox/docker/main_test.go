package docker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/image"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// runID is the id of this test run. It is part of names and instances, so that two runs
// on one engine do not interfere.
var runID = sandbox.NewID()

const program = "github.com/gloveboxhq/glovebox/cmd/glovebox"

// tag is the image of the tests. It is kept, so that the next run builds one layer
// or nothing. $GLOVEBOX_TEST_TREE separates the images of working trees that are
// tested at the same time.
var tag = "glovebox-browser:test" + os.Getenv("GLOVEBOX_TEST_TREE")

func TestMain(m *testing.M) {
	os.Exit(func() int {
		if status, missing := testenv.Missing(testenv.Engine); missing {
			return status
		}
		if err := buildImage(); err != nil {
			fmt.Fprintf(os.Stderr, "these tests need a container engine and an image: %v\n", err)
			return 1
		}
		code := m.Run()
		if err := removeLeftContainers(); err != nil {
			fmt.Fprintf(os.Stderr, "left behind: %v\n", err)
			return 1
		}
		if err := goleak.Find(); err != nil && code == 0 {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

func buildImage() error {
	dir, err := os.MkdirTemp("", "glovebox-docker-test-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "glovebox")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if log, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the guest: %w\n%s", err, log)
	}
	state, err := image.Inspect(context.Background(), tag, binary)
	if err != nil || state == image.Current {
		return err
	}
	return image.Build(context.Background(), image.Options{Tag: tag, Binary: binary, Out: os.Stderr})
}

// removeLeftContainers removes the containers that tests left, and reports them as errors.
func removeLeftContainers() error {
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	ours := client.Filters{}.Add("name", prefix())
	left, err := engine.ContainerList(context.Background(), client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		return err
	}
	for _, c := range left.Items {
		_, removal := engine.ContainerRemove(context.Background(), c.ID, client.ContainerRemoveOptions{Force: true})
		err = errors.Join(err, fmt.Errorf("container %v", c.Names), removal)
	}
	return err
}

func prefix() string { return "gbt-" + runID[:8] + "-" }

// testOptions returns the default options with a new instance.
func testOptions(t *testing.T) docker.Options {
	t.Helper()
	key, err := bridge.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "gbt-") // t.TempDir's path is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return docker.Options{
		Image: tag, NamePrefix: prefix(), Instance: sandbox.NewID(), SocketDir: dir, Key: key,
		Memory: 512 << 20, CPUs: 1, PidsLimit: 512, ShmSize: 128 << 20,
		Lease: 30 * time.Minute, RestartAttempts: 1,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// openDriver returns a driver. When the test ends it stops the driver's boxes and closes
// it.
func openDriver(t *testing.T, o docker.Options) *docker.Driver {
	t.Helper()
	d, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := testwait.Context(t)
		left, err := d.List(ctx)
		for _, info := range left {
			if err := d.Stop(ctx, info.ID); err != nil {
				t.Errorf("cannot stop %s: %v", info.Name, err)
			}
		}
		if err != nil {
			t.Errorf("cannot list: %v", err)
		}
		if err := d.Close(); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	return d
}
