package bridge

import (
	"context"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// BoxSet holds the boxes that a driver has started or attached to, and reserves the
// ids of those that it is still starting. Drivers run their goroutines through it, so
// that Close can wait for them. It is safe for concurrent use.
type BoxSet[B ConnectedBox] struct {
	ctx    context.Context // ends with the set
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	boxes   map[string]B
	pending map[string]*pendingBox
}

// ConnectedBox is a driver's box, usually a pointer to a struct with a BoxHandle.
type ConnectedBox interface {
	comparable
	Err() error
}

// pendingBox is a box that is being started or attached.
type pendingBox struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// NewBoxSet returns an empty set.
func NewBoxSet[B ConnectedBox]() *BoxSet[B] {
	ctx, cancel := context.WithCancel(context.Background())
	return &BoxSet[B]{ctx: ctx, cancel: cancel, boxes: map[string]B{}, pending: map[string]*pendingBox{}}
}

// Context returns a context that ends when the set is closed.
func (s *BoxSet[B]) Context() context.Context { return s.ctx }

// Go runs f in a goroutine for which Close waits.
func (s *BoxSet[B]) Go(f func()) { s.wg.Go(f) }

// Connect adds the box that connect returns. The context of connect also ends with
// CancelPending and Close. Faults: those of connect, start_failed when there is such a
// box already, not_active when the set is closed.
func (s *BoxSet[B]) Connect(ctx context.Context, id string, connect func(context.Context) (B, error)) (B, error) {
	var none B
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pendingBox{cancel: cancel, done: make(chan struct{})}
	if err := s.reserve(id, p); err != nil {
		return none, err
	}
	defer s.wg.Done()
	defer close(p.done)
	stop := context.AfterFunc(s.ctx, cancel)
	defer stop()
	b, err := connect(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
	if err != nil {
		return none, err
	}
	s.boxes[id] = b
	return b, nil
}

func (s *BoxSet[B]) reserve(id string, p *pendingBox) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return fault.New(fault.NotActive, "the gateway is ending").Hinted("start it again")
	}
	if b, found := s.boxes[id]; s.pending[id] != nil || found && b.Err() == nil {
		return BoxExists(id)
	}
	s.pending[id] = p
	s.wg.Add(1)
	return nil
}

// BoxExists returns the fault for an id that another box has.
func BoxExists(id string) *fault.Fault {
	return fault.New(fault.StartFailed, "box %s is there already", id).Hinted("use a fresh id")
}

// Get returns a box. It reports false when the set has no such box.
func (s *BoxSet[B]) Get(id string) (b B, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, found = s.boxes[id]
	return b, found
}

// Remove removes the box b, unless another has its id by now.
func (s *BoxSet[B]) Remove(id string, b B) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boxes[id] == b {
		delete(s.boxes, id)
	}
}

// CancelPending cancels a pending Connect and waits for it. Its error is ctx's.
func (s *BoxSet[B]) CancelPending(ctx context.Context, id string) error {
	s.mu.Lock()
	p := s.pending[id]
	s.mu.Unlock()
	if p == nil {
		return nil
	}
	p.cancel()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the context of the set, and waits for pending boxes and goroutines.
func (s *BoxSet[B]) Close() {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.wg.Wait()
}
