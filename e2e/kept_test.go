package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// kept returns a folder that fill has filled, once for the same content: it is
// kept outside the tree, in the user's cache, by the content's hash. Two that
// fill at the same time do not meet: whoever is first keeps the place.
func kept(t *testing.T, content []byte, fill func(fresh string)) string {
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
