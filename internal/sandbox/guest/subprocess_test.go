package guest_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
)

// The test binary starts itself with these to be a guest in a process of its
// own: not root, and the one that orphans come to.
const (
	asGuest  = "GLOVEBOX_TEST_AS_GUEST" // the directory of sockets
	guestDir = "GLOVEBOX_TEST_DIR"
)

func runAsGuest() int {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	config, err := guest.FromEnvironment(slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	config.SocketDir, config.Dir = os.Getenv(asGuest), os.Getenv(guestDir)
	config.ProxyPort, config.Reap = 0, true
	if err := guest.Run(context.Background(), config); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// spawn runs a guest as a process like the first one of a box.
func spawn(t *testing.T, changes ...func(*guest.Config)) (*box, *exec.Cmd) {
	t.Helper()
	b := prepare(t, func(c *guest.Config) {
		for _, change := range changes {
			change(c)
		}
	})
	command := exec.Command("/proc/self/exe")
	command.Env = append(b.config.Environ(), asGuest+"="+b.config.SocketDir, guestDir+"="+b.config.Dir)
	command.Dir, command.Stderr = "/", os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: testUser, Gid: testUser}
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(b.ended)
		b.err = command.Wait()
	}()
	b.cancel = func() { _ = command.Process.Signal(syscall.SIGTERM) }
	t.Cleanup(b.stop)
	b.ready()
	return b, command
}

func TestRenderersShowChromiumsOwnSandbox(t *testing.T) {
	b, _ := spawn(t)
	s := b.cdp()
	attach(t, s)
	h := b.eventually("a renderer", func(h sandbox.Health) bool { return len(h.Renderers) > 0 })
	for _, p := range h.Renderers {
		// Outside of a box the engine's seccomp filter is missing: one less.
		p.SeccompFilters++
		if !p.Strong() {
			t.Errorf("renderer %+v", p)
		}
	}
}

func TestSIGTERMEndsEverythingInTime(t *testing.T) {
	b, command := spawn(t)
	h := b.health()
	begin := time.Now()
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	b.waitEnd(10 * time.Second)
	if b.err != nil {
		t.Errorf("the guest ended with %v", b.err)
	}
	if took := time.Since(begin); took > 5*time.Second { // 3 by design; the machine is shared
		t.Errorf("it took %v", took)
	}
	if !isGone(h.Browser.PID) {
		t.Error("the browser outlives the guest")
	}
}

func TestOrphansAreReaped(t *testing.T) {
	b, command := spawn(t)
	attach(t, b.cdp())
	// Processes below the browser become orphans when it dies; the guest has
	// no restart left, so nothing else happens.
	kill(t, b.health().Browser.PID)
	b.eventually("failure", func(h sandbox.Health) bool { return h.Phase == "failed" })
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		left := childrenOf(t, command.Process.Pid)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("children left: %v", left)
		}
	}
}

// childrenOf returns state and name of every child of a process.
func childrenOf(t *testing.T, pid int) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		f, err := os.Open("/proc/" + e.Name() + "/status")
		if err != nil {
			continue
		}
		fields := map[string]string{}
		for scanner := bufio.NewScanner(f); scanner.Scan(); {
			key, value, _ := strings.Cut(scanner.Text(), ":")
			fields[key] = strings.TrimSpace(value)
		}
		_ = f.Close()
		if fields["PPid"] == strconv.Itoa(pid) {
			found = append(found, fields["State"]+" "+fields["Name"])
		}
	}
	return found
}
