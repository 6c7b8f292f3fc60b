package guest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Time for the programs to exit after SIGTERM; together under 3 seconds.
const (
	browserGrace = 1500 * time.Millisecond
	displayGrace = 500 * time.Millisecond
)

// guest is a running guest. It implements bridge.Guest.
type guest struct {
	config   Config
	log      *logTail
	children *children
	state    *state
	freezing sync.Mutex   // serialises Freeze and Thaw
	stopped  []int        // processes that Freeze stopped; guarded by freezing
	videos   atomic.Int32 // that run
	desktop  desktop
}

// Run runs a guest until ctx ends or the process gets SIGTERM or SIGINT, and then
// returns nil. It also ends when no gateway has answered within the lease, and one
// lease after the browser has failed for good, which gives the gateway time to ask
// for the reason. Everything that it started has ended when it returns. Faults:
// invalid_request for the configuration, not_active for the lease, start_failed
// for the browser.
func Run(ctx context.Context, c Config) error {
	if err := c.validate(); err != nil {
		return err
	}
	verifier, err := bridge.NewVerifier(c.PublicKey, c.Box)
	if err != nil {
		return err
	}
	// A core dump would contain the memory of pages.
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fault.New(fault.StartFailed, "core dumps cannot be switched off").
			Hinted("run the guest where setrlimit is allowed").Because(err)
	}
	egress, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.ProxyPort)))
	if err != nil {
		return fault.New(fault.StartFailed, "the browser's way out cannot be opened").
			Hinted("loopback must be up in the box and port %d free", c.ProxyPort).Because(err)
	}
	c.ProxyPort = egress.Addr().(*net.TCPAddr).Port
	g := &guest{config: c, log: &logTail{}, children: newChildren(), state: newState()}
	return g.run(ctx, verifier, egress)
}

// run starts and waits for every goroutine of the guest.
func (g *guest) run(ctx context.Context, verifier *bridge.Verifier, egress net.Listener) error {
	ctx, stopSignals := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stopSignals()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	reaped, done := make(chan struct{}), make(chan struct{})
	if g.config.Reap {
		go func() {
			defer close(reaped)
			g.children.reapUntil(done)
		}()
	} else {
		close(reaped)
	}
	assignment := bridge.NewAssignment(g.config.Boot)
	dialer := &bridge.Dialer{
		Dir: g.config.SocketDir, Assignment: assignment, Lease: g.config.Lease, Log: g.config.Log,
		Handler: bridge.NewEndpoint(verifier, assignment, g, g.config.folders()),
	}
	var wg sync.WaitGroup
	for _, part := range []func(context.Context) error{
		dialer.Run,
		g.supervise,
		func(ctx context.Context) error {
			return bridge.Forward(ctx, egress, filepath.Join(g.config.SocketDir, bridge.EgressSocket))
		},
	} {
		wg.Go(func() {
			if err := part(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	close(done)
	<-reaped
	return runFault(context.Cause(ctx))
}

// runFault returns the result of Run for the reason it ended.
func runFault(cause error) error {
	var f *fault.Fault
	switch {
	case errors.Is(cause, bridge.ErrLease):
		return fault.New(fault.NotActive, "no gateway answered within the lease").
			Hinted("the gateway starts another box when it needs one").Because(cause)
	case errors.As(cause, &f):
		return f
	case errors.Is(cause, context.Canceled), errors.Is(cause, context.DeadlineExceeded):
		return nil
	}
	return fault.New(fault.StartFailed, "the guest broke").
		Hinted("the guest's log says where").Because(cause)
}

// supervise keeps a browser running. It restarts it a limited number of times.
func (g *guest) supervise(ctx context.Context) error {
	for {
		err := g.runBrowser(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if g.state.read().closing {
			return g.waitForStop(ctx)
		}
		g.config.Log.Warn("the browser ended", "reason", err)
		g.log.add("guest: " + err.Error())
		if g.state.read().restarts >= g.config.RestartAttempts {
			return g.reportFailure(ctx, err)
		}
		g.state.update(func(s *snapshot) {
			s.restarts++
			s.phase = bridge.PhaseStarting
		})
	}
}

// reportFailure reports the failure in the box's health for one lease, so that the gateway
// can read it.
func (g *guest) reportFailure(ctx context.Context, reason error) error {
	g.state.update(func(s *snapshot) { s.phase = bridge.PhaseFailed })
	timer := time.NewTimer(g.config.Lease)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-timer.C:
		return fault.New(fault.StartFailed, "the browser failed for good").
			Hinted("the log in the box's health says why").Because(reason)
	}
}

// runBrowser runs a display and a browser until either ends, and returns the reason when
// both have ended.
func (g *guest) runBrowser(ctx context.Context) error {
	name := ""
	died := make(<-chan struct{})
	if !g.config.Headless {
		display, at, err := g.startDisplay(ctx)
		if err != nil {
			g.state.update(func(s *snapshot) { s.display = sandbox.Process{Exit: err.Error()} })
			return err
		}
		name, died = at, display.done
		g.state.update(func(s *snapshot) {
			s.display, s.displayUp, s.screen = sandbox.Process{Running: true, PID: display.pid}, true, at
		})
		defer func() {
			g.closeDesktop()
			display.stop(displayGrace)
			g.state.update(func(s *snapshot) {
				s.display, s.displayUp, s.screen = sandbox.Process{Exit: display.exit}, false, ""
			})
		}()
	}
	b, err := g.launch(ctx, name)
	if err != nil {
		g.state.update(func(s *snapshot) { s.process = sandbox.Process{Exit: err.Error()} })
		return err
	}
	g.state.update(func(s *snapshot) { s.browser, s.phase = b, bridge.PhaseReady })
	return g.serveBrowser(ctx, b, died)
}

// serveBrowser forwards the browser's messages until it, its display or ctx ends.
func (g *guest) serveBrowser(ctx context.Context, b *browser, displayDied <-chan struct{}) error {
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		b.forwardToClient()
	}()
	reason := ""
	select {
	case <-b.process.done:
	case <-displayDied:
		reason = "the display died"
	case <-pumped:
	case <-ctx.Done():
	}
	g.state.update(func(s *snapshot) { s.browser, s.phase = nil, bridge.PhaseStarting })
	g.Thaw()             // a stopped process cannot exit
	b.disconnectClient() // also ends a write to a client that reads nothing, which blocks forwardToClient
	g.awaitExit(ctx, b)
	b.process.stop(browserGrace)
	b.close()
	<-pumped
	exit := "the browser " + b.process.exit
	if reason != "" {
		exit = fmt.Sprintf("%s, then %s", reason, exit)
	}
	g.state.update(func(s *snapshot) { s.process = sandbox.Process{Exit: exit} })
	return errors.New(exit)
}
