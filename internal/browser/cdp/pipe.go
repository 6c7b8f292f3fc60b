package cdp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Pipe is a Transport over Chromium's --remote-debugging-pipe. A NUL byte ends
// each message.
type Pipe struct {
	in  *bufio.Reader
	out io.Writer
	end func() error
	mu  sync.Mutex
}

// NewPipe makes a transport that reads from in and writes to out. Close calls
// end, which must make a blocked read return.
func NewPipe(in io.Reader, out io.Writer, end func() error) *Pipe {
	return &Pipe{in: bufio.NewReaderSize(in, 64<<10), out: out, end: end}
}

// Read returns the next message.
func (p *Pipe) Read() ([]byte, error) {
	data, err := p.in.ReadBytes(0)
	if err != nil {
		return nil, fmt.Errorf("cannot read from the browser: %w", err)
	}
	return data[:len(data)-1], nil
}

// Write sends a message, which must not contain a NUL byte (JSON never does).
func (p *Pipe) Write(message []byte) error {
	if bytes.IndexByte(message, 0) >= 0 {
		return fmt.Errorf("a message with a NUL byte cannot be sent")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.out.Write(append(message[:len(message):len(message)], 0)); err != nil {
		return fmt.Errorf("cannot write to the browser: %w", err)
	}
	return nil
}

// Close ends the transport.
func (p *Pipe) Close() error { return p.end() }
