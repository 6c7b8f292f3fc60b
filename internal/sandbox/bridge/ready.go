package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Time limits of the readiness phases. A guest gives up waiting for the display
// after 10 s and reports that.
const (
	guestTimeout     = 15 * time.Second // until the guest has dialled
	profileTimeout   = 20 * time.Second // until the guest has unpacked 64 MiB
	displayTimeout   = 12 * time.Second // until the X socket answers
	httpTimeout      = 12 * time.Second // until /json/version answers
	handshakeTimeout = 8 * time.Second  // until a WebSocket answers Browser.getVersion
	reportTimeout    = 2 * time.Second  // for the health report after a phase failed
)

// Names of the phases in faults.
const (
	NotReadyGuest     = "guest_not_ready"
	NotReadyProfile   = "profile_not_ready"
	NotReadyDisplay   = "display_not_ready"
	NotReadyHTTP      = "cdp_not_ready:http"
	NotReadyHandshake = "cdp_not_ready:handshake"
)

// handshakeID is the id of the call that tests the connection: near the largest
// id that the protocol allows (a 32 bit integer), which no client uses first.
const handshakeID = 1<<31 - 2

const maxFaultLines = 10 // of the log, in a fault

// WaitReady waits until the browser answers calls: the guest has connected, the
// display works, /json/version names a WebSocket, and that WebSocket answers. Each
// phase has its own time limit. WaitReady calls progress, which may be nil, when
// a phase begins. Faults: start_failed, with the message
// "sandbox_browser_launch_failed: <phase>; process …; log: …".
func (l *Link) WaitReady(ctx context.Context, progress func(phase string)) error {
	if progress == nil {
		progress = func(string) {}
	}
	phases := []struct {
		tell, name string
		limit      time.Duration
		pass       func(context.Context) error
	}{
		{"waiting for the guest", NotReadyGuest, guestTimeout, l.Connected},
		{"unpacking the profile", NotReadyProfile, profileTimeout, l.sendProfile},
		{"waiting for the display", NotReadyDisplay, displayTimeout, l.displayReady},
		{"waiting for the browser", NotReadyHTTP, httpTimeout, l.httpReady},
		{"waiting for the first answer", NotReadyHandshake, handshakeTimeout, l.handshakeReady},
	}
	for _, p := range phases {
		if l.options.Headless && p.name == NotReadyDisplay || l.options.Profile == nil && p.name == NotReadyProfile {
			continue
		}
		progress(p.tell)
		if err := withTimeout(ctx, p.limit, p.pass); err != nil {
			if own := fault.CodeOf(err); p.name == NotReadyProfile && own != fault.Internal && own != fault.CDPError {
				return err // about the profile and not the box
			}
			return l.startFault(ctx, p.name, err)
		}
	}
	return nil
}

func withTimeout(ctx context.Context, limit time.Duration, pass func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return pass(ctx)
}

func (l *Link) displayReady(ctx context.Context) error {
	return l.call(ctx, http.MethodGet, "/display", nil, nil)
}

func (l *Link) httpReady(ctx context.Context) error {
	var v Version
	if err := l.call(ctx, http.MethodGet, "/json/version", nil, &v); err != nil {
		return err
	}
	if !strings.HasPrefix(v.URL, "ws://") {
		return errors.New("/json/version names no WebSocket")
	}
	return nil
}

func (l *Link) handshakeReady(ctx context.Context) error {
	s, err := l.CDP(ctx)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer func() {
		stop()
		_ = s.Close()
	}()
	call := fmt.Sprintf(`{"id":%d,"method":"Browser.getVersion"}`, handshakeID)
	if err := s.Write([]byte(call)); err != nil {
		return err
	}
	for {
		data, err := s.Read()
		if err != nil {
			return err
		}
		var answer struct {
			ID     int64
			Result struct{ Product string }
		}
		if err := json.Unmarshal(data, &answer); err != nil {
			return fmt.Errorf("malformed answer: %w", err)
		}
		if answer.ID == handshakeID {
			if answer.Result.Product == "" {
				return errors.New("Browser.getVersion names no product")
			}
			return nil
		}
	}
}

// startFault returns the fault for a phase that failed, with the guest's report.
func (l *Link) startFault(ctx context.Context, phase string, cause error) error {
	hint := "glovebox doctor looks for what is missing; the log says what the browser said last"
	if ctx.Err() != nil {
		cause = errors.Join(ctx.Err(), cause)
	}
	l.mu.Lock()
	connected := l.current != nil
	l.mu.Unlock()
	f := fault.New(fault.StartFailed, "sandbox_browser_launch_failed: %s; process unknown; log: none", phase)
	if connected {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTimeout)
		defer cancel()
		if h, err := l.Health(ctx); err == nil {
			f = fault.New(fault.StartFailed, "sandbox_browser_launch_failed: %s; process %s; log: %s",
				phase, describeProcesses(h, l.options.Headless), joinLastLines(h.Log))
		}
	}
	return f.Hinted("%s", hint).With("phase", phase).Because(cause)
}

func describeProcesses(h sandbox.Health, headless bool) string {
	browser := "browser " + describeProcess(h.Browser)
	if headless {
		return browser
	}
	return browser + ", display " + describeProcess(h.Display)
}

func describeProcess(p sandbox.Process) string {
	switch {
	case p.Running:
		return fmt.Sprintf("running (pid %d)", p.PID)
	case p.Exit != "":
		return "ended: " + p.Exit
	}
	return "not started"
}

func joinLastLines(log []string) string {
	if len(log) == 0 {
		return "none"
	}
	return strings.Join(log[max(0, len(log)-maxFaultLines):], " | ")
}
