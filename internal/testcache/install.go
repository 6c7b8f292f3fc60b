package testcache

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// sopsModule is the program sops in the version that made the test files.
const sopsModule = "github.com/getsops/sops/v3/cmd/sops@v3.13.3"

// SOPS returns the path of the program sops, and makes sure that it is on $PATH.
// If it is not installed, it is built once and cached by its version and the
// version of Go.
func SOPS(t testing.TB) string {
	t.Helper()
	if program, err := exec.LookPath("sops"); err == nil {
		return program
	}
	place := Keep(t, []byte(sopsModule+runtime.Version()), func(fresh string) { installModule(t, sopsModule, fresh) })
	t.Setenv("PATH", place+string(os.PathListSeparator)+os.Getenv("PATH"))
	return filepath.Join(place, "sops")
}

// installModule builds a program of another module in a folder.
func installModule(t testing.TB, module, folder string) {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	command := exec.CommandContext(ctx, "go", "install", "-trimpath", "-ldflags", "-s -w", module)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOBIN="+folder)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command.Args, err, out)
	}
	t.Logf("built %s in %s", module, time.Since(began).Round(time.Second))
}
