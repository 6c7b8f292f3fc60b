// Package sandboxtest has the test suite that every driver passes, and a driver in
// memory for tests of other packages.
package sandboxtest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Phases are the phases of a Start of the fake, in order. Progress is called with each.
var Phases = []string{"create", "start", "display", "http", "handshake"}

// Engine holds boxes in memory. Several drivers can use one, like several gateways, and
// restarts of one gateway, use one Docker engine. It is safe for concurrent use.
type Engine struct {
	// Browser makes the browser of a box. nil is one that only answers
	// Browser.getVersion and Target.createTarget. Set it before the first Start.
	Browser func(spec sandbox.Spec) (Browser, error)

	mu       sync.Mutex
	boxes    map[string]*boxState
	failures map[string]error
	holds    map[string]chan struct{}
}

// Browser is the browser in a box of the fake.
type Browser interface {
	// Connect opens a connection. The engine has closed the previous one.
	Connect(ctx context.Context) (sandbox.Stream, error)
	// Close ends the browser.
	Close() error
}

// boxState is the state of one box, which outlives the driver that made it.
type boxState struct {
	instance   string
	info       sandbox.Info
	spec       sandbox.Spec
	browser    Browser
	egress     *egressTarget
	stream     *stream
	done       chan struct{}
	err        error
	assigned   bool
	restarts   int    // of its browser
	oomKills   int    // processes killed because memory ran out
	hasProfile bool   // was started with a profile
	profile    []byte // a tar
	input      []action.PersonInput
	releases   int               // of the input
	clipboard  map[string]string // by selection
	window     image.Rectangle   // the only one; empty until it is asked for
	thawed     chan struct{}     // closed when the box resumes; nil while it runs
	files      map[string][]byte // by the path of an upload or the id of a download
}

// NewEngine returns an engine without boxes.
func NewEngine() *Engine {
	return &Engine{boxes: map[string]*boxState{}, failures: map[string]error{}, holds: map[string]chan struct{}{}}
}

// FailAt makes each Start fail with err in a phase. A nil err ends that.
func (e *Engine) FailAt(phase string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failures[phase] = err
}

// HoldAt makes each Start wait in a phase until release is called.
func (e *Engine) HoldAt(phase string) (release func()) {
	released := make(chan struct{})
	e.mu.Lock()
	e.holds[phase] = released
	e.mu.Unlock()
	return sync.OnceFunc(func() {
		e.mu.Lock()
		if e.holds[phase] == released {
			delete(e.holds, phase)
		}
		e.mu.Unlock()
		close(released)
	})
}

// Kill ends a box from outside, like a crash. Done is closed, and the box stays in the
// list as exited until it is stopped, as drivers may do.
func (e *Engine) Kill(id string) {
	e.mu.Lock()
	m := e.boxes[id]
	e.mu.Unlock()
	if m != nil {
		e.endBox(m, fault.New(fault.NotActive, "the box was killed").Hinted("start a new one"))
	}
}

// Crash ends the browser of a box, which is restarted. short also counts a process
// that was killed because memory ran out.
func (e *Engine) Crash(id string, short bool) {
	e.mu.Lock()
	m := e.boxes[id]
	m.restarts++
	if short {
		m.oomKills++
	}
	stream := m.stream
	e.mu.Unlock()
	_ = stream.Close()
}

// OOMKill counts a process of a box that was killed because memory ran out.
func (e *Engine) OOMKill(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.boxes[id].oomKills++
}

// SetProfile replaces a box's profile with a tar, like the use of a browser does.
func (e *Engine) SetProfile(id string, profile []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.boxes[id].profile = profile
}

// Profile returns a box's profile.
func (e *Engine) Profile(id string) []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.boxes[id].profile
}

// Boxes returns the boxes of every instance, including those that were never started.
func (e *Engine) Boxes() []sandbox.Info { return e.list("") }

// AddUnstarted adds a box of an instance that was made but never started, as a gateway that
// is killed between the two leaves it.
func (e *Engine) AddUnstarted(instance, id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.boxes[id] = &boxState{instance: instance, done: make(chan struct{}), egress: &egressTarget{}, info: sandbox.Info{
		ID: id, Name: sandbox.BoxName("fake-", "", id), State: "created", Created: time.Now(),
	}}
}

func (e *Engine) list(instance string) []sandbox.Info {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []sandbox.Info
	for _, m := range e.boxes {
		if instance == "" || m.instance == instance {
			all = append(all, m.info)
		}
	}
	slices.SortFunc(all, func(a, b sandbox.Info) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// add adds a box with an unused id.
func (e *Engine) add(instance string, spec sandbox.Spec) (*boxState, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.boxes[spec.ID] != nil {
		return nil, fault.New(fault.StartFailed, "a box %s is there already", spec.ID).Hinted("use a fresh id")
	}
	m := &boxState{instance: instance, spec: spec, done: make(chan struct{}), egress: &egressTarget{}, assigned: spec.Scope != ""}
	m.egress.set(spec.Egress)
	m.info = sandbox.Info{
		ID: spec.ID, Name: sandbox.BoxName("fake-", sandbox.ScopeHash(spec.Scope), spec.ID), ScopeHash: sandbox.ScopeHash(spec.Scope),
		Session: spec.Session, State: "created", Egress: sandbox.EgressSealed, Created: time.Now(), Dir: "/tmp",
	}
	e.boxes[spec.ID] = m
	return m, nil
}

// runPhase runs one phase of a Start.
func (e *Engine) runPhase(ctx context.Context, phase string) error {
	e.mu.Lock()
	err, released := e.failures[phase], e.holds[phase]
	e.mu.Unlock()
	if err != nil {
		return err
	}
	if released != nil {
		select {
		case <-released:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("start ended at %s: %w", phase, ctx.Err())
	}
	return nil
}

// startBrowser starts the browser of a box.
func (e *Engine) startBrowser(m *boxState, spec sandbox.Spec) error {
	var profile bytes.Buffer
	if spec.Profile != nil {
		if err := spec.Profile(&profile); err != nil {
			return err
		}
	}
	var browser Browser = &fakeBrowser{egress: m.egress}
	if e.Browser != nil {
		made, err := e.Browser(spec)
		if err != nil {
			return err
		}
		browser = made
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m.browser = browser
	m.hasProfile, m.profile = spec.Profile != nil, profile.Bytes()
	m.info.State = "running"
	return nil
}

// endBox ends a box. Only the first call has an effect.
func (e *Engine) endBox(m *boxState, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m.err != nil {
		return
	}
	m.err = err
	m.info.State = "exited"
	if m.stream != nil {
		_ = m.stream.Close()
	}
	if m.browser != nil {
		_ = m.browser.Close()
	}
	close(m.done)
}

func (e *Engine) remove(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.boxes, id)
}

func (e *Engine) find(instance, id string) *boxState {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.boxes[id]
	if m == nil || m.instance != instance {
		return nil
	}
	return m
}
