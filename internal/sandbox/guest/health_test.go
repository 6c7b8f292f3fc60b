package guest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOOMKillsAreReadFromCgroupVersions1And2(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		want       int
	}{
		"version 2":      {"memory.events", "low 0\nhigh 0\nmax 12\noom 4\noom_kill 3\noom_group_kill 0\n", 3},
		"version 1":      {"memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", 2},
		"an old version": {"memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n", 0},
		"none":           {"other", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, tt.file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := oomKills(root); got != tt.want {
				t.Errorf("%d kills, want %d", got, tt.want)
			}
		})
	}
}
