package guest

import (
	"bytes"
	"strings"
	"sync"
)

const (
	keptLines = 100
	maxLine   = 2 << 10 // bytes; what is longer is cut
)

// lines keeps the last lines that the programs of a box said. It is safe for
// concurrent use.
type lines struct {
	mu   sync.Mutex
	kept []string
}

// add keeps a line, unless it is about the message bus that boxes do not have:
// Chromium says so ten times at every start.
func (l *lines) add(line string) {
	if line == "" || strings.Contains(line, "dbus/") || strings.Contains(line, "org.freedesktop.") {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.kept) == keptLines {
		copy(l.kept, l.kept[1:])
		l.kept = l.kept[:keptLines-1]
	}
	l.kept = append(l.kept, line)
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.kept...)
}

// writer returns where one program writes to; its lines begin with prefix.
func (l *lines) writer(prefix string) *lineWriter { return &lineWriter{to: l, prefix: prefix} }

// lineWriter cuts what it is given into lines. It belongs to one goroutine.
type lineWriter struct {
	to      *lines
	prefix  string
	partial []byte
}

// Write takes everything; it never fails.
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
