package stream

import (
	"cmp"
	"net"
	"time"
)

// Limits are short limits of a server. Those that are zero are too long to be
// reached, however slow the machine is.
type Limits struct{ Connect, NoPicture, Write, Pong, Silence, FirstMessage time.Duration }

// NewWithLimits makes a server with limits for tests.
func NewWithLimits(options Options, short Limits) (*Server, error) {
	const never = time.Hour
	l := defaultLimits()
	l.connect, l.noPicture = cmp.Or(short.Connect, never), cmp.Or(short.NoPicture, never)
	l.write, l.pong, l.pingEvery = cmp.Or(short.Write, never), cmp.Or(short.Pong, never), cmp.Or(short.Pong, l.pingEvery)
	l.call, l.silence = never, cmp.Or(short.Silence, never)
	l.firstMessage = cmp.Or(short.FirstMessage, never)
	if short.Write > 0 {
		l.tcpBuffer = 4096
	}
	return newServer(options, l)
}

// Bounds of connections without a valid first message, and of those of one peer.
const (
	TCPPerAddress = tcpPerAddress
	TCPWaiting    = tcpWaiting
	TCPPerPeer    = tcpPerPeer
)

// NewTCPPort returns the TCP port of the media with the limits of the product.
func NewTCPPort(listener net.Listener) net.Listener { return newTCPPort(listener, defaultLimits()) }

// AddPeer and RemovePeer make a peer known to a port, and end it.
func AddPeer(port net.Listener, name string)    { port.(*tcpPort).addPeer(name) }
func RemovePeer(port net.Listener, name string) { port.(*tcpPort).removePeer(name) }

// Waiting is how many connections to the TCP port have sent no valid first message.
func Waiting(s *Server) int {
	p := s.media.port
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting)
}

// Connections is how many TCP connections a peer has.
func Connections(s *Server, peer string) int {
	p := s.media.port
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.peers[peer])
}
