// Package testcache keeps what tests fetch or build once in the user's cache,
// outside the tree: programs, and the npm packages that lock files name.
package testcache

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// Keep returns a folder that fill has filled, once for the same content: it is
// kept by the content's hash. Two that fill at the same time do not meet:
// whoever is first keeps the place.
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
	defer os.RemoveAll(fresh) // gone already where it became the place
	fill(fresh)
	if err := os.Rename(fresh, place); err != nil {
		if _, lost := os.Stat(place); lost != nil {
			t.Fatal(err)
		}
	}
	return place
}
