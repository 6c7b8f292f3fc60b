package sandboxtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// began is before any box was made.
var began = time.Now()

// Spec returns a valid Spec for a box of a scope with session "s1", or for a warm box
// when scope is empty. Its egress closes every connection.
func Spec(scope string) sandbox.Spec {
	spec := sandbox.Spec{
		ID: sandbox.NewID(), Scope: scope, Width: 1024, Height: 768, DPI: 96,
		Egress: func(c net.Conn) { _ = c.Close() },
	}
	if scope != "" {
		spec.Session = "s1"
	}
	return spec
}

// start starts a box. The caller stops it, or the driver's test at its end.
func start(t *testing.T, driver sandbox.Driver, spec sandbox.Spec) sandbox.Box {
	t.Helper()
	box, err := driver.Start(testwait.Context(t), spec)
	if err != nil {
		t.Fatalf("cannot start a box: %v", err)
	}
	return box
}

func stop(t *testing.T, driver sandbox.Driver, id string) {
	t.Helper()
	if err := driver.Stop(testwait.Context(t), id); err != nil {
		t.Fatalf("cannot stop: %v", err)
	}
}

func list(t *testing.T, driver sandbox.Driver) []sandbox.Info {
	t.Helper()
	all, err := driver.List(testwait.Context(t))
	if err != nil {
		t.Fatalf("cannot list: %v", err)
	}
	return all
}

func wantEmpty(t *testing.T, driver sandbox.Driver) {
	t.Helper()
	if left := list(t, driver); len(left) > 0 {
		t.Errorf("boxes are left: %+v", left)
	}
}

func wantInfo(t *testing.T, got sandbox.Info, spec sandbox.Spec) {
	t.Helper()
	if got.ID != spec.ID || got.ScopeHash != sandbox.ScopeHash(spec.Scope) || got.Session != spec.Session {
		t.Errorf("the box is %+v, want id %s, scope hash %q, session %q",
			got, spec.ID, sandbox.ScopeHash(spec.Scope), spec.Session)
	}
	if len(got.Name) > 63 || !strings.HasSuffix(got.Name, "-"+spec.ID) || !strings.Contains(got.Name, got.ScopeHash) {
		t.Errorf("the name %q does not contain scope hash and id within 63 characters", got.Name)
	}
	if got.Egress != sandbox.EgressSealed && got.Egress != sandbox.EgressBestEffort {
		t.Errorf("unknown egress %q", got.Egress)
	}
	if got.Created.Before(began.Add(-time.Minute)) || got.Created.After(time.Now().Add(time.Minute)) {
		t.Errorf("made at %s", got.Created)
	}
}

// waitEnded waits until a box has ended.
func waitEnded(t *testing.T, box sandbox.Box) {
	t.Helper()
	select {
	case <-box.Done():
	case <-testwait.Context(t).Done():
		t.Fatal("the box does not end")
	}
	if box.Err() == nil {
		t.Error("an ended box has no error")
	}
}

func connect(t *testing.T, box sandbox.Box) sandbox.Stream {
	t.Helper()
	stream, err := box.CDP(testwait.Context(t))
	if err != nil {
		t.Fatalf("cannot connect to the browser: %v", err)
	}
	t.Cleanup(func() { _ = stream.Close() })
	return stream
}

// waitClosed waits until reading from a stream fails.
func waitClosed(t *testing.T, stream sandbox.Stream) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			if _, err := stream.Read(); err != nil {
				return
			}
		}
	}()
	select {
	case <-over:
	case <-testwait.Context(t).Done():
		t.Error("the connection does not end")
		_ = stream.Close()
		<-over
	}
}

// call calls a CDP method and decodes its result.
func call(t *testing.T, stream sandbox.Stream, id int, method string, params, result any) {
	t.Helper()
	message, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	unblock := context.AfterFunc(testwait.Context(t), func() { _ = stream.Close() })
	defer unblock()
	if err := stream.Write(message); err != nil {
		t.Fatalf("%s: cannot write: %v", method, err)
	}
	for {
		data, err := stream.Read()
		if err != nil {
			t.Fatalf("%s: cannot read: %v", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			t.Fatalf("%s: %v in %.200q", method, err, data)
		}
		if answer.ID != id {
			continue
		}
		if answer.Error != nil {
			t.Fatalf("%s: %s", method, answer.Error.Message)
		}
		if err := json.Unmarshal(answer.Result, result); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		return
	}
}

// wantVersion checks that the browser returns its version.
func wantVersion(t *testing.T, stream sandbox.Stream) {
	t.Helper()
	var v struct{ Product string }
	call(t, stream, 71, "Browser.getVersion", struct{}{}, &v)
	if v.Product == "" {
		t.Error("the browser returned no version")
	}
}

// openTab opens a tab with an address.
func openTab(t *testing.T, stream sandbox.Stream, address string) {
	t.Helper()
	var v struct{ TargetID string }
	call(t, stream, 72, "Target.createTarget", map[string]any{"url": address}, &v)
	if v.TargetID == "" {
		t.Error("the browser opened nothing")
	}
}

// egressLog records the first line of each connection.
type egressLog struct {
	mu      sync.Mutex
	lines   []string
	changed chan struct{}
}

func newEgressLog() *egressLog { return &egressLog{changed: make(chan struct{}, 1)} }

// serve records a connection and answers it with 403.
func (l *egressLog) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	l.mu.Lock()
	l.lines = append(l.lines, strings.TrimSpace(line))
	l.mu.Unlock()
	select {
	case l.changed <- struct{}{}:
	default:
	}
	_, _ = fmt.Fprint(conn, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

// wait waits for a connection that begins with line. The browser makes other
// connections too.
func (l *egressLog) wait(t *testing.T, line string) {
	t.Helper()
	ctx := testwait.Context(t)
	for {
		l.mu.Lock()
		lines := strings.Join(l.lines, "\n")
		l.mu.Unlock()
		if strings.Contains(lines, line) {
			return
		}
		select {
		case <-l.changed:
		case <-ctx.Done():
			t.Fatalf("no connection began with %q, only %q", line, lines)
		}
	}
}
