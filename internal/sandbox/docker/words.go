package docker

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	lastLines = 10
	maxLine   = 512             // characters
	maxBytes  = 4 * maxLine     // of a line; the rest is dropped
	endTime   = 5 * time.Second // for the rest of the output after the container has ended
)

// words collects the last lines of a container's output, sanitized. It reads them
// while the container runs, because the engine removes the log of a container that
// ends. It is an io.Writer, safe for concurrent use.
type words struct {
	hangUp func()        // closes the connection to the engine
	over   chan struct{} // closed at the end of the output

	mu    sync.Mutex
	lines []string // at most lastLines
	line  []byte   // the incomplete line, at most maxBytes
}

// listenTo attaches to the output of a container before it is started. When the
// engine refuses, the output stays empty. The caller calls leave.
func (d *Driver) listenTo(ctx context.Context, box, made string) *words {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	w := &words{hangUp: func() {}, over: make(chan struct{})}
	attached, err := d.engine.ContainerAttach(ctx, made, client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		d.o.Log.Warn("the output of a box cannot be read", "box", box, "reason", err)
		close(w.over)
		return w
	}
	w.hangUp = attached.Close
	go func() {
		defer close(w.over)
		_, _ = stdcopy.StdCopy(w, w, attached.Reader) // ends with the container, or when hangUp closes the connection
	}()
	return w
}

// leave stops reading the output.
func (w *words) leave() {
	w.hangUp()
	<-w.over
}

// Write adds output (io.Writer).
func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := b
	for {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), maxBytes-len(w.line))]...)
		if !ended {
			return len(b), nil
		}
		w.lines = lastOf(w.lines, w.line)
		w.line, rest = w.line[:0], after
	}
}

// lastOf appends a line unless it is blank, and drops the oldest beyond lastLines.
func lastOf(lines []string, line []byte) []string {
	text := strings.TrimSpace(untrusted.LogLine(string(line), maxLine))
	if text == "" {
		return lines
	}
	return append(lines[max(0, len(lines)+1-lastLines):], text)
}

// last returns the last lines. It waits a limited time for the end of the output.
func (w *words) last() string {
	timer := time.NewTimer(endTime)
	defer timer.Stop()
	select {
	case <-w.over:
	case <-timer.C:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := lastOf(slices.Clone(w.lines), w.line)
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, " | ")
}

var _ io.Writer = (*words)(nil)
