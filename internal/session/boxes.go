package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// boxes makes and ends the boxes of sessions and of the warm pool, and knows
// which boxes somebody in this process looks after.
type boxes struct {
	config Config
	driver sandbox.Driver
	egress EgressProxy
	open   Opener
	page   engine.Options // what every page is opened with
	keeper *profileKeeper
	store  recordStore
	audit  auditor
	log    *slog.Logger

	mu      sync.Mutex
	claimed map[string]struct{} // guarded by mu
}

const (
	stopLimit  = 15 * time.Second // wall time to end a box
	proofLimit = 5 * time.Second  // wall time of a health report
)

// shape is what a box is made for.
type shape struct {
	width, height, dpi int
	headless           bool
	profile            string // id of the saved user data it starts with; a warm box has none
}

// stage is a box with its page open.
type stage struct {
	box      sandbox.Box
	browser  Browser
	restarts int // of the browser by its box; another number later is another browser
}

// make makes a box, opens its page and proves Chromium's sandbox. The caller
// destroys the box. When anything fails nothing of the box is left.
func (bs *boxes) make(ctx context.Context, spec sandbox.Spec, guard engine.Options) (s stage, err error) {
	if err := bs.claim(ctx, spec.ID, spec.Session); err != nil {
		return stage{}, err
	}
	defer func() {
		if err != nil {
			bs.destroy(ctx, spec.ID, s.browser)
		}
	}()
	if s.box, err = bs.driver.Start(ctx, spec); err != nil {
		return s, err
	}
	if s.browser, err = bs.openPage(ctx, s.box, guard); err != nil {
		return s, err
	}
	s.restarts, err = bs.proveSandbox(ctx, s.box)
	return s, err
}

// openPage opens a box's page. The browser is nil when that fails, also where the
// opener returns a nil pointer in the interface.
func (bs *boxes) openPage(ctx context.Context, box sandbox.Box, o engine.Options) (Browser, error) {
	o.Downloads, o.Uploads = box.Info().Downloads(), box.Info().Uploads()
	b, err := bs.open(ctx, box, o)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// claim notes that this process looks after a box, and stores that the box may
// exist, before it does.
func (bs *boxes) claim(ctx context.Context, box, session string) error {
	bs.mu.Lock()
	bs.claimed[box] = struct{}{}
	bs.mu.Unlock()
	err := bs.store.addBox(ctx, box, session)
	if err != nil {
		bs.unclaim(box)
	}
	return err
}

func (bs *boxes) unclaim(box string) {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	delete(bs.claimed, box)
}

// destroy ends a box, its page and its connections, also after ctx has ended. What
// cannot be removed now is tried again by reap.
func (bs *boxes) destroy(ctx context.Context, box string, browser Browser) {
	defer bs.unclaim(box)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	bs.egress.Close(box)
	if browser != nil {
		if err := browser.Close(); err != nil {
			bs.log.DebugContext(ctx, "cannot close a page", "box", box, "error", err)
		}
	}
	err := bs.driver.Stop(ctx, box)
	if err == nil {
		err = bs.store.removeBox(ctx, box)
	}
	if err != nil {
		bs.log.ErrorContext(ctx, "cannot end a box; it is tried again", "box", box, "error", err)
	}
}

// proveSandbox asks the box whether Chromium's own sandbox holds every renderer. It
// returns how often the box has started its browser again.
// Faults: sandbox_weak; not_active when the box does not answer.
func (bs *boxes) proveSandbox(ctx context.Context, box sandbox.Box) (restarts int, err error) {
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	health, err := box.Health(ctx)
	if err != nil {
		return 0, fmt.Errorf("cannot prove the sandbox: %w", err)
	}
	problem := weakness(health)
	if problem == "" {
		return health.Restarts, nil
	}
	if bs.config.AllowWeak {
		bs.log.WarnContext(ctx, "weak sandbox allowed by browser.sandbox.allow_weak_sandbox", "box", box.Info().ID, "problem", problem)
		bs.audit.boxEvent(box.Info().ID, "", "", "weak sandbox allowed by configuration: "+problem)
		return health.Restarts, nil
	}
	return 0, fault.New(fault.SandboxWeak, "Chromium's own sandbox does not hold: %s", problem).
		Hinted("run glovebox doctor; browser.sandbox.allow_weak_sandbox lets sessions run without, and the audit says so")
}

// weakness says what of Chromium's sandbox is not proven; nothing when all is.
func weakness(health sandbox.Health) string {
	if len(health.Renderers) == 0 {
		return "no renderer to look at"
	}
	for _, p := range health.Renderers {
		if !p.Sandboxed() {
			return fmt.Sprintf("renderer %d has %d seccomp filters, own user namespace %t, own network namespace %t, capabilities %s",
				p.PID, p.SeccompFilters, p.OwnUserNS, p.OwnNetNS, p.CapEff)
		}
	}
	return ""
}

// spec describes a box whose connections the egress proxy serves.
func (bs *boxes) spec(id string, s shape) sandbox.Spec {
	return sandbox.Spec{
		ID: id, Width: s.width, Height: s.height, DPI: s.dpi, Headless: s.headless,
		Profile:  bs.keeper.loader(s.profile),
		Egress:   bs.egressHandler(id),
		Progress: func(phase string) { bs.log.Debug("box", "box", id, "phase", phase) },
	}
}

func (bs *boxes) egressHandler(box string) func(net.Conn) {
	return func(conn net.Conn) { bs.egress.Handle(box, conn) }
}

func (bs *boxes) isClaimed(box string) bool {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	_, yes := bs.claimed[box]
	return yes
}

// reap ends boxes that are recorded and that nobody in this process looks after.
func (bs *boxes) reap(ctx context.Context) error {
	ids, err := bs.store.boxes(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, id := range ids {
		if !bs.isClaimed(id) {
			faults = append(faults, bs.discard(ctx, id))
		}
	}
	return errors.Join(faults...)
}

// discard ends a box that belongs to no session.
func (bs *boxes) discard(ctx context.Context, box string) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := bs.driver.Stop(ctx, box); err != nil {
		return fmt.Errorf("cannot end left-over box %s: %w", box, err)
	}
	bs.audit.boxEvent(box, "", "", "left-over box ended")
	return bs.store.removeBox(ctx, box)
}

// running returns the boxes the driver says are running, and every box it
// knows.
func (bs *boxes) running(ctx context.Context) (map[string]bool, []string) {
	infos, err := bs.driver.List(ctx)
	if err != nil {
		tryLater(ctx, bs.log, fmt.Errorf("cannot list the boxes of an earlier process: %w", err))
	}
	running := make(map[string]bool, len(infos))
	ids := make([]string, 0, len(infos))
	for _, info := range infos {
		running[info.ID] = info.State == "running"
		ids = append(ids, info.ID)
	}
	return running, ids
}

// options are what a page of that shape is opened with, without a guard.
func (bs *boxes) options(s shape) engine.Options {
	o := bs.page
	o.Width, o.Height, o.DPI, o.Headless = s.width, s.height, s.dpi, s.headless
	o.Keeps = s.profile != ""
	o.Guard, o.Owns, o.Refused = nil, nil, nil
	o.Downloads, o.Uploads, o.Files = "", "", nil
	return o
}

// optionsOf are options for a session of those terms.
func (bs *boxes) optionsOf(s shape, t terms) engine.Options {
	o := bs.options(s)
	o.Life, o.Emulate = t.Lives, t.Emulate.Value()
	return o
}
