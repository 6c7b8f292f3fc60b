package bridge

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const longLease = 30 * time.Minute

func TestMessagesOfEverySizePass(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	s := r.stream(l)
	for _, n := range []int{1, 1 << 10, 300 << 10, 8 << 20} {
		wantEcho(t, s, strings.Repeat("é", n/2)+"x")
	}
	if l.Err() != nil {
		t.Errorf("a living link has ended: %v", l.Err())
	}
}

func TestConnectionOutlivesItsToken(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	s := r.stream(l)
	wantEcho(t, s, "before")
	later := time.Now().Add(5 * time.Minute)
	r.verifier.mu.Lock() // so that the next request sees the new time
	r.verifier.now = func() time.Time { return later }
	r.verifier.mu.Unlock()
	wantEcho(t, s, "after")
	if _, err := l.Health(r.context()); err == nil {
		t.Error("a token of five minutes ago is still valid")
	}
}

func TestBoxIsAssignedOnce(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	if err := l.Assign(r.context(), "", "s"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("no scope: %v", err)
	}
	if err := l.Assign(r.context(), "alice", "../s"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("malformed session: %v", err)
	}
	if err := l.Assign(r.context(), "alice", "s-1"); err != nil {
		t.Fatal(err)
	}
	if l.ScopeHash() != sandbox.ScopeHash("alice") || l.Session() != "s-1" {
		t.Errorf("assigned to %q %q", l.ScopeHash(), l.Session())
	}
	if err := l.Assign(r.context(), "bob", "s-2"); fault.CodeOf(err) != fault.AlreadyActive {
		t.Errorf("second assignment: %v", err)
	}
	if _, err := l.Health(r.context()); err != nil {
		t.Errorf("after the assignment: %v", err)
	}
	// A gateway with the wrong scope of the box is refused.
	for _, scope := range []string{"", sandbox.ScopeHash("bob")} {
		l.mu.Lock()
		l.scope = scope
		l.mu.Unlock()
		if _, err := l.Health(r.context()); fault.CodeOf(err) != fault.CDPError {
			t.Errorf("a token of scope %q: %v", scope, err)
		}
	}
}

func TestGuestRefusesASecondAssignment(t *testing.T) {
	a := NewAssignment(Boot{Box: sandbox.NewID()})
	if !a.assign("0123456789abcdef", "s") || a.assign("fedcba9876543210", "t") {
		t.Error("assigned twice or not at all")
	}
	if h := a.hello(); h.Scope != "0123456789abcdef" || h.Session != "s" {
		t.Errorf("hello %+v", h)
	}
}

func TestGuestReconnectsToTheNextGateway(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	if err := l.Assign(r.context(), "alice", "s-1"); err != nil {
		t.Fatal(err)
	}
	s := r.stream(l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(); err == nil {
		t.Error("a stream outlives its link")
	}
	if _, err := l.Health(r.context()); !errors.Is(err, errClosed) {
		t.Errorf("a closed link: %v", err)
	}
	next := r.listen(func(o *LinkOptions) { o.Adopt = true })
	if err := next.Connected(r.context()); err != nil {
		t.Fatal(err)
	}
	if next.ScopeHash() != sandbox.ScopeHash("alice") || next.Session() != "s-1" {
		t.Errorf("adopted %q %q", next.ScopeHash(), next.Session())
	}
	wantEcho(t, r.stream(next), "hello again")
}

func TestGatewayWithAnotherKeyIsRefused(t *testing.T) {
	r := newTestBox(t, longLease)
	other, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	l := r.listen(func(o *LinkOptions) { o.Key = other })
	r.dial()
	err = l.Assign(r.context(), "mallory", "s")
	if fault.CodeOf(err) != fault.CDPError || !strings.Contains(err.Error(), "bridge_unauthorized") {
		t.Errorf("got %v", err)
	}
	if h := r.dialer.Assignment.hello(); h.Scope != "" {
		t.Error("the box was assigned")
	}
}

func TestLinkEndsWhenItsGuestStaysDisconnected(t *testing.T) {
	r := newTestBox(t, 300*time.Millisecond)
	l := r.listen(nil)
	r.dial()
	_ = l.Connected(r.context()) // on a busy machine the guest may miss the lease already
	r.cancel()
	testwait.Receive(t, l.Done(), "the end of the link")
	if fault.CodeOf(l.Err()) != fault.NotActive {
		t.Errorf("Err %v", l.Err())
	}
}

func TestGuestEndsAfterTheLease(t *testing.T) {
	for name, gateway := range map[string]func(*testing.T, *testBox){
		"nobody listens": func(*testing.T, *testBox) {},
		"a gateway that hangs": func(t *testing.T, r *testBox) {
			// The kernel accepts the connection, and no ping is answered.
			bridge, egress, err := listenSockets(r.dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = bridge.Close(), egress.Close() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestBox(t, 300*time.Millisecond)
			gateway(t, r)
			r.dial()
			if err := testwait.Receive(t, r.ended, "the end of the guest"); !errors.Is(err, ErrLease) {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

func TestCancelledGuestReturnsNoError(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	s := r.stream(l)
	r.cancel()
	if err := <-r.ended; err != nil {
		t.Errorf("Run returned %v", err)
	}
	if _, err := s.Read(); err == nil {
		t.Error("the stream outlives the guest")
	}
}

func TestListenReplacesStaleSocketsOnly(t *testing.T) {
	r := newTestBox(t, longLease)
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(makeDir(t, r.dir), BridgeSocket)})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false) // like after a killed gateway
	_ = stale.Close()
	r.listen(nil)
	r.dial()

	other := newTestBox(t, longLease)
	path := filepath.Join(makeDir(t, other.dir), EgressSocket)
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Listen(LinkOptions{Dir: other.dir, Box: other.boot.Box, Key: other.key, Lease: longLease})
	if fault.CodeOf(err) != fault.Internal {
		t.Errorf("Listen: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "precious" {
		t.Errorf("the file was touched: %q, %v", text, err)
	}
}

func makeDir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestListenRefusesInvalidOptions(t *testing.T) {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	whole := LinkOptions{Dir: t.TempDir(), Box: sandbox.NewID(), Key: key, Lease: longLease}
	for name, spoil := range map[string]func(*LinkOptions){
		"box": func(o *LinkOptions) { o.Box = "" }, "key": func(o *LinkOptions) { o.Key = nil },
		"lease": func(o *LinkOptions) { o.Lease = 0 }, "scope": func(o *LinkOptions) { o.ScopeHash = "alice" },
	} {
		o := whole
		spoil(&o)
		if _, err := Listen(o); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestReadinessNamesThePhaseThatFailed(t *testing.T) {
	r := newTestBox(t, longLease)
	ctx, cancel := context.WithCancel(r.context())
	defer cancel()
	r.guest.ignored = cancel
	r.guest.health = sandbox.Health{Phase: PhaseStarting, Log: []string{"one\x1b[2J", "two"}}
	l := r.listen(nil)
	r.dial()
	var told []string
	if err := l.WaitReady(r.context(), func(p string) { told = append(told, p) }); err != nil {
		t.Fatal(err)
	}
	if len(told) != 4 {
		t.Errorf("phases %q", told)
	}
	r.guest.noScreen.Store(true)
	err := l.WaitReady(r.context(), nil)
	want := "sandbox_browser_launch_failed: display_not_ready; process browser not started, display not started; log: one [2J | two"
	if f := fault.From(err); f.Code != fault.StartFailed || f.Message != want {
		t.Errorf("got %v", err)
	}
	r.guest.noScreen.Store(false)
	r.guest.silent.Store(true)
	err = l.WaitReady(ctx, nil)
	if f := fault.From(err); f.Details["phase"] != NotReadyHandshake || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
