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
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// How long programs have to end by themselves; together under 3 seconds.
const (
	browserGrace = 1500 * time.Millisecond
	displayGrace = 500 * time.Millisecond
)

// guest is one run. It implements bridge.Guest.
type guest struct {
	c        Config
	log      *lines
	children *children
	state    *state
	freezing sync.Mutex // one change between frozen and running at a time
	stopped  []int      // processes of a frozen box; guarded by freezing
}

// Run runs a guest until ctx ends or the process is told to (SIGTERM, SIGINT):
// nil then; or until no gateway answered within the lease, or the browser
// failed for good and the lease went by since, so that the gateway could ask
// why. Everything it started has ended when it returns. Faults:
// invalid_request for its configuration, not_active for the lease,
// start_failed for the browser.
func Run(ctx context.Context, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	verifier, err := bridge.NewVerifier(c.PublicKey, c.Box)
	if err != nil {
		return err
	}
	// A core would hold the memory of pages.
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
	g := &guest{c: c, log: &lines{}, children: newChildren(), state: newState()}
	return g.run(ctx, verifier, egress)
}

// run owns every goroutine of the guest.
func (g *guest) run(ctx context.Context, verifier *bridge.Verifier, egress net.Listener) error {
	ctx, unnotify := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer unnotify()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)

	reaped, done := make(chan struct{}), make(chan struct{})
	if g.c.Reap {
		go func() {
			defer close(reaped)
			g.children.reapUntil(done)
		}()
	} else {
		close(reaped)
	}
	assignment := bridge.NewAssignment(g.c.Boot)
	dialer := &bridge.Dialer{
		Dir: g.c.SocketDir, Assignment: assignment, Lease: g.c.Lease, Log: g.c.Log,
		Handler: bridge.NewEndpoint(verifier, assignment, g, g.c.folders()),
	}
	var wg sync.WaitGroup
	for _, part := range []func(context.Context) error{
		dialer.Run,
		g.supervise,
		func(ctx context.Context) error {
			return bridge.Forward(ctx, egress, filepath.Join(g.c.SocketDir, bridge.EgressSocket))
		},
	} {
		wg.Go(func() {
			if err := part(ctx); err != nil {
				end(err)
			}
		})
	}
	wg.Wait()
	close(done)
	<-reaped
	return why(context.Cause(ctx))
}

// why turns the reason of an end into what Run returns.
func why(cause error) error {
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

// supervise keeps a browser running, restarts it within bounds, and gives up.
func (g *guest) supervise(ctx context.Context) error {
	for {
		err := g.live(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if g.state.read().ending {
			return g.rest(ctx)
		}
		g.c.Log.Warn("the browser ended", "reason", err)
		g.log.add("guest: " + err.Error())
		if g.state.read().restarts >= g.c.RestartAttempts {
			return g.fail(ctx, err)
		}
		g.state.update(func(s *snapshot) {
			s.restarts++
			s.phase = bridge.PhaseStarting
		})
	}
}

// fail shows the failure for as long as a lease, so that the gateway can ask.
func (g *guest) fail(ctx context.Context, reason error) error {
	g.state.update(func(s *snapshot) { s.phase = bridge.PhaseFailed })
	timer := time.NewTimer(g.c.Lease)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-timer.C:
		return fault.New(fault.StartFailed, "the browser failed for good").
			Hinted("the log in the box's health says why").Because(reason)
	}
}

// live runs one display and one browser until either ends; both have ended
// when it returns why.
func (g *guest) live(ctx context.Context) error {
	name := ""
	died := make(<-chan struct{})
	if !g.c.Headless {
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
	return g.attend(ctx, b, died)
}

// attend carries the browser's messages until it, its display or ctx ends.
func (g *guest) attend(ctx context.Context, b *browser, displayDied <-chan struct{}) error {
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		b.pump()
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
	g.Thaw()  // what is stopped cannot end in order
	b.leave() // also: a client that takes nothing does not hold the pump
	g.letEnd(ctx, b)
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
