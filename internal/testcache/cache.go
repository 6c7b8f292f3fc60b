// Package testcache caches programs and npm packages that tests fetch or build,
// in the user's cache directory.
package testcache

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// Keep returns a folder that fill has filled, once for the same content. The
// folder's name is the hash of the content. If two processes fill it at the same
// time, the first one to finish is kept.
func Keep(t testing.TB, content []byte, fill func(fresh string)) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	place := filepath.Join(cache, "glovebox-tests", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(place); err == nil {
		return place
	}
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(place), "install-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh) // does nothing if the folder was renamed
	fill(fresh)
	if err := os.Rename(fresh, place); err != nil {
		if _, lost := os.Stat(place); lost != nil {
			t.Fatal(err)
		}
	}
	return place
}
