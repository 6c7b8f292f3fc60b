package guest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is what /proc/PID/stat shows of a process.
type process struct {
	pid, parent int
	zombie      bool
	stopped     bool
}

// processes returns the processes of this PID namespace (proc(5)). It omits those
// that end meanwhile.
func processes() (map[int]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("cannot read /proc: %w", err)
	}
	all := make(map[int]process, len(entries))
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, err := readStat(pid); err == nil {
			all[pid] = p
		}
	}
	return all, nil
}

// readStat reads state and parent, which follow the last parenthesis: the name
// before it may contain parentheses too.
func readStat(pid int) (process, error) {
	raw, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return process{}, err
	}
	i := bytes.LastIndexByte(raw, ')')
	fields := strings.Fields(string(raw[i+1:]))
	if i < 0 || len(fields) < 2 {
		return process{}, fmt.Errorf("malformed stat of %d", pid)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return process{}, fmt.Errorf("malformed stat of %d: %w", pid, err)
	}
	return process{pid: pid, parent: parent, zombie: fields[0] == "Z", stopped: fields[0] == "T"}, nil
}

// isDescendant reports whether pid is below root. It follows a limited number of
// parents, because they may change meanwhile.
func isDescendant(all map[int]process, pid, root int) bool {
	for range 32 {
		p, known := all[pid]
		if !known || pid <= 1 {
			return false
		}
		if p.parent == root {
			return true
		}
		pid = p.parent
	}
	return false
}

func procPath(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
