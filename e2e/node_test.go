package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

const npmLimit = 5 * time.Minute // for npm to fetch what a lock file names

// nodeProject copies a folder beside this file that is a Node project, with
// package.json and package-lock.json, to where it can run, and returns the
// copy. What the lock names is installed once and kept outside the tree, in
// the user's cache, by the lock's hash.
func nodeProject(t *testing.T, folder string) string {
	t.Helper()
	project := t.TempDir()
	if err := os.CopyFS(project, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(nodeModules(t, folder), "node_modules"), filepath.Join(project, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return project
}

// nodeModules returns a folder whose node_modules is what the project's lock
// names.
func nodeModules(t *testing.T, folder string) string {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	return kept(t, lock, func(fresh string) { npmInstall(t, folder, fresh) })
}

// npmInstall installs in a folder what the lock of another names, at exactly
// those versions and without the packages' own scripts.
func npmInstall(t *testing.T, folder, fresh string) {
	t.Helper()
	if err := os.CopyFS(fresh, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), npmLimit)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir = fresh
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v (make test installs npm where it is missing)\n%s", err, out)
	}
}

// runs runs a program in a folder and returns what it printed; a status other
// than 0 fails the test.
func runs(t *testing.T, limit time.Duration, folder string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}
