package stream

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/stun/v4"
)

const (
	tcpPerPeer    = 8   // TCP connections of one peer: browsers try several pairs of addresses
	tcpPerAddress = 16  // connections of one address that have sent no valid first message
	tcpWaiting    = 256 // the same of all addresses; a guess
	tcpFirst      = 512 // bytes of a first message, as in pion/ice
	acceptPause   = 100 * time.Millisecond
)

// errFirst ends a connection whose first message is not that of a viewer.
var errFirst = errors.New("the first message is no check of a peer's connection")

// peerMux is the TCP port of all peers. The ICE agents call it when they begin and end,
// so that the port knows the user names of all peers.
type peerMux struct {
	*ice.TCPMuxDefault
	port *tcpPort
}

// GetConnByUfrag makes the connection of a peer, or returns it.
func (m peerMux) GetConnByUfrag(ufrag string, isIPv6 bool, local net.IP) (net.PacketConn, error) {
	m.port.addPeer(ufrag)
	return m.TCPMuxDefault.GetConnByUfrag(ufrag, isIPv6, local)
}

// RemoveConnByUfrag closes the connections of a peer.
func (m peerMux) RemoveConnByUfrag(ufrag string) {
	m.port.removePeer(ufrag)
	m.TCPMuxDefault.RemoveConnByUfrag(ufrag)
}

// tcpPort is a listener that returns the connections whose first message is a STUN
// binding request with the user name of a peer. It closes other connections at once, and
// those without a complete message after a time. Of the connections that wait for their
// message it keeps few.
type tcpPort struct {
	listener net.Listener
	limits   limits
	ready    chan net.Conn
	ended    chan struct{}
	end      sync.Once
	tasks    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	peers   map[string]map[*peerConn]struct{} // open connections of each peer, by its user name
	waiting []waitingConn                     // oldest first
}

// waitingConn is a connection that has sent no valid first message.
type waitingConn struct {
	net.Conn
	from netip.Prefix
}

// newTCPPort returns a port that owns the listener.
func newTCPPort(listener net.Listener, limits limits) *tcpPort {
	p := &tcpPort{listener: listener, limits: limits, ready: make(chan net.Conn), ended: make(chan struct{}), peers: map[string]map[*peerConn]struct{}{}}
	p.tasks.Go(p.acceptAll)
	return p
}

// Addr returns the address of the port.
func (p *tcpPort) Addr() net.Addr { return p.listener.Addr() }

// Accept returns the next connection of a peer.
func (p *tcpPort) Accept() (net.Conn, error) {
	select {
	case conn := <-p.ready:
		return conn, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// Close closes the port and the connections that Accept has not returned.
func (p *tcpPort) Close() error {
	p.end.Do(func() { close(p.ended) })
	err := p.listener.Close()
	p.mu.Lock()
	p.closed = true
	for _, w := range p.waiting {
		_ = w.Close()
	}
	p.mu.Unlock()
	p.tasks.Wait()
	return err
}

func (p *tcpPort) acceptAll() {
	for {
		conn, err := p.listener.Accept()
		if err == nil {
			p.take(conn)
			continue
		}
		select {
		case <-p.ended:
			return
		case <-time.After(acceptPause): // such as a lack of file descriptors
		}
	}
}

// take reads the first message of a connection. If too many connections of its address
// wait for theirs, it is closed. If too many of all addresses wait, the oldest of these is
// closed: a viewer sends its message at once, so its connection is rarely the oldest.
func (p *tcpPort) take(conn net.Conn) {
	w := waitingConn{conn, prefixOf(conn.RemoteAddr())}
	p.mu.Lock()
	defer p.mu.Unlock()
	same := 0
	for _, other := range p.waiting {
		if other.from == w.from {
			same++
		}
	}
	if p.closed || same >= tcpPerAddress {
		_ = conn.Close()
		return
	}
	if len(p.waiting) >= tcpWaiting {
		_ = p.waiting[0].Close()
		p.waiting = slices.Delete(p.waiting, 0, 1)
	}
	p.waiting = append(p.waiting, w)
	p.tasks.Go(func() { p.admit(w) })
}

// admit passes a connection on when its first message has come, or closes it.
func (p *tcpPort) admit(w waitingConn) {
	first, name, err := p.readFirst(w)
	p.mu.Lock()
	p.waiting = slices.DeleteFunc(p.waiting, func(other waitingConn) bool { return other == w })
	open, known := p.peers[name]
	if err != nil || !known || len(open) >= tcpPerPeer {
		p.mu.Unlock()
		_ = w.Close()
		return
	}
	conn := &peerConn{Conn: w.Conn, port: p, name: name, unread: first, limit: p.limits.write}
	open[conn] = struct{}{}
	p.mu.Unlock()
	select {
	case p.ready <- conn:
	case <-p.ended:
		_ = conn.Close()
	}
}

// readFirst returns the first message of a connection with its length before it (RFC
// 4571), and the peer that its user name begins with.
func (p *tcpPort) readFirst(conn net.Conn) (first []byte, name string, err error) {
	if err := conn.SetReadDeadline(time.Now().Add(p.limits.firstMessage)); err != nil {
		return nil, "", err
	}
	first = make([]byte, 2, 2+tcpFirst)
	if _, err := io.ReadFull(conn, first); err != nil {
		return nil, "", err
	}
	length := int(binary.BigEndian.Uint16(first))
	if length > tcpFirst {
		return nil, "", errFirst
	}
	first = first[:2+length]
	if _, err := io.ReadFull(conn, first[2:]); err != nil {
		return nil, "", err
	}
	message := stun.Message{Raw: slices.Clone(first[2:])}
	if err := message.Decode(); err != nil || message.Type != stun.BindingRequest {
		return nil, "", errFirst
	}
	user, err := message.Get(stun.AttrUsername)
	if err != nil {
		return nil, "", errFirst
	}
	name, _, _ = strings.Cut(string(user), ":")
	return first, name, conn.SetReadDeadline(time.Time{})
}

func (p *tcpPort) addPeer(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.peers[name] == nil {
		p.peers[name] = map[*peerConn]struct{}{}
	}
}

// removePeer closes the connections of a peer, also those that its ICE agent does not know
// yet: pion/ice would keep them.
func (p *tcpPort) removePeer(name string) {
	p.mu.Lock()
	left := p.peers[name]
	delete(p.peers, name)
	p.mu.Unlock()
	for conn := range left {
		_ = conn.Close()
	}
}

// release is called when a connection of a peer is closed.
func (p *tcpPort) release(conn *peerConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.peers[conn.name], conn)
}

// prefixOf returns what counts as one remote address: of IPv6 the /64, of which one
// machine can use every address.
func prefixOf(remote net.Addr) netip.Prefix {
	tcp, is := remote.(*net.TCPAddr)
	if !is {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(ip, bits).Masked()
}

// peerConn is a TCP connection of a peer. It is closed when the peer reads nothing for
// some time.
type peerConn struct {
	net.Conn
	port   *tcpPort
	name   string
	unread []byte // of the first message
	limit  time.Duration
	closed atomic.Bool
}

// Read reads the first message again, and then what follows.
func (c *peerConn) Read(b []byte) (int, error) {
	if len(c.unread) == 0 || c.closed.Load() {
		return c.Conn.Read(b)
	}
	n := copy(b, c.unread)
	c.unread = c.unread[n:]
	return n, nil
}

// Write writes a packet, or closes the connection.
func (c *peerConn) Write(packet []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.limit)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(packet)
	if err != nil {
		_ = c.Close()
	}
	return n, err
}

// Close closes the connection.
func (c *peerConn) Close() error {
	if !c.closed.Swap(true) {
		c.port.release(c)
	}
	return c.Conn.Close()
}
