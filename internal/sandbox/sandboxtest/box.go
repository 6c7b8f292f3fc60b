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

// box is one driver's view of a machine.
type box struct {
	engine  *Engine
	machine *machine
}

func (b *box) Info() sandbox.Info {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	return b.machine.info
}

func (b *box) Assign(_ context.Context, scope, session string) error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	m := b.machine
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
	m.info.Name = name(scope, m.info.ID)
	return nil
}

func (b *box) CDP(ctx context.Context) (sandbox.Stream, error) {
	b.engine.mu.Lock()
	m := b.machine
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
	opened := &stream{Stream: connected, engine: b.engine, machine: m}
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
	if b.machine.err != nil {
		return sandbox.Health{}, b.machine.err
	}
	return sandbox.Health{
		Frozen: b.machine.thawed != nil, Phase: "ready", Restarts: b.machine.restarts, OOMKills: b.machine.kills,
		Browser: sandbox.Process{Running: true, PID: 7},
		Display: sandbox.Process{Running: true, PID: 6}, Screen: ":0",
		Renderers: []sandbox.Renderer{{
			PID: 8, SeccompFilters: 2, OwnUserNS: true, OwnNetNS: true, CapEff: "0000000000000000",
		}},
		Log:   []string{"the browser started"},
		Since: b.machine.info.Created.Truncate(time.Second),
	}, nil
}

// Profile returns the profile that the box was started with, or that Engine.Keep set.
func (b *box) Profile(context.Context) (io.ReadCloser, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	switch m := b.machine; {
	case m.err != nil:
		return nil, m.err
	case !m.keeps:
		return nil, fault.New(fault.InvalidRequest, "the box keeps no profile").Hinted("start one with a profile")
	default:
		if m.stream != nil {
			_ = m.stream.Close() // the browser exits
		}
		return io.NopCloser(bytes.NewReader(m.profile)), nil
	}
}

func (b *box) Done() <-chan struct{} { return b.machine.done }

func (b *box) Err() error {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	return b.machine.err
}

// Put stores a file in memory (sandbox.Box).
func (b *box) Put(_ context.Context, name string, content []byte) (string, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.machine.err != nil {
		return "", b.machine.err
	}
	if strings.ContainsAny(name, "/\x00") || name == "" || name == "." || name == ".." {
		return "", fault.New(fault.InvalidRequest, "the file has no plain name").Hinted("give one")
	}
	path := b.machine.info.Uploads() + "/" + sandbox.NewID() + "/" + name
	if b.machine.files == nil {
		b.machine.files = map[string][]byte{}
	}
	b.machine.files[path] = slices.Clone(content)
	return path, nil
}

// Fetch reads a download that Engine.Download added (sandbox.Box).
func (b *box) Fetch(_ context.Context, id string, most int64) ([]byte, error) {
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	content, found := b.machine.files[id]
	switch {
	case b.machine.err != nil:
		return nil, b.machine.err
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
	delete(b.machine.files, file)
	return b.machine.err
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
