// Package testenv says what a test needs of the machine, and skips the test, or
// all tests of a package, where the machine does not have it.
package testenv

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// all is set by make test and make test-full: a test that misses something
// fails then.
const all = "GLOVEBOX_TEST_ALL"

const engineLimit = 5 * time.Second // for an engine on this machine to answer

// ChromiumPath is the browser of the tests: $GLOVEBOX_TEST_CHROMIUM, or Debian's.
func ChromiumPath() string {
	if path := os.Getenv("GLOVEBOX_TEST_CHROMIUM"); path != "" {
		return path
	}
	return "/usr/lib/chromium/chromium"
}

// Need is something that the machine may not have. It returns why it is missing,
// or nil.
type Need func() error

// Chromium is the browser.
func Chromium() error {
	if _, err := os.Stat(ChromiumPath()); err != nil {
		return fmt.Errorf("no Chromium: %w; install it, or name another with GLOVEBOX_TEST_CHROMIUM", err)
	}
	return nil
}

// Engine is a container engine that answers.
func Engine() error {
	engine, err := client.New(client.FromEnv)
	if err != nil {
		return fmt.Errorf("no container engine: %w", err)
	}
	defer engine.Close()
	ctx, cancel := context.WithTimeout(context.Background(), engineLimit)
	defer cancel()
	if _, err := engine.Ping(ctx, client.PingOptions{}); err != nil {
		return fmt.Errorf("no container engine: %w; start one, or name another with DOCKER_HOST", err)
	}
	return nil
}

// Program is a program on the path.
func Program(name string) Need {
	return func() error {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("no %s: %w", name, err)
		}
		return nil
	}
}

// Require skips a test where a need is not met, and fails it under make test.
func Require(t testing.TB, needs ...Need) {
	t.Helper()
	for _, need := range needs {
		if err := need(); err != nil {
			if os.Getenv(all) != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// Missing is for TestMain. Where a need is not met, it prints why and returns
// true with the status to exit with: 0, or 1 under make test.
func Missing(needs ...Need) (status int, missing bool) {
	for _, need := range needs {
		if err := need(); err != nil {
			if os.Getenv(all) != "" {
				fmt.Fprintln(os.Stderr, "these tests cannot run:", err)
				return 1, true
			}
			fmt.Println("these tests are skipped:", err)
			return 0, true
		}
	}
	return 0, false
}

// Heavy skips a test with -short: one that builds images, starts real
// applications, or needs packages of npm.
func Heavy(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("heavy: runs without -short (make test-full)")
	}
}
