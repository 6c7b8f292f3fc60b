package guest

import (
	"bytes"
	"strings"
	"sync"
)

const (
	maxLines = 100
	maxLine  = 2 << 10 // bytes; longer lines are cut
)

// logTail keeps the last lines of output of the programs in a box. It is safe for
// concurrent use.
type logTail struct {
	mu    sync.Mutex
	lines []string
}

// add keeps a line. It drops Chromium's messages about the missing message bus, ten
// at every start.
func (l *logTail) add(line string) {
	if line == "" || strings.Contains(line, "dbus/") || strings.Contains(line, "org.freedesktop.") {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == maxLines {
		copy(l.lines, l.lines[1:])
		l.lines = l.lines[:maxLines-1]
	}
	l.lines = append(l.lines, line)
}

func (l *logTail) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// writer returns the output of one program. Its lines get prefix.
func (l *logTail) writer(prefix string) *lineWriter { return &lineWriter{to: l, prefix: prefix} }

// lineWriter splits its input into lines. Only one goroutine may use it.
type lineWriter struct {
	to      *logTail
	prefix  string
	partial []byte
}

// Write never fails.
func (w *lineWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		if room := maxLine - len(w.partial); room > 0 {
			w.partial = append(w.partial, line[:min(len(line), room)]...)
		}
		if whole {
			w.flush()
		}
		rest = after
	}
	return len(p), nil
}

func (w *lineWriter) flush() {
	if text := strings.TrimRight(string(w.partial), "\r "); text != "" {
		w.to.add(w.prefix + text)
	}
	w.partial = w.partial[:0]
}
