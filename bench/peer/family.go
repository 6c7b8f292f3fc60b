package peer

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const mark = "GLOVEBOX_BENCH_FAMILY" // in the environment of all that a server starts, daemons too

// family is the processes that began with one program, wherever they went:
// each has the same mark in its environment.
type family struct {
	mark string
	home string // a folder of their own, removed with them
}

func newFamily() (family, error) {
	home, err := os.MkdirTemp("", "gbpeer-") // short: sockets have paths of at most 108 bytes
	if err != nil {
		return family{}, fmt.Errorf("cannot make a folder: %w", err)
	}
	f := family{mark: mark + "=" + rand.Text(), home: home}
	started.Lock()
	defer started.Unlock()
	started.all = append(started.all, f)
	return f, nil
}

// started is every family of this process, for who ends it early.
var started struct {
	sync.Mutex
	all []family
}

// endAll ends all families. None begins afterwards: the lock is kept until the
// process ends.
func endAll() {
	started.Lock()
	for _, f := range started.all {
		f.end()
	}
}

// process is a running one.
type process struct {
	id      int
	name    string // of its file
	command string // its arguments, with spaces between
	memory  int64  // resident, in bytes
}

// browser says whether the process is part of Chromium.
func (p process) browser() bool { return strings.HasPrefix(p.name, "chrom") }

// processes are those of the family that run now. What Chromium's sandbox
// keeps from us is its children, which end with it.
func (f family) processes() []process {
	if f.mark == "" {
		return nil
	}
	var all []process
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		environment, err := os.ReadFile(folder + "/environ")
		if err != nil || !bytes.Contains(environment, []byte(f.mark)) {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(folder))
		file, _ := os.Readlink(folder + "/exe")
		arguments, _ := os.ReadFile(folder + "/cmdline")
		all = append(all, process{
			id: id, name: filepath.Base(file), memory: resident(folder),
			command: strings.ReplaceAll(string(arguments), "\x00", " "),
		})
	}
	return all
}

// resident is the memory of a process that is in RAM, in bytes: VmRSS of
// proc(5).
func resident(folder string) int64 {
	status, err := os.ReadFile(folder + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kibibytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kibibytes << 10
		}
	}
	return 0
}

// end kills what is left of the family, and waits until it is gone.
func (f family) end() {
	if f.mark == "" {
		return
	}
	for range 500 { // 5 s at most
		left := f.processes()
		if len(left) == 0 {
			break
		}
		for _, p := range left {
			_ = syscall.Kill(p.id, syscall.SIGKILL)
		}
		time.Sleep(10 * time.Millisecond) // nobody tells when a stranger's child is gone
	}
	_ = os.RemoveAll(f.home)
}

// Memory is what the server's own processes hold in RAM, in bytes, without the
// browser: for Glovebox the gateway's and that of glovebox mcp.
func (s *Server) Memory() int64 { return s.family.memory() + s.GatewayMemory() }

// GatewayMemory is Glovebox's gateway alone, in bytes; 0 for others.
func (s *Server) GatewayMemory() int64 {
	if s.gateway == nil {
		return 0
	}
	return s.gateway.family.memory()
}

func (f family) memory() int64 {
	var sum int64
	for _, p := range f.processes() {
		if !p.browser() {
			sum += p.memory
		}
	}
	return sum
}

// tape keeps the end of what a process prints.
type tape struct {
	mu   sync.Mutex
	text []byte
}

const tapeLength = 4 << 10 // bytes that are kept

func (t *tape) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-tapeLength):]
	return len(b), nil
}

func (t *tape) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return ""
	}
	return "\nit printed:\n" + string(t.text)
}
