package relay

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const enough = 14 << 20 // bytes of resident memory from which on it is released; relaying needs 10 to 13 MB

// releaseMemory returns to the system what relaying does not need, if there is
// much: freed memory, and the pages of the program's file that were mapped, most
// of them at its start. Pages without write permission have the content of the
// file and nothing else, so that the system reads them again when they are used
// (madvise(2), MADV_DONTNEED).
func releaseMemory() {
	if resident() < enough {
		return
	}
	debug.FreeOSMemory()
	self, err := os.Executable()
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text()) // address range, permissions, offset, device, inode, path: proc_pid_maps(5)
		if len(fields) != 6 || fields[5] != self || strings.Contains(fields[1], "w") {
			continue
		}
		var from, to uintptr
		if _, err := fmt.Sscanf(fields[0], "%x-%x", &from, &to); err == nil {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED) // it is only advice
		}
	}
}

// resident returns how many bytes of this process are in memory; 0 if that is not
// known.
func resident() int {
	text, err := os.ReadFile("/proc/self/statm") // pages: proc_pid_statm(5)
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}
