// Package x11 speaks the X11 protocol as a client: connections, requests, replies
// and events. It bounds every wait and every length, so that neither the server nor
// another client of it can block or crash the process.
package x11

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	messageSize = 32        // bytes of an event, an error, and the fixed part of a reply
	maxRequest  = 65535 * 4 // bytes; the length field has 16 bits and counts words
	maxReply    = 80 << 20  // bytes after the fixed part; a picture of 5000 × 4000 pixels
	maxSilent   = 1 << 14   // requests without a reply in a row; sequence numbers have 16 bits
	eventBuffer = 4096      // events that wait for the reader of Events

	writeLimit = 5 * time.Second // for the server to accept a request
	replyLimit = 5 * time.Second // for the server to answer one
)

// ErrClosed is the error of a connection that Close ended.
var ErrClosed = errors.New("the connection to the display is closed")

// ServerError is the server's error for one request (X11 protocol, "Errors").
type ServerError struct {
	Code  byte
	Major byte // opcode of the request
	Minor uint16
	BadID uint32
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("X11 error %d for request %d.%d (value %#x)", e.Code, e.Major, e.Minor, e.BadID)
}

// Event is an event in its wire form. Its first byte is the kind; the highest bit
// says that another client sent it.
type Event [messageSize]byte

// Kind returns the kind of event, without the bit of SendEvent.
func (e *Event) Kind() byte { return e[0] & 0x7f }

// Read reads the event's fields from an offset.
func (e *Event) Read(offset int) *Reader { return NewReader(e[:], offset) }

type answer struct {
	reply []byte
	err   error
}

// Conn is a connection to an X server. It is safe for concurrent use.
type Conn struct {
	setup  Setup
	socket net.Conn
	events chan Event
	done   chan struct{} // closed when the reader has ended

	mu       sync.Mutex
	sequence uint64                 // of the last request
	silent   int                    // requests since the last one with a reply
	pending  map[uint64]chan answer // requests that wait for a reply or an error
	nextID   uint32
	err      error // why the connection ended
}

// newConn starts the reader of a connection that is set up.
func newConn(socket net.Conn, buffered *bufio.Reader, setup Setup) *Conn {
	c := &Conn{
		setup: setup, socket: socket, pending: map[uint64]chan answer{},
		events: make(chan Event, eventBuffer), done: make(chan struct{}),
	}
	go c.read(buffered)
	return c
}

// Events returns the channel of events. It must be read all the time: events that do
// not fit are dropped. It is closed when the connection ends.
func (c *Conn) Events() <-chan Event { return c.events }

// Done returns a channel that is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Close ends the connection, and returns when its goroutine has ended.
func (c *Conn) Close() {
	c.fail(ErrClosed)
	<-c.done
}

// fail records why the connection ends, and ends it.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = err
	}
	c.mu.Unlock()
	_ = c.socket.Close()
}

// NewID returns a new identifier for a window or another resource, 0 when the
// connection has used all.
func (c *Conn) NewID() uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	step := c.setup.idMask & -c.setup.idMask
	if step == 0 || c.nextID > c.setup.idMask-step {
		return 0
	}
	c.nextID += step
	return c.setup.idBase | c.nextID
}

// Send sends a request without waiting. An error of the server is dropped.
func (c *Conn) Send(r *Request) error {
	_, err := c.write(r, nil)
	return err
}

// Call sends a request that has a reply, and waits for it, at most 5 seconds. Errors:
// a *ServerError, the context's, or what ended the connection.
func (c *Conn) Call(ctx context.Context, r *Request) ([]byte, error) {
	answers := make(chan answer, 1)
	sequence, err := c.write(r, answers)
	if err != nil {
		return nil, err
	}
	return c.wait(ctx, sequence, answers)
}

// Do sends a request without a reply, and waits until the server has carried it out.
// Errors: as for Call.
func (c *Conn) Do(ctx context.Context, r *Request) error {
	answers := make(chan answer, 1)
	sequence, err := c.write(r, answers)
	if err != nil {
		return err
	}
	if err := c.Sync(ctx); err != nil {
		c.forget(sequence)
		return err
	}
	select {
	case a := <-answers: // errors come before the reply of a later request
		return a.err
	default:
		c.forget(sequence)
		return nil
	}
}

// Sync waits until the server has carried out all earlier requests.
func (c *Conn) Sync(ctx context.Context) error {
	_, err := c.Call(ctx, NewRequest(opGetInputFocus, 0))
	return err
}

func (c *Conn) wait(ctx context.Context, sequence uint64, answers chan answer) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	select {
	case a := <-answers:
		return a.reply, a.err
	case <-ctx.Done():
		c.forget(sequence)
		return nil, ctx.Err()
	}
}

func (c *Conn) forget(sequence uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, sequence)
}

// write sends a request and returns its sequence number. The reader delivers its
// reply or error to answers, if not nil.
func (c *Conn) write(r *Request, answers chan answer) (uint64, error) {
	message := r.finish()
	if message == nil {
		return 0, errors.New("the request is too long")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	if c.silent++; c.silent >= maxSilent {
		// A request with a reply tells the reader the current sequence number.
		message = append(NewRequest(opGetInputFocus, 0).finish(), message...)
		c.sequence++
		c.silent = 0
	}
	c.sequence++
	if answers != nil {
		c.pending[c.sequence] = answers
	}
	_ = c.socket.SetWriteDeadline(time.Now().Add(writeLimit))
	if _, err := c.socket.Write(message); err != nil {
		delete(c.pending, c.sequence)
		c.err = fmt.Errorf("cannot write to the display: %w", err)
		_ = c.socket.Close()
		return 0, c.err
	}
	return c.sequence, nil
}

// read delivers what the server sends until the connection ends.
func (c *Conn) read(r *bufio.Reader) {
	defer close(c.done)
	defer close(c.events)
	var err error
	for err == nil {
		err = c.readMessage(r)
	}
	c.fail(fmt.Errorf("the display ended: %w", err))
	c.mu.Lock()
	defer c.mu.Unlock()
	for sequence, answers := range c.pending {
		delete(c.pending, sequence)
		answers <- answer{err: c.err}
	}
}

const (
	kindError   = 0
	kindReply   = 1
	kindGeneric = 35 // an event with a length; extensions that are not used here send it
)

func (c *Conn) readMessage(r *bufio.Reader) error {
	var head [messageSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	switch head[0] {
	case kindError:
		c.deliver(head, answer{err: &ServerError{
			Code: head[1], BadID: binary.LittleEndian.Uint32(head[4:]),
			Minor: binary.LittleEndian.Uint16(head[8:]), Major: head[10],
		}})
		return nil
	case kindReply, kindGeneric:
		rest := uint64(binary.LittleEndian.Uint32(head[4:])) * 4
		if rest > maxReply {
			return fmt.Errorf("a message of %d bytes is too long", rest)
		}
		message := make([]byte, messageSize+rest)
		copy(message, head[:])
		if _, err := io.ReadFull(r, message[messageSize:]); err != nil {
			return err
		}
		if head[0] == kindReply {
			c.deliver(head, answer{reply: message})
		}
		return nil
	}
	select {
	case c.events <- Event(head):
	default: // nobody reads: drop it rather than block replies
	}
	return nil
}

// deliver hands an answer to the request that waits for it, if any.
func (c *Conn) deliver(head [messageSize]byte, a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	low := binary.LittleEndian.Uint16(head[2:])
	sequence := c.sequence - uint64(uint16(c.sequence)-low) // the latest request with these lowest 16 bits
	answers, waits := c.pending[sequence]
	if waits {
		delete(c.pending, sequence)
		answers <- a
	}
	if a.err == nil {
		c.silent = 0
	}
}
