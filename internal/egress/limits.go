package egress

import (
	"net"
	"time"
)

// Limits restrict what a box may do through the proxy. A number that is 0 or less
// means no limit, except for Connections.
type Limits struct {
	// RequestsPerSecond is the rate of a box to one host, after a burst of 20
	// seconds' worth of requests. A TLS connection counts as one request,
	// because its content is not visible.
	RequestsPerSecond float64
	Connections       int           // of a box at the same time; 256 if it is 0 or less
	Bytes             int64         // of a box, in both directions, over its lifetime
	Connection        time.Duration // from the start of a request or tunnel to its end
}

// maxClients is how many connections a box may have by default. Chromium itself
// opens 32 to a proxy and 255 for WebSockets.
const maxClients = 256

func (l Limits) connections() int {
	if l.Connections > 0 {
		return l.Connections
	}
	return maxClients
}

// countedConn is a connection that counts the bytes of its box.
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

// CloseWrite closes the sending direction.
func (c countedConn) CloseWrite() error { return closeWrite(c.Conn) }

// count counts the bytes of a read or write that returned err. If the limit is
// exceeded, all connections of the box end.
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
