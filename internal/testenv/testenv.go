// Package testenv checks whether the machine has what a test needs, and skips the
// test, or all tests of a package, if not.
package testenv

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// all is set by make test and make test-full. A test that lacks something then
// fails instead.
const all = "GLOVEBOX_TEST_ALL"

const engineLimit = time.Minute // for an engine on this machine to answer; one that is not there refuses at once

// ChromiumPath returns the browser for tests: $GLOVEBOX_TEST_CHROMIUM, or
// Debian's.
func ChromiumPath() string {
	if path := os.Getenv("GLOVEBOX_TEST_CHROMIUM"); path != "" {
		return path
	}
	return "/usr/lib/chromium/chromium"
}

// PageChromiumPath returns the browser for tests of what is in a page. Under -short,
// and with the race detector, that is Debian's headless shell where it is installed:
// the same version of Chromium without a browser's windows, which makes a page in half
// the time. Otherwise it is ChromiumPath. It parses the flags, so TestMain may ask.
func PageChromiumPath() string {
	flag.Parse()
	const shell = "/usr/lib/chromium/chromium-headless-shell"
	if _, err := os.Stat(shell); err == nil && (testing.Short() || raceDetector) && os.Getenv("GLOVEBOX_TEST_CHROMIUM") == "" {
		return shell
	}
	return ChromiumPath()
}

// Need checks something that the machine may not have. It returns why it is
// missing, or nil.
type Need func() error

// Chromium checks the browser.
func Chromium() error {
	if _, err := os.Stat(ChromiumPath()); err != nil {
		return fmt.Errorf("no Chromium: %w; install it, or name another with GLOVEBOX_TEST_CHROMIUM", err)
	}
	return nil
}

// Engine checks whether a container engine answers.
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

// Program checks for a program on the path.
func Program(name string) Need {
	return func() error {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("no %s: %w", name, err)
		}
		return nil
	}
}

// Require skips a test if a need is not met. Under make test it fails it.
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

// Missing is for TestMain. If a need is not met, it prints why and returns true
// with the status to exit with: 0, or 1 under make test.
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

// Heavy skips a test under -short if it builds images, starts real applications,
// needs npm packages, attacks a whole gateway, or is slow because it does something
// very often.
func Heavy(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("heavy: runs without -short (make test-full)")
	}
}

// Step is the step of a loop over many cases of one kind: n under -short, which
// tries every nth case, and 1 otherwise.
func Step(n int) int {
	if testing.Short() {
		return n
	}
	return 1
}

// FewerDrawn makes random tests draw a quarter of their cases under -short, in
// addition to what rapid leaves out then, and half of them with the race detector.
// It is for TestMain of packages whose cases each lay out a page.
func FewerDrawn() {
	flag.Parse()
	switch {
	case testing.Short():
		_ = flag.Set("rapid.checks", "25")
	case raceDetector:
		_ = flag.Set("rapid.checks", "50")
	}
}

// Tried reports whether a case of a table is tried. Under -short it is one of n,
// which its name decides.
func Tried(name string, n int) bool {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name))
	return hash.Sum32()%uint32(Step(n)) == 0
}
