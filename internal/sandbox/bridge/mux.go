package bridge

import (
	"io"
	"net"
	"time"

	"github.com/hashicorp/yamux"
)

// muxConfig is the same on both sides. Pings are sent by us, because the lease
// needs to know when the last one was answered.
func muxConfig(lease time.Duration) *yamux.Config {
	c := yamux.DefaultConfig()
	c.EnableKeepAlive = false
	c.AcceptBacklog = 32
	c.ConnectionWriteTimeout = min(pingTimeout, lease/3)
	c.MaxStreamWindowSize = 1 << 20 // bytes; a screenshot without waiting for the other side
	c.StreamOpenTimeout = 20 * time.Second
	c.StreamCloseTimeout = 10 * time.Second
	c.LogOutput = io.Discard
	return c
}

// lane is one stream of a connection. Closing a stream of the library ends
// only its writing half, and a read that waits goes on waiting; what net.Conn
// promises, and HTTP builds on, is that it returns.
type lane struct{ *yamux.Stream }

// Close ends both halves for this side.
func (l lane) Close() error {
	_ = l.SetDeadline(time.Unix(1, 0)) // cannot fail: it stores a time
	return l.Stream.Close()
}

// lanes is a connection as a listener of its streams.
type lanes struct{ *yamux.Session }

// Accept returns the next stream.
func (l lanes) Accept() (net.Conn, error) {
	s, err := l.AcceptStream()
	if err != nil {
		return nil, err
	}
	return lane{s}, nil
}

func openLane(mux *yamux.Session) (net.Conn, error) {
	s, err := mux.OpenStream()
	if err != nil {
		return nil, err
	}
	return lane{s}, nil
}
