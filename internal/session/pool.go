package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	firstRest = time.Second // wait after a failure to make a warm box
	lastRest  = time.Minute // limit of the wait, which doubles after each failure
)

// pool keeps warm boxes, whose page shows about:blank. A box that was taken never
// comes back.
type pool struct {
	config Config
	boxes  *boxes
	audit  auditor
	log    *slog.Logger
	shape  shape
	want   chan struct{} // signals that the number of boxes may have to change

	wanted chan struct{} // closed at the first request for a session
	first  sync.Once

	mu    sync.Mutex
	ready []*warm // oldest first
}

// warm is a box that waits for a session.
type warm struct {
	stage
	taken chan struct{}
}

func newPool(config Config, bs *boxes, audit auditor, log *slog.Logger) *pool {
	return &pool{
		config: config, boxes: bs, audit: audit, log: log, want: make(chan struct{}, 1), wanted: make(chan struct{}),
		shape: shape{width: config.Width, height: config.Height, dpi: config.DPI},
	}
}

// take returns a ready box of this shape; nil if there is none. The caller must
// destroy it.
func (p *pool) take(s shape) *stage {
	p.first.Do(func() { close(p.wanted) })
	if s != p.shape {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range p.ready {
		if w.alive() { // watchers remove dead ones
			p.ready = append(p.ready[:i:i], p.ready[i+1:]...)
			close(w.taken)
			p.ask()
			return &w.stage
		}
	}
	return nil
}

func (s stage) alive() bool {
	select {
	case <-s.box.Done():
		return false
	case <-s.browser.Done():
		return false
	default:
		return true
	}
}

func (p *pool) ask() {
	select {
	case p.want <- struct{}{}:
	default: // already signalled
	}
}

// run keeps the configured number of boxes ready until ctx ends; then it ends
// them.
func (p *pool) run(ctx context.Context) {
	var watchers sync.WaitGroup
	defer watchers.Wait()
	if p.config.ColdStart {
		wait(ctx, p.wanted, nil)
	}
	rest := firstRest
	for ctx.Err() == nil {
		if p.size() >= p.config.WarmPool {
			rest = firstRest
			wait(ctx, p.want, nil)
			continue
		}
		w, err := p.make(ctx)
		if err != nil {
			p.complain(ctx, err, rest)
			pause := time.NewTimer(rest)
			wait(ctx, nil, pause.C) // meanwhile new sessions get cold boxes
			pause.Stop()
			rest = min(2*rest, lastRest)
			continue
		}
		rest = firstRest
		p.mu.Lock()
		p.ready = append(p.ready, w)
		p.mu.Unlock()
		watchers.Go(func() { p.watch(ctx, w) })
		p.audit.boxEvent(w.box.Info().ID, "", "", "warm box is ready")
	}
}

func wait(ctx context.Context, asked <-chan struct{}, after <-chan time.Time) {
	select {
	case <-ctx.Done():
	case <-asked:
	case <-after:
	}
}

func (p *pool) complain(ctx context.Context, err error, rest time.Duration) {
	if ctx.Err() == nil {
		p.log.WarnContext(ctx, "cannot make a warm box", "error", err, "hint", fault.From(err).Hint, "again_in", rest)
	}
}

func (p *pool) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ready)
}

func (p *pool) make(ctx context.Context) (*warm, error) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartTimeout)
	defer cancel()
	o := p.boxes.options(p.shape)
	o.Guard = func(string) error { return fault.New(fault.BlockedDomain, "a warm box may not load anything") }
	s, err := p.boxes.make(ctx, p.boxes.spec(sandbox.NewID(), p.shape), o)
	if err != nil {
		return nil, err
	}
	return &warm{stage: s, taken: make(chan struct{})}, nil
}

// watch ends a warm box when it dies, or when ctx ends, unless it was taken.
func (p *pool) watch(ctx context.Context, w *warm) {
	select {
	case <-w.taken:
		return
	case <-w.box.Done():
	case <-w.browser.Done():
	case <-ctx.Done():
	}
	if p.drop(w) {
		p.boxes.destroy(ctx, w.box.Info().ID, w.browser)
		p.ask()
	}
}

// drop removes w from the pool; false if a session has it.
func (p *pool) drop(w *warm) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.ready {
		if other == w {
			p.ready = append(p.ready[:i:i], p.ready[i+1:]...)
			return true
		}
	}
	return false
}
