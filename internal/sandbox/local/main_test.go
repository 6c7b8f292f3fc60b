package local_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/sandbox/image"
	"github.com/gloveboxhq/glovebox/internal/sandbox/local"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// These tests run twice: on the machine, where the driver must refuse to run, and in a
// container of the boxes' image (runInContainer), where it must work. There the test binary
// is both gateway and guest.
const inContainer = "GLOVEBOX_TEST_IN_CONTAINER"

const maxTasks = 512 // of a box

// tag is the image, the same as in the docker driver's tests.
var tag = "glovebox-browser:test" + os.Getenv("GLOVEBOX_TEST_TREE")

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guest" {
		os.Exit(runGuest())
	}
	if len(os.Args) > 5 && os.Args[1] == "look" {
		os.Exit(tryActions(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "escape" {
		os.Exit(runEscapeAttempts())
	}
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runGuest does what the guest command of glovebox does.
func runGuest() int {
	config, _, err := local.Enter()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c, err := guest.FromEnvironment(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c.SocketDir, c.Dir, c.ProxyPort = config.Sockets, config.Home, config.ProxyPort()
	c.Shared, c.Reap = true, true
	if err := guest.Run(context.Background(), c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// inTestContainer skips a test that is for the container; outside one that is for the machine.
func inTestContainer(t *testing.T) {
	t.Helper()
	if os.Getenv(inContainer) == "" {
		t.Skip("runs in a container, by TestInContainers")
	}
}

func onMachine(t *testing.T) {
	t.Helper()
	if os.Getenv(inContainer) != "" {
		t.Skip("runs on the machine")
	}
}

// testOptions returns the default options with a new instance.
func testOptions(t *testing.T) local.Options {
	t.Helper()
	key, err := bridge.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return local.Options{
		Dir: "/run/boxes/all", NamePrefix: "gbt-", Instance: sandbox.NewID(), Arguments: []string{"glovebox", "guest"},
		Key: key, PidsLimit: maxTasks, Lease: 30 * time.Minute, RestartAttempts: 1,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
}

// openDriver returns a driver. When the test ends it stops the driver's boxes and closes
// it.
func openDriver(t *testing.T, o local.Options) *local.Driver {
	t.Helper()
	d, err := local.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := testwait.Context(t)
		left, err := d.List(ctx)
		if err != nil {
			t.Errorf("cannot list: %v", err)
		}
		for _, info := range left {
			if err := d.Stop(ctx, info.ID); err != nil {
				t.Errorf("cannot stop %s: %v", info.Name, err)
			}
		}
		if err := d.Close(); err != nil {
			t.Errorf("cannot close: %v", err)
		}
	})
	return d
}

// writeSeccompProfile writes the seccomp profile of boxes to a file and returns its path.
func writeSeccompProfile(t *testing.T) string {
	t.Helper()
	text, err := docker.SeccompProfile()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "seccomp.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// runInContainer runs tests of this binary in a container and returns their output.
func runInContainer(t *testing.T, run string, flags ...string) (string, error) {
	t.Helper()
	testenv.Require(t, testenv.Engine, testenv.Program("docker"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := ensureImage(t.Context(), self); err != nil {
		t.Fatalf("these tests need a container engine and an image: %v", err)
	}
	name := "gbt-local-" + strings.ToLower(rand.Text()[:8])
	t.Cleanup(func() { _ = exec.Command("docker", "rm", "-f", name).Run() })
	timeout := "0"
	if end, limited := testwait.Deadline(t); limited {
		timeout = time.Until(end).String()
	}
	args := append([]string{
		"run", "--rm", "--init", "--name", name, "--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
		"--tmpfs", "/tmp:mode=1777,size=256m", "--tmpfs", "/run/boxes:mode=1777,size=256m", "--shm-size", "256m", "--read-only",
		"-e", inContainer + "=1", "-v", self + ":/usr/local/bin/local.test:ro", "--entrypoint", "/usr/local/bin/local.test",
	}, flags...)
	command := exec.CommandContext(testwait.Context(t), "docker", append(args, tag, "-test.v", "-test.run", run, "-test.timeout", timeout)...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err = command.Run()
	return out.String(), err
}

// ensureImage builds the image unless it exists. The tests need its Chromium; the
// version of glovebox in it does not matter.
func ensureImage(ctx context.Context, self string) error {
	if exec.CommandContext(ctx, "docker", "image", "inspect", tag).Run() == nil {
		return nil
	}
	binary := filepath.Join(filepath.Dir(self), "glovebox")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "github.com/gloveboxhq/glovebox/cmd/glovebox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if log, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the guest: %w\n%s", err, log)
	}
	return image.Build(ctx, image.Options{Tag: tag, Binary: binary, Out: os.Stderr})
}
