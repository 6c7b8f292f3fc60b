package guest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// oomKills is how many processes of the box the kernel ended because its memory
// was used up: the box's own control group says so, of either version. 0 where
// it cannot be read.
func oomKills(root string) int {
	for _, file := range []string{"memory.events", "memory/memory.oom_control"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if count, found := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); found {
				n, _ := strconv.Atoi(count)
				return n
			}
		}
	}
	return 0
}
