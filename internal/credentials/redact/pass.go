package redact

import (
	"io"
)

const (
	window = 256 << 10 // bytes of a stream that are looked through at a time
	reach  = 64 << 10  // of them that are kept for the next: a secret in more bytes than that may pass at the border
)

// Writer returns a writer that passes on to w what is written to it, without
// the secrets. Some of it is kept back until more comes or Close, which does
// not close w. What cannot be looked through is ErrFailed.
func (m *Matcher) Writer(w io.Writer) io.WriteCloser { return &writer{m: m, to: w} }

type writer struct {
	m      *Matcher
	to     io.Writer
	held   []byte
	failed error
}

// Write takes p in. Bytes that were taken may not have been passed on yet.
func (w *writer) Write(p []byte) (int, error) {
	if w.m == nil {
		return w.to.Write(p)
	}
	w.held = append(w.held, p...)
	if len(w.held) >= window {
		w.pass(len(w.held) - reach)
	}
	if w.failed != nil {
		return 0, w.failed
	}
	return len(p), nil
}

// Close passes on what is left.
func (w *writer) Close() error {
	if w.m != nil && len(w.held) > 0 {
		w.pass(len(w.held))
	}
	return w.failed
}

// pass passes on what is held up to an offset, or to where a secret begins that
// is on both its sides.
func (w *writer) pass(upTo int) {
	if w.failed != nil {
		return
	}
	spans, err := w.m.find(w.held)
	if err != nil {
		w.failed = err
		return
	}
	n := 0
	for n < len(spans) && spans[n].Start < upTo {
		if spans[n].End > upTo && spans[n].Start > 0 {
			upTo = spans[n].Start
			break
		}
		upTo = max(upTo, spans[n].End)
		n++
	}
	if _, w.failed = w.to.Write(without(w.held[:upTo], spans[:n])); w.failed == nil {
		w.held = append(w.held[:0], w.held[upTo:]...)
	}
}

// Reader returns a reader of what is in r, without the secrets. What cannot be
// looked through is ErrFailed.
func (m *Matcher) Reader(r io.Reader) io.Reader {
	if m == nil {
		return r
	}
	out := &reader{from: r}
	out.writer = writer{m: m, to: &out.ready}
	return out
}

// reader is a writer that is read at its other end.
type reader struct {
	from   io.Reader
	writer writer
	ready  sink
	ended  bool
	buffer [32 << 10]byte
}

type sink []byte

func (s *sink) Write(p []byte) (int, error) {
	*s = append(*s, p...)
	return len(p), nil
}

func (r *reader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.ended {
			return 0, io.EOF
		}
		n, err := r.from.Read(r.buffer[:])
		if _, failed := r.writer.Write(r.buffer[:n]); failed != nil {
			return 0, failed
		}
		switch {
		case err == io.EOF: //nolint:errorlint // as io.Reader says
			r.ended = true
			if failed := r.writer.Close(); failed != nil {
				return 0, failed
			}
		case err != nil:
			return 0, err //nolint:wrapcheck // the reader's own
		}
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}
