package redact

import (
	"bytes"
	"io"
)

// Writer returns a writer that passes on to w what is written to it, without
// the secrets. The last of it is passed on by Close, which does not close w.
func (m *Matcher) Writer(w io.Writer) io.WriteCloser { return &writer{m: m, to: w} }

type writer struct {
	m    *Matcher
	to   io.Writer
	held bytes.Buffer
}

func (w *writer) Write(p []byte) (int, error) {
	if w.m == nil {
		return w.to.Write(p)
	}
	return w.held.Write(p)
}

func (w *writer) Close() error {
	_, err := w.to.Write(w.m.Bytes(w.held.Bytes()))
	return err
}
