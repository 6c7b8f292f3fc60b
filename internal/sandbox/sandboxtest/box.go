package sandboxtest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// box is a driver's connection to a box.
type box struct {
	engine *Engine
	state  *boxState
}

func (b *box) Info() sandbox.Info {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	return b.state.info
}

func (b *box) Assign(_ context.Context, scope, session string) error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	m := b.state
	switch {
	case m.err != nil:
		return m.err
	case scope == "" || session == "":
		return fault.New(fault.InvalidRequest, "a box is assigned to a scope and a session").Hinted("give both")
	case m.assigned:
		return fault.New(fault.AlreadyActive, "the box is assigned already").Hinted("take another box")
	}
	m.assigned = true
	m.info.ScopeHash, m.info.Session = sandbox.ScopeHash(scope), session
	m.info.Name = sandbox.BoxName("fake-", m.info.ScopeHash, m.info.ID)
	return nil
}

func (b *box) CDP(ctx context.Context) (sandbox.Stream, error) {
	b.engine.mu.Lock()
	m := b.state
	before, browser, ended := m.stream, m.browser, m.err
	b.engine.mu.Unlock()
	if ended != nil {
		return nil, ended
	}
	if before != nil {
		_ = before.Close()
	}
	connected, err := browser.Connect(ctx)
	if err != nil {
		return nil, err
	}
	opened := &stream{Stream: connected, engine: b.engine, state: m}
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if m.err != nil {
		_ = opened.Close()
		return nil, m.err
	}
	m.stream = opened
	m.thaw()
	return opened, nil
}

func (b *box) Health(context.Context) (sandbox.Health, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.state.err != nil {
		return sandbox.Health{}, b.state.err
	}
	return sandbox.Health{
		Frozen: b.state.thawed != nil, Phase: "ready", Restarts: b.state.restarts, OOMKills: b.state.oomKills,
		Browser: sandbox.Process{Running: true, PID: 7},
		Display: sandbox.Process{Running: true, PID: 6}, Screen: ":0",
		Renderers: []sandbox.Renderer{{
			PID: 8, SeccompFilters: 2, OwnUserNS: true, OwnNetNS: true, CapEff: "0000000000000000",
		}},
		Log:   []string{"the browser started"},
		Since: b.state.info.Created.Truncate(time.Second),
	}, nil
}

// Profile returns the profile that the box was started with, or that Engine.SetProfile set.
func (b *box) Profile(context.Context) (io.ReadCloser, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	switch m := b.state; {
	case m.err != nil:
		return nil, m.err
	case !m.hasProfile:
		return nil, fault.New(fault.InvalidRequest, "the box keeps no profile").Hinted("start one with a profile")
	default:
		if m.stream != nil {
			_ = m.stream.Close() // the browser exits
		}
		return io.NopCloser(bytes.NewReader(m.profile)), nil
	}
}

func (b *box) Done() <-chan struct{} { return b.state.done }

func (b *box) Err() error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	return b.state.err
}

// Put stores a file in memory (sandbox.Box).
func (b *box) Put(_ context.Context, name string, content []byte) (string, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.state.err != nil {
		return "", b.state.err
	}
	if strings.ContainsAny(name, "/\x00") || name == "" || name == "." || name == ".." {
		return "", fault.New(fault.InvalidRequest, "the file has no plain name").Hinted("give one")
	}
	path := b.state.info.Uploads() + "/" + sandbox.NewID() + "/" + name
	if b.state.files == nil {
		b.state.files = map[string][]byte{}
	}
	b.state.files[path] = slices.Clone(content)
	return path, nil
}

// Fetch reads a download that Engine.Download added (sandbox.Box).
func (b *box) Fetch(_ context.Context, id string, most int64) ([]byte, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	content, found := b.state.files[id]
	switch {
	case b.state.err != nil:
		return nil, b.state.err
	case !found:
		return nil, fault.New(fault.NotFound, "nothing was downloaded as that").Hinted("list the downloads")
	case int64(len(content)) > most:
		return nil, fault.New(fault.LimitReached, "the file has more than %d bytes", most).Hinted("download less")
	}
	return slices.Clone(content), nil
}

// Remove removes a file (sandbox.Box).
func (b *box) Remove(_ context.Context, file string) error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	delete(b.state.files, file)
	return b.state.err
}

// Download adds a file to the downloads of a box's browser.
func (e *Engine) Download(box, id string, content []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.boxes[box]
	if m.files == nil {
		m.files = map[string][]byte{}
	}
	m.files[id] = content
}

// Files returns the names of the files in a box.
func (e *Engine) Files(box string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.boxes[box].files))
}

// Freeze marks a box as frozen (sandbox.Box).
func (b *box) Freeze(context.Context) (<-chan struct{}, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.state.err != nil {
		return nil, b.state.err
	}
	if b.state.thawed == nil {
		b.state.thawed = make(chan struct{})
	}
	return b.state.thawed, nil
}

// Thaw resumes a frozen box (sandbox.Box).
func (b *box) Thaw(context.Context) error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.state.err != nil {
		return b.state.err
	}
	b.state.thaw()
	return nil
}

// thaw resumes the box. The caller must hold the engine's mu.
func (m *boxState) thaw() {
	if m.thawed != nil {
		close(m.thawed)
		m.thawed = nil
	}
}

// Write thaws a frozen box and sends the message.
func (s *stream) Write(message []byte) error {
	s.engine.mu.Lock()
	s.state.thaw()
	s.engine.mu.Unlock()
	return s.Stream.Write(message)
}

// Frozen reports whether a box is frozen.
func (e *Engine) Frozen(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.boxes[id]
	return m != nil && m.thawed != nil
}
