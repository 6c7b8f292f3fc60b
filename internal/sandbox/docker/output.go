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
	maxLines     = 10
	maxLine      = 512             // characters
	maxLineBytes = 4 * maxLine     // of a line; the rest is dropped
	drainTimeout = 5 * time.Second // for the rest of the output after the container has ended
)

// outputTail collects the last lines of a container's output, sanitized. It reads them
// while the container runs, because the engine removes the log of a container that
// ends. It is an io.Writer, safe for concurrent use.
type outputTail struct {
	disconnect func()        // closes the connection to the engine
	done       chan struct{} // closed at the end of the output

	mu    sync.Mutex
	lines []string // at most maxLines
	line  []byte   // the incomplete line, at most maxLineBytes
}

// attachOutput attaches to the output of a container before it is started. When the
// engine refuses, the output stays empty. The caller must close it.
func (d *Driver) attachOutput(ctx context.Context, box, containerID string) *outputTail {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	w := &outputTail{disconnect: func() {}, done: make(chan struct{})}
	attached, err := d.engine.ContainerAttach(ctx, containerID, client.ContainerAttachOptions{Stream: true, Stdout: true, Stderr: true})
	if err != nil {
		d.options.Log.Warn("the output of a box cannot be read", "box", box, "reason", err)
		close(w.done)
		return w
	}
	w.disconnect = attached.Close
	go func() {
		defer close(w.done)
		_, _ = stdcopy.StdCopy(w, w, attached.Reader) // ends with the container, or when disconnect closes the connection
	}()
	return w
}

// close stops reading the output.
func (o *outputTail) close() {
	o.disconnect()
	<-o.done
}

// Write adds output (io.Writer).
func (o *outputTail) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := b
	for {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		o.line = append(o.line, part[:min(len(part), maxLineBytes-len(o.line))]...)
		if !ended {
			return len(b), nil
		}
		o.lines = appendLine(o.lines, o.line)
		o.line, rest = o.line[:0], after
	}
}

// appendLine appends a line unless it is blank, and drops the oldest beyond maxLines.
func appendLine(lines []string, line []byte) []string {
	text := strings.TrimSpace(untrusted.LogLine(string(line), maxLine))
	if text == "" {
		return lines
	}
	return append(lines[max(0, len(lines)+1-maxLines):], text)
}

// text returns the last lines. It waits a limited time for the end of the output.
func (o *outputTail) text() string {
	timer := time.NewTimer(drainTimeout)
	defer timer.Stop()
	select {
	case <-o.done:
	case <-timer.C:
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := appendLine(slices.Clone(o.lines), o.line)
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, " | ")
}

var _ io.Writer = (*outputTail)(nil)
