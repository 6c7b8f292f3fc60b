package local_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/local"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// actionResults are the results of what a confined program tried: an error, or empty for
// success.
type actionResults struct {
	Status     map[string]string // of /proc/self/status
	Secret     string            // read the gateway's file
	Neighbours string            // list other boxes' folders
	Home       string            // write to its own folder
	Sockets    string            // write to the folder of the sockets
	Kill       string            // signal the gateway
	Environ    string            // read the gateway's environment
	Dial       string            // connect to an address of the internet
	Mount      string            // mount a file system
	Processes  int               // how many it could start
	Fork       string            // start one more
	Interfaces []string
	Limits     string
}

// tryActions makes the attempts. Its arguments are the gateway's file, the folder of all
// boxes, the sockets, the home and the gateway's pid.
func tryActions(arguments []string) int {
	if _, _, err := local.Enter(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	pid, err := strconv.Atoi(arguments[4])
	if err != nil {
		return 2
	}
	a := actionResults{Status: map[string]string{}}
	why := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		a.Status[name] = strings.TrimSpace(value)
	}
	_, err = os.ReadFile(arguments[0])
	a.Secret = why(err)
	_, err = os.ReadDir(arguments[1])
	a.Neighbours = why(err)
	a.Sockets = why(os.WriteFile(filepath.Join(arguments[2], "x"), nil, 0o600))
	a.Home = why(os.WriteFile(filepath.Join(arguments[3], "x"), nil, 0o600))
	a.Kill = why(unix.Kill(pid, 0))
	_, err = os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	a.Environ = why(err)
	conn, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Minute)
	if a.Dial = why(err); conn != nil {
		_ = conn.Close()
	}
	a.Mount = why(unix.Mount("none", arguments[3], "tmpfs", 0, ""))
	all, _ := net.Interfaces()
	for _, i := range all {
		a.Interfaces = append(a.Interfaces, i.Name)
	}
	a.Processes, a.Fork = startProcesses()
	limits, _ := os.ReadFile("/proc/self/limits")
	a.Limits = strings.Join(strings.Fields(string(limits)), " ")
	if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
		return 3
	}
	return 0
}

// startProcesses starts processes until that fails, and kills them.
func startProcesses() (started int, why string) {
	var pids []int
	defer func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		}
	}()
	for range 2 * maxTasks {
		pid, err := syscall.ForkExec("/usr/bin/sleep", []string{"sleep", "60"}, &syscall.ProcAttr{})
		if err != nil {
			return len(pids), err.Error()
		}
		pids = append(pids, pid)
	}
	return len(pids), ""
}

// TestConfinement checks from a confined process what it can do.
func TestConfinement(t *testing.T) {
	inTestContainer(t)
	d := openDriver(t, testOptions(t))
	dir := "/run/boxes/" + sandbox.NewID()
	secret := filepath.Join(dir, "operator.token")
	if err := os.Mkdir(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("a token"), 0o600); err != nil {
		t.Fatal(err)
	}
	sockets, home := filepath.Join(dir, "sockets"), filepath.Join(dir, "home")
	for dir, mode := range map[string]os.FileMode{sockets: 0o755, home: 0o777} {
		if err := os.Mkdir(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	out, err := d.RunConfined(t.Context(), sockets, home, "look", secret, "/run/boxes", sockets, home, strconv.Itoa(os.Getpid()))
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var a actionResults
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for what, refused := range map[string]string{
		"read the gateway's file": a.Secret, "list the boxes": a.Neighbours, "write to the sockets": a.Sockets,
		"signal the gateway": a.Kill, "read the gateway's environment": a.Environ, "mount": a.Mount,
	} {
		if !strings.Contains(refused, "permission denied") && !strings.Contains(refused, "not permitted") {
			t.Errorf("a box could %s: %q", what, refused)
		}
	}
	if a.Home != "" {
		t.Errorf("a box cannot write to its own folder: %s", a.Home)
	}
	if !strings.Contains(a.Dial, "network is unreachable") {
		t.Errorf("a box has a route: %q", a.Dial)
	}
	if fmt.Sprint(a.Interfaces) != "[lo]" {
		t.Errorf("a box has the interfaces %v", a.Interfaces)
	}
	for name, want := range map[string]string{
		"CapPrm": "0000000000000000", "CapEff": "0000000000000000", "CapAmb": "0000000000000000",
		"NoNewPrivs": "1", "Seccomp": "2", "Uid": "10001\t10001\t10001\t10001",
	} {
		if a.Status[name] != want {
			t.Errorf("%s is %q, want %q", name, a.Status[name], want)
		}
	}
	if a.Processes >= maxTasks || a.Processes < maxTasks/2 || !strings.Contains(a.Fork, "temporarily unavailable") {
		t.Errorf("a box could start %d processes, then: %q", a.Processes, a.Fork)
	}
	for _, want := range []string{"Max core file size 0 0", "Max processes 512 512", "Max open files 4096 4096"} {
		if !strings.Contains(a.Limits, want) {
			t.Errorf("the limits lack %q: %s", want, a.Limits)
		}
	}
}

// Here the first process of a box is killed. Stop must end the remaining processes,
// whichever process adopted them.
func TestKilledGuestEndsItsBox(t *testing.T) {
	inTestContainer(t)
	d := openDriver(t, testOptions(t))
	box, err := d.Start(t.Context(), sandboxtest.Spec("alice"))
	if err != nil {
		t.Fatal(err)
	}
	health, err := box.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(parentOf(t, health.Browser.PID), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	testwait.Receive(t, box.Done(), "the end of the box")
	if err := d.Stop(t.Context(), box.Info().ID); err != nil {
		t.Fatal(err)
	}
	for name, pid := range map[string]int{"browser": health.Browser.PID, "display": health.Display.PID} {
		if state := statFields(t, pid); len(state) > 0 && state[0] != "Z" {
			t.Errorf("the %s outlives its box: %v", name, state[:2])
		}
	}
}

// statFields returns the fields of proc_pid_stat(5) after the name, none for a process
// that has ended.
func statFields(t *testing.T, pid int) []string {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
}

func parentOf(t *testing.T, pid int) int {
	t.Helper()
	state := statFields(t, pid)
	if len(state) < 2 {
		t.Fatalf("process %d is gone", pid)
	}
	ppid, err := strconv.Atoi(state[1])
	if err != nil || ppid <= 1 {
		t.Fatalf("parent of %d: %v", pid, state)
	}
	return ppid
}

// Two boxes share /tmp, which must contain no socket of a display.
func TestBoxesDoNotShareDisplays(t *testing.T) {
	inTestContainer(t)
	d := openDriver(t, testOptions(t))
	for _, scope := range []string{"alice", "bob"} {
		box, err := d.Start(t.Context(), sandboxtest.Spec(scope))
		if err != nil {
			t.Fatal(err)
		}
		if health, err := box.Health(t.Context()); err != nil || !health.Display.Running {
			t.Errorf("no display: %+v, %v", health, err)
		}
	}
	if sockets, err := filepath.Glob("/tmp/.X11-unix/X*"); err != nil || len(sockets) > 0 {
		t.Errorf("displays that the other box can reach: %v, %v", sockets, err)
	}
}
