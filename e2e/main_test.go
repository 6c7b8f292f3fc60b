// Package e2e tests the built binary from outside: a real gateway, real boxes, a
// small web application, and real clients of every surface.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// imageTag is the image of these tests: the chromium layers are the same as of
// any other, and the binary is the one under test. $GLOVEBOX_TEST_TREE keeps
// the images of trees that are tested side by side apart.
var imageTag = "glovebox-browser:e2e" + os.Getenv("GLOVEBOX_TEST_TREE")

var (
	binary string    // path of the program under test
	wire   *contract // what the program says of its REST interface
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if status, missing := testenv.Missing(testenv.Engine, testenv.Chromium, testenv.Program("node"), testenv.Program("npm")); missing {
		return status
	}
	dir, err := os.MkdirTemp("", "glovebox-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "glovebox")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.version=e2e", "-o", binary, "../cmd/glovebox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	image := exec.Command(binary, "image", "build")
	image.Env = append(os.Environ(), "GLOVEBOX_BROWSER_SANDBOX_CONTAINER_IMAGE="+imageTag)
	for _, command := range []*exec.Cmd{build, image} {
		if out, err := command.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%v: %v\n%s", command.Args, err, out)
			return 1
		}
	}
	if wire, err = readContract(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return complete(m.Run())
}

// complete prints how much of the description the run covered, and fails a
// complete run without some operation or fault.
func complete(status int) int {
	if status != 0 || testing.Short() || flag.Lookup("test.run").Value.String() != "" || flag.Lookup("test.skip").Value.String() != "" {
		return status
	}
	all, done := wire.operations()
	fmt.Printf("%d of %d operations were done, every answer as described\n", done, all)
	for _, missing := range slices.Concat(wire.undone(excused), wire.unmet(unseen)) {
		fmt.Fprintln(os.Stderr, missing)
		status = 1
	}
	return status
}
