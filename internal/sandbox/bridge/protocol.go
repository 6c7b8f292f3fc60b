package bridge

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Names of the sockets in the directory of a box, and its path inside the box.
const (
	BridgeSocket = "bridge.sock"
	EgressSocket = "egress.sock"
	MountPoint   = "/run/glovebox"
)

// MaxMessage is the size of the longest CDP message in either direction.
// Chromium's own limit for its pipe is 100 MiB (kReceiveBufferSizeForDevTools).
// This limit fits a screenshot of 48 MiB and keeps a hostile guest from using up
// the gateway's memory.
const MaxMessage = 64 << 20

const (
	heartbeat    = 5 * time.Second  // between two pings, in each direction
	pingTimeout  = 10 * time.Second // for the answer to a ping; two fit into the default lease
	helloTimeout = 5 * time.Second  // for the hello of a connection
	maxHello     = 1 << 10          // bytes; ids and hashes need under 200
	protocol     = 1                // version of the hello and the endpoints
)

var (
	scopePattern   = regexp.MustCompile(`^([0-9a-f]{16})?$`)
	sessionPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{0,64}$`)
)

// hello is the first message of a guest: its box and the assignment of the box.
// From it, a restarted gateway learns the assignment again.
type hello struct {
	Protocol int    `json:"protocol"`
	Box      string `json:"box"`
	Scope    string `json:"scope"` // hash, empty while unassigned
	Session  string `json:"session"`
}

func (h hello) check() error {
	switch {
	case h.Protocol != protocol:
		return fmt.Errorf("guest speaks protocol %d, not %d", h.Protocol, protocol)
	case !sandbox.ValidID(h.Box):
		return errors.New("guest names no box")
	case !scopePattern.MatchString(h.Scope):
		return errors.New("guest names no scope hash")
	case !sessionPattern.MatchString(h.Session):
		return errors.New("guest names a malformed session")
	}
	return nil
}

func sendHello(conn net.Conn, h hello) error {
	body, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("cannot encode hello: %w", err)
	}
	if err := conn.SetWriteDeadline(time.Now().Add(helloTimeout)); err != nil {
		return fmt.Errorf("cannot set a deadline: %w", err)
	}
	frame := binary.BigEndian.AppendUint16(nil, uint16(len(body)))
	if _, err := conn.Write(append(frame, body...)); err != nil {
		return fmt.Errorf("cannot send hello: %w", err)
	}
	return conn.SetWriteDeadline(time.Time{})
}

func receiveHello(conn net.Conn) (hello, error) {
	if err := conn.SetReadDeadline(time.Now().Add(helloTimeout)); err != nil {
		return hello{}, fmt.Errorf("cannot set a deadline: %w", err)
	}
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return hello{}, fmt.Errorf("no hello: %w", err)
	}
	n := binary.BigEndian.Uint16(size[:])
	if n > maxHello {
		return hello{}, fmt.Errorf("hello of %d bytes is too long", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(conn, body); err != nil {
		return hello{}, fmt.Errorf("hello cut short: %w", err)
	}
	var h hello
	if err := json.Unmarshal(body, &h); err != nil {
		return hello{}, fmt.Errorf("malformed hello: %w", err)
	}
	if err := h.check(); err != nil {
		return hello{}, err
	}
	return h, conn.SetReadDeadline(time.Time{})
}

// muxConfig is the configuration of both sides. Both send their own pings in
// place of the library's, because the lease depends on when one was answered.
func muxConfig(lease time.Duration) *yamux.Config {
	c := yamux.DefaultConfig()
	c.EnableKeepAlive = false
	c.AcceptBacklog = 32
	c.ConnectionWriteTimeout = min(pingTimeout, lease/3)
	c.MaxStreamWindowSize = 1 << 20 // bytes; a screenshot fits without a wait for the peer
	c.StreamOpenTimeout = 20 * time.Second
	c.StreamCloseTimeout = 10 * time.Second
	c.LogOutput = io.Discard
	return c
}

// streamConn is one stream as a net.Conn. The library's Close only ends writing and
// leaves a blocked Read waiting; net.Conn, which HTTP relies on, promises that
// the Read returns.
type streamConn struct{ *yamux.Stream }

// Close ends reading and writing on this side.
func (l streamConn) Close() error {
	_ = l.SetDeadline(time.Unix(1, 0)) // only stores the time, cannot fail
	return l.Stream.Close()
}

// streamListener is a net.Listener that accepts the streams of a connection.
type streamListener struct{ *yamux.Session }

// Accept returns the next stream.
func (l streamListener) Accept() (net.Conn, error) {
	s, err := l.AcceptStream()
	if err != nil {
		return nil, err
	}
	return streamConn{s}, nil
}

func openStream(mux *yamux.Session) (net.Conn, error) {
	s, err := mux.OpenStream()
	if err != nil {
		return nil, err
	}
	return streamConn{s}, nil
}
