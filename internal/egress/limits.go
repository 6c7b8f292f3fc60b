package egress

import (
	"net"
	"time"
)

// Limits bound what a box may do through the proxy. A number that is not above 0 is no
// limit, except for Connections.
type Limits struct {
	// RequestsPerSecond is the pace of a box to one host, once it has sent 20
	// seconds' worth of requests at once. A TLS connection counts as one
	// request: what is inside is not seen.
	RequestsPerSecond float64
	Connections       int           // of a box at a time; 256 when not above 0
	Bytes             int64         // of a box, both ways, in its life
	Connection        time.Duration // from the start of a request or tunnel to its end
}

// maxClients is how many connections a box may have where nothing else is
// said; Chromium itself opens 32 to a proxy and 255 for WebSockets.
const maxClients = 256

func (l Limits) connections() int {
	if l.Connections > 0 {
		return l.Connections
	}
	return maxClients
}

// countedConn is a connection whose bytes count for its box.
type countedConn struct {
	net.Conn
	box *box
}

// Read reads and counts.
func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.box.count(n, err)
}

// Write writes and counts.
func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, c.box.count(n, err)
}

// CloseWrite passes on the end of one direction.
func (c countedConn) CloseWrite() error { return closeWrite(c.Conn) }

// count counts the bytes of a read or write that came to err. What is over the
// limit ends everything the box has open.
func (b *box) count(n int, err error) error {
	limit := b.proxy.options.Limits.Bytes
	if limit <= 0 || b.bytesMoved.Add(int64(n)) <= limit {
		return err
	}
	if b.overLimit.CompareAndSwap(false, true) {
		b.refuse("", "", "", overBytes)
		b.mu.Lock()
		defer b.mu.Unlock()
		for f := range b.flows {
			f.cancel()
		}
	}
	return overBytes
}
