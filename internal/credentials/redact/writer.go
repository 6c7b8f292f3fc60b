package redact

import (
	"bytes"
	"io"
)

const (
	window  = 256 << 10 // bytes of a stream that are searched at a time
	overlap = 64 << 10  // of them that are searched again with the next: a secret in more bytes than that may be missed where windows meet
)

// Writer returns a writer that writes to w what is written to it, without the
// secrets. Some of it is kept back until more comes or until Close, which does not
// close w. What cannot be searched is ErrFailed.
func (m *Matcher) Writer(w io.Writer) io.WriteCloser { return &writer{m: m, to: w} }

type writer struct {
	m      *Matcher
	to     io.Writer
	held   []byte
	failed error
}

// Write implements io.Writer. Bytes that it accepted may not have been written to w
// yet.
func (w *writer) Write(p []byte) (int, error) {
	if w.m == nil {
		return w.to.Write(p)
	}
	w.held = append(w.held, p...)
	if len(w.held) >= window {
		w.pass(len(w.held) - overlap)
	}
	if w.failed != nil {
		return 0, w.failed
	}
	return len(p), nil
}

// Close writes what is left.
func (w *writer) Close() error {
	if w.m != nil && len(w.held) > 0 {
		w.pass(len(w.held))
	}
	return w.failed
}

// pass writes what is held up to an offset, or up to a secret that is on both sides
// of the offset.
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
	if _, w.failed = w.to.Write(replaceSpans(w.held[:upTo], spans[:n])); w.failed == nil {
		w.held = append(w.held[:0], w.held[upTo:]...)
	}
}

// Reader returns a reader of what is in r, without the secrets. What cannot be
// searched is ErrFailed.
func (m *Matcher) Reader(r io.Reader) io.Reader {
	if m == nil {
		return r
	}
	out := &reader{from: r}
	out.writer = writer{m: m, to: &out.ready}
	return out
}

// reader reads what a writer has written.
type reader struct {
	from   io.Reader
	writer writer
	ready  bytes.Buffer
	ended  bool
	buffer [32 << 10]byte
}

func (r *reader) Read(p []byte) (int, error) {
	for r.ready.Len() == 0 {
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
	return r.ready.Read(p) //nolint:wrapcheck // never fails: there is something
}
