package guest_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// The display's socket can be reached by others. The browser can draw there; a
// client without the cookie is refused.
func TestSharedDisplayRefusesClientsWithoutItsCookie(t *testing.T) {
	var dir string
	b := start(t, func(c *guest.Config) { c.Headless, c.Shared, dir = false, true, c.Dir })
	b.ready()
	if h := b.health(); !h.Display.Running || !h.Browser.Running {
		t.Fatalf("health %+v", h)
	}
	info, err := os.Stat(filepath.Join(dir, "display.cookie"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the cookie: %v, %v", info, err)
	}
	refused := 0
	for _, display := range displaySockets(t, b.health().Display.PID) {
		if first := responseWithoutCookie(t, display); first != 0 {
			t.Errorf("%s answers a client without the cookie with %d", display, first)
		}
		refused++
	}
	if refused == 0 {
		t.Error("the display has no socket")
	}
}

// responseWithoutCookie starts the X protocol without authorization and returns the first byte of
// the answer: 0 refuses, 1 accepts.
func responseWithoutCookie(t *testing.T, address string) byte {
	t.Helper()
	conn, err := net.Dial("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if end, limited := testwait.Deadline(t); limited {
		_ = conn.SetDeadline(end)
	}
	if _, err := conn.Write([]byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	var reply [1]byte
	if _, err := conn.Read(reply[:]); err != nil {
		t.Fatal(err)
	}
	return reply[0]
}

// displaySockets lists the sockets that a process listens on, from /proc/net/unix and
// its open files.
func displaySockets(t *testing.T, pid int) []string {
	t.Helper()
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil {
			open[target] = true
		}
	}
	var found []string
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		const flags, inode, path = 3, 6, 7
		if len(f) > path && f[flags] == "00010000" && open["socket:["+f[inode]+"]"] {
			found = append(found, f[path])
		}
	}
	return found
}
