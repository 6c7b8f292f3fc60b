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

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// The test binary runs itself with these variables as a guest in its own process,
// which is not root and adopts orphans.
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

// spawn runs a guest in its own process, like the first process of a box.
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

func TestRenderersAreInChromiumsSandbox(t *testing.T) {
	b, _ := spawn(t)
	s := b.cdp()
	attach(t, s)
	h := b.eventually("a renderer", func(h sandbox.Health) bool { return len(h.Renderers) > 0 })
	for _, p := range h.Renderers {
		// Outside of a box there is one filter less: the engine's.
		p.SeccompFilters++
		if !p.Sandboxed() {
			t.Errorf("renderer %+v", p)
		}
	}
}

func TestSIGTERMEndsGuestAndBrowser(t *testing.T) {
	for name, before := range map[string]func(*testing.T, sandbox.Health){
		"a browser that works": func(*testing.T, sandbox.Health) {},
		"a browser that hangs": func(t *testing.T, h sandbox.Health) { // it never exits by itself
			if err := syscall.Kill(h.Browser.PID, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, command := spawn(t)
			h := b.health()
			before(t, h)
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			b.waitEnd()
			if b.err != nil {
				t.Errorf("the guest ended with %v", b.err)
			}
			if !isGone(h.Browser.PID) {
				t.Error("the browser outlives the guest")
			}
		})
	}
}

func TestOrphansAreReaped(t *testing.T) {
	b, command := spawn(t)
	attach(t, b.cdp())
	// Processes below the browser become orphans when it is killed. The guest may
	// not restart it, so no new process starts.
	kill(t, b.health().Browser.PID)
	b.eventually("failure", func(h sandbox.Health) bool { return h.Phase == "failed" })
	testwait.For(t, "the end of all children", func() bool { return len(childrenOf(t, command.Process.Pid)) == 0 })
}

// childrenOf returns the state and name of every child of a process.
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
