package engine_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// browsers keeps as many Chromiums as tests run at once. They start when they are
// first needed.
type browsers struct {
	mu   sync.Mutex
	all  []*chromium
	idle []*chromium
	held map[string]*loan // by the name of the test
	solo sync.Map         // names of tests that run alone
	full sync.Map         // names of tests that need a Chromium with windows
}

// alone keeps a test from running beside others, as one that measures memory must.
// It is called before the test starts a browser.
func alone(t *testing.T) { shared.solo.Store(t.Name(), true) }

// withWindows gives a test a Chromium with a browser's windows, where the tests of
// pages have one without, see testenv.PageChromiumPath. It is called before the
// test starts a browser.
func withWindows(t *testing.T) { shared.full.Store(t.Name(), true) }

type chromium struct {
	*browsertest.Chromium
	wire *wire
	full bool
}

// loan is the Chromium of a test, for the test and its parts.
type loan struct {
	chromium *chromium
	users    int
}

// take returns the Chromium of a test until it ends. The parts of a test have
// the same one. A test that has no part runs beside others.
func (b *browsers) take(t testing.TB) *wire {
	t.Helper()
	name, _, isPart := strings.Cut(t.Name(), "/")
	b.mu.Lock()
	h := b.held[name]
	b.mu.Unlock()
	_, solo := b.solo.Load(name)
	if test, ok := t.(*testing.T); ok && h == nil && !isPart && !solo {
		test.Parallel()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h == nil {
		_, full := b.full.Load(name)
		c, err := b.one(full && testenv.PageChromiumPath() != testenv.ChromiumPath())
		if err != nil {
			t.Fatal(err)
		}
		h = &loan{chromium: c}
		b.held[name] = h
	}
	h.users++
	t.Cleanup(func() { b.release(name) })
	return h.chromium.wire
}

// one returns an idle Chromium of a kind, or starts one. The tests that run at
// once, and no more, ask for one.
func (b *browsers) one(full bool) (*chromium, error) {
	if i := slices.IndexFunc(b.idle, func(c *chromium) bool { return c.full == full }); i >= 0 {
		c := b.idle[i]
		b.idle = slices.Delete(b.idle, i, i+1)
		return c, nil
	}
	start := browsertest.StartForPages
	if full {
		start = browsertest.Start
	}
	started, err := start("--site-per-process")
	if err != nil {
		return nil, err
	}
	c := &chromium{started, share(started.Transport()), full}
	b.all = append(b.all, c)
	return c, nil
}

func (b *browsers) release(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.held[name]
	if h.users--; h.users == 0 {
		delete(b.held, name)
		b.idle = append(b.idle, h.chromium)
	}
}

func (b *browsers) stop() {
	for _, c := range b.all {
		c.Stop()
		<-c.wire.over
	}
}
