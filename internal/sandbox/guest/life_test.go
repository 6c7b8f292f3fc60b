package guest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/guest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func kill(t *testing.T, pid int) {
	t.Helper()
	if pid <= 1 {
		t.Fatalf("no process to kill: %d", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func isGone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestCrashedBrowserIsRestartedALimitedNumberOfTimes(t *testing.T) {
	b := start(t, func(c *guest.Config) { shortLease(c); c.RestartAttempts = 1 })
	b.ready()
	s := b.cdp()
	wantVersion(t, s)
	first := b.health().Browser.PID
	kill(t, first)
	if _, err := s.Read(); !errors.Is(err, bridge.ErrBrowserGone) {
		t.Errorf("the stream of a crashed browser ends with %v", err)
	}
	wantVersion(t, b.cdp()) // waits for the next browser
	h := b.health()
	if h.Restarts != 1 || h.Browser.PID == first || h.Phase != bridge.PhaseReady {
		t.Errorf("after one crash: %+v", h)
	}
	kill(t, h.Browser.PID)
	h = b.eventually("failure", func(h sandbox.Health) bool { return h.Phase == bridge.PhaseFailed })
	if h.Restarts != 1 || h.Browser.Running || !strings.Contains(h.Browser.Exit, "signal 9") {
		t.Errorf("after two crashes: %+v", h)
	}
	if _, err := b.link.CDP(testwait.Context(t)); fault.CodeOf(err) != fault.CDPError {
		t.Errorf("CDP of a failed box: %v", err)
	}
	b.waitEnd() // the lease expires
	if fault.CodeOf(b.err) != fault.StartFailed {
		t.Errorf("Run returned %v", b.err)
	}
}

func TestCrashedDisplayRestartsTheBrowserToo(t *testing.T) {
	b := start(t, func(c *guest.Config) { c.Headless, c.RestartAttempts = false, 1 })
	b.ready()
	before := b.health()
	kill(t, before.Display.PID)
	after := b.eventually("restart", func(h sandbox.Health) bool {
		return h.Restarts == 1 && h.Phase == bridge.PhaseReady
	})
	if after.Display.PID == before.Display.PID || after.Browser.PID == before.Browser.PID {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if !isGone(before.Browser.PID) {
		t.Error("the old browser is still there")
	}
	wantVersion(t, b.cdp())
}

func TestHeadfulBrowserOutlivesItsLastTab(t *testing.T) {
	b := start(t, func(c *guest.Config) { c.Headless = false })
	b.ready()
	s := b.cdp()
	for id := 10; id < 30; id += 10 {
		var target struct{ TargetID string }
		raw := call(t, s, id, method("Target.createTarget"), `{"url":"about:blank"}`)
		if err := json.Unmarshal(raw, &target); err != nil {
			t.Fatal(err)
		}
		call(t, s, id+1, method("Target.closeTarget"), `{"targetId":"`+target.TargetID+`"}`)
	}
	wantVersion(t, s)
	if h := b.health(); h.Phase != bridge.PhaseReady || h.Restarts != 0 {
		t.Errorf("health %+v", h)
	}
}

func TestGuestEndsWhenNoGatewayAnswersWithinTheLease(t *testing.T) {
	b := start(t, func(c *guest.Config) { shortLease(c); c.Headless = false })
	b.ready()
	h := b.health()
	if err := b.link.Close(); err != nil {
		t.Fatal(err)
	}
	b.waitEnd()
	if fault.CodeOf(b.err) != fault.NotActive || !errors.Is(b.err, bridge.ErrLease) {
		t.Errorf("Run returned %v", b.err)
	}
	if !isGone(h.Browser.PID) || !isGone(h.Display.PID) {
		t.Error("browser or display outlive the guest")
	}
}

func TestSessionOutlivesAGatewayRestart(t *testing.T) {
	b := start(t, nil)
	b.ready()
	if err := b.link.Assign(testwait.Context(t), "alice", "s-1"); err != nil {
		t.Fatal(err)
	}
	s := b.cdp()
	wantVersion(t, s)
	pid := b.health().Browser.PID
	if err := b.link.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(); err == nil {
		t.Error("the stream outlives its link")
	}
	link, err := bridge.Listen(bridge.LinkOptions{
		Dir: b.config.SocketDir, Box: b.config.Box, Adopt: true, Headless: true, Key: b.key, Lease: b.config.Lease,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.link = link
	defer func() { _ = link.Close() }()
	if err := link.Connected(testwait.Context(t)); err != nil {
		t.Fatal(err)
	}
	if link.ScopeHash() != sandbox.ScopeHash("alice") || link.Session() != "s-1" {
		t.Errorf("adopted %q %q", link.ScopeHash(), link.Session())
	}
	wantVersion(t, b.cdp())
	if h := b.health(); h.Browser.PID != pid {
		t.Error("another browser than before")
	}
}

func TestNewClientReplacesThePreviousOne(t *testing.T) {
	b := start(t, nil)
	b.ready()
	first := b.cdp()
	wantVersion(t, first)
	second := b.cdp()
	if _, err := first.Read(); !errors.Is(err, bridge.ErrReplaced) {
		t.Errorf("the first stream ends with %v", err)
	}
	wantVersion(t, second)
}

func TestLongMessagesPassAndStalledClientsAreReplaced(t *testing.T) {
	b := start(t, nil)
	b.ready()
	s := b.cdp()
	session := attach(t, s)
	const size = 20 << 20
	text := call(t, s, 5, session+method("Runtime.evaluate"),
		`{"expression":"'x'.repeat(`+strconv.Itoa(size)+`)","returnByValue":true}`)
	if len(text) < size {
		t.Fatalf("%d bytes of %d came", len(text), size)
	}
	// A client that requests much and reads nothing is replaced nevertheless.
	ask := `{"id":6,` + session + method("Runtime.evaluate") + `,"params":{"expression":"'y'.repeat(` +
		strconv.Itoa(size) + `)","returnByValue":true}}`
	if err := s.Write([]byte(ask)); err != nil {
		t.Fatal(err)
	}
	wantVersion(t, b.cdp())
	if h := b.health(); h.Restarts != 0 || h.Phase != bridge.PhaseReady {
		t.Errorf("health %+v", h)
	}
}

// attach opens a tab and returns its sessionId as the beginning of a message.
func attach(t *testing.T, s sandbox.Stream) string {
	t.Helper()
	var target struct{ TargetID string }
	if err := json.Unmarshal(call(t, s, 101, method("Target.createTarget"), `{"url":"about:blank"}`), &target); err != nil {
		t.Fatal(err)
	}
	var session struct{ SessionID string }
	raw := call(t, s, 102, method("Target.attachToTarget"), `{"targetId":"`+target.TargetID+`","flatten":true}`)
	if err := json.Unmarshal(raw, &session); err != nil {
		t.Fatal(err)
	}
	return `"sessionId":"` + session.SessionID + `",`
}

func TestNULDoesNotReachTheBrowser(t *testing.T) {
	b := start(t, nil)
	b.ready()
	s := b.cdp()
	if err := s.Write([]byte("{\"id\":1}\x00{\"id\":2}")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(); err == nil {
		t.Error("a NUL byte was accepted")
	}
	wantVersion(t, b.cdp())
}

func TestBrowserConnectsOnlyThroughTheProxy(t *testing.T) {
	asked := make(chan string, 64)
	b := prepare(t, nil)
	_ = b.link.Close()
	link, err := bridge.Listen(bridge.LinkOptions{
		Dir: b.config.SocketDir, Box: b.config.Box, Headless: true, Key: b.key, Lease: b.config.Lease,
		Egress: func(c net.Conn) {
			defer func() { _ = c.Close() }()
			line, _ := bufio.NewReader(c).ReadString('\n')
			asked <- strings.TrimSpace(line)
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nseen"))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.link = link
	t.Cleanup(func() { _ = link.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	go func() {
		defer close(b.ended)
		b.err = guest.Run(ctx, b.config)
	}()
	t.Cleanup(b.stop)
	b.ready()
	s := b.cdp()
	session := attach(t, s)
	for i, c := range []struct{ url, line string }{
		{"http://site.test/a", "GET http://site.test/a HTTP/1.1"},
		{"http://127.0.0.1:8123/b", "GET http://127.0.0.1:8123/b HTTP/1.1"},
		{"http://localhost:8123/c", "GET http://localhost:8123/c HTTP/1.1"},
		{"http://169.254.169.254/d", "GET http://169.254.169.254/d HTTP/1.1"},
		{"https://tls.test/e", "CONNECT tls.test:443 HTTP/1.1"},
	} {
		call(t, s, 200+i, session+method("Page.navigate"), `{"url":"`+c.url+`"}`)
		awaitLine(t, asked, c.line)
	}
}

func awaitLine(t *testing.T, asked <-chan string, want string) {
	t.Helper()
	for testwait.Receive(t, asked, want) != want {
		continue
	}
}

func TestCoreDumpsAreDisabled(t *testing.T) {
	b := start(t, nil)
	b.ready()
	limits, err := os.ReadFile("/proc/" + strconv.Itoa(b.health().Browser.PID) + "/limits")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(limits)) {
		if strings.HasPrefix(line, "Max core file size") {
			if f := strings.Fields(line); f[4] != "0" || f[5] != "0" {
				t.Errorf("core limit %q", line)
			}
			return
		}
	}
	t.Error("no core limit shown")
}

func TestCrashedBrowserLeavesNoDump(t *testing.T) {
	b := start(t, nil)
	b.ready()
	if err := syscall.Kill(b.health().Browser.PID, syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	h := b.eventually("failure", func(h sandbox.Health) bool { return h.Phase == bridge.PhaseFailed })
	if !strings.Contains(strings.Join(h.Log, "\n"), "PrepareNewCrashReport failed") {
		t.Errorf("the crash handler was not stopped: %q", h.Log)
	}
	err := filepath.WalkDir(b.config.Dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".dmp") || strings.Contains(filepath.Base(path), "core") {
			t.Errorf("the crash left %s", path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func TestRunRefusesInvalidConfiguration(t *testing.T) {
	for name, spoil := range map[string]func(*guest.Config){
		"zero":       func(c *guest.Config) { *c = guest.Config{} },
		"box":        func(c *guest.Config) { c.Box = "../x" },
		"key":        func(c *guest.Config) { c.PublicKey = "AAAA" },
		"lease":      func(c *guest.Config) { c.Lease = 0 },
		"sockets":    func(c *guest.Config) { c.SocketDir = "" },
		"chromium":   func(c *guest.Config) { c.Chromium = "" },
		"display":    func(c *guest.Config) { c.Headless, c.Xvfb = false, "" },
		"deadline":   func(c *guest.Config) { c.LaunchTimeout = 0 },
		"log":        func(c *guest.Config) { c.Log = nil },
		"resolution": func(c *guest.Config) { c.Width = 1 << 20 },
	} {
		t.Run(name, func(t *testing.T) {
			b := prepare(t, nil)
			config := b.config
			spoil(&config)
			if err := guest.Run(testwait.Context(t), config); fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}
