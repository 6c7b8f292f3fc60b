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

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Names of the sockets in the directory of a box, and where a box sees it.
const (
	BridgeSocket = "bridge.sock"
	EgressSocket = "egress.sock"
	MountPoint   = "/run/glovebox"
)

// MaxMessage is the longest CDP message carried either way. Chromium's own
// limit for its pipe is 100 MiB (kReceiveBufferSizeForDevTools); ours leaves
// room for a screenshot of 48 MiB and keeps a hostile guest from taking all of
// the gateway's memory.
const MaxMessage = 64 << 20

const (
	heartbeat    = 5 * time.Second  // between two pings, either way
	pingTimeout  = 10 * time.Second // for its answer; two of them fit into the default lease
	helloTimeout = 5 * time.Second  // for the first words of a connection
	maxHello     = 1 << 10          // bytes; ids and hashes need under 200
	protocol     = 1                // version of hello and endpoints
)

var (
	scopePattern   = regexp.MustCompile(`^([0-9a-f]{16})?$`)
	sessionPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{0,64}$`)
)

// hello is what a guest says first: which box it is in and whom the box is
// assigned to. It lets a gateway that was started anew take the box up again.
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
