package testcache

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Program builds the program of a folder that is a Go module of its own, and
// returns its path. It is built once and cached by its sources and the version of
// Go.
func Program(t testing.TB, folder string) string {
	t.Helper()
	content := []byte(runtime.Version())
	for _, name := range []string{"go.mod", "go.sum", "main.go"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		content = append(content, text...)
	}
	return filepath.Join(Keep(t, content, func(fresh string) { build(t, folder, filepath.Join(fresh, "program")) }), "program")
}

func build(t testing.TB, folder, program string) {
	t.Helper()
	began := time.Now()
	command := exec.CommandContext(testwait.Context(t), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command.Args, err, out)
	}
	t.Logf("built %s in %s", folder, time.Since(began).Round(time.Second))
}
