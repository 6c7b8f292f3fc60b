package peer

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestExportWritesTheFilesOfACommit(t *testing.T) {
	folder := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	for _, text := range []string{"first", "second"} {
		if err := os.WriteFile(filepath.Join(folder, "file"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("commit", "-q", "-m", text)
	}
	place := filepath.Join(t.TempDir(), "tree")
	if err := export(t.Context(), folder, "HEAD^", place); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(place, "file")); err != nil || string(text) != "first" {
		t.Errorf("the file has %q, %v", text, err)
	}
	if err := export(t.Context(), folder, "HEAD^^^", filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "HEAD^^^") {
		t.Errorf("a commit that does not exist: %v", err)
	}
}
