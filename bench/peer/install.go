package peer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

//go:embed npm/package.json npm/package-lock.json
var project embed.FS

const npmLimit = 5 * time.Minute // for npm to fetch what the lock names

var install struct {
	sync.Mutex
	done    bool
	modules string
	err     error
}

// installed returns the folder of the peers' packages, fetched with npm at the
// versions of the lock when they are not there yet. What went wrong is
// remembered: it is tried once.
func installed(ctx context.Context) (modules string, err error) {
	install.Lock()
	defer install.Unlock()
	if !install.done {
		install.modules, install.err = fetch(ctx)
		install.done = true
	}
	return install.modules, install.err
}

func fetch(ctx context.Context) (string, error) {
	if _, err := os.Stat(Chromium()); err != nil {
		return "", fmt.Errorf("there is no Chromium: %w", err)
	}
	lock, err := project.ReadFile("npm/package-lock.json")
	if err != nil {
		return "", fmt.Errorf("cannot read the lock: %w", err)
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(lock)
	place := filepath.Join(cache, "peers-"+hex.EncodeToString(sum[:8]))
	modules := filepath.Join(place, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules, nil
	}
	fresh, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		return "", fmt.Errorf("cannot make a folder: %w", err)
	}
	defer os.RemoveAll(fresh) // gone already where it became the place
	if err := npm(ctx, fresh); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, place); err != nil {
		if _, lost := os.Stat(modules); lost != nil { // not to another that was first
			return "", fmt.Errorf("cannot keep what was fetched: %w", err)
		}
	}
	return modules, nil
}

// cacheFolder is the user's, or where every user may read: as root the peers
// run as another user, who may not enter root's home.
func cacheFolder() (string, error) {
	cache := "/var/cache"
	if os.Getuid() != 0 {
		own, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("there is no place to keep packages: %w", err)
		}
		cache = own
	}
	cache = filepath.Join(cache, "glovebox-tests")
	return cache, os.MkdirAll(cache, 0o755)
}

// npm fetches into a folder, without running the packages' own scripts.
func npm(ctx context.Context, folder string) error {
	for _, name := range []string{"package.json", "package-lock.json"} {
		content, err := project.ReadFile("npm/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), content, 0o644)
		}
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", name, err)
		}
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		return fmt.Errorf("cannot open the folder: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, npmLimit)
	defer cancel()
	c := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w: %s", err, bytes.TrimSpace(out))
	}
	// What its own script would do.
	return os.Chmod(agentBrowser(filepath.Join(folder, "node_modules")), 0o755)
}

// agentBrowser is the package's program itself, which its Node wrapper starts.
func agentBrowser(modules string) string {
	machine := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return filepath.Join(modules, "agent-browser/bin/agent-browser-linux-"+machine)
}
