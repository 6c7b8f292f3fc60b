package stream_test

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"regexp"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/stun/v4"

	"github.com/gloveboxhq/glovebox/internal/surface/stream"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// stranger opens a connection from an address of loopback to the TCP port of a server.
func stranger(t *testing.T, from string, to netip.AddrPort) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 0))}
	conn, err := dialer.DialContext(testwait.Context(t), "tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// closedByServer waits for the end of a connection on which the server sends nothing.
func closedByServer(t *testing.T, conn net.Conn) {
	t.Helper()
	if end, limited := testwait.Deadline(t); limited {
		_ = conn.SetReadDeadline(end)
	}
	n, err := conn.Read(make([]byte, 1))
	if timeout, is := err.(net.Error); n != 0 || err == nil || is && timeout.Timeout() {
		t.Fatalf("the server did not close the connection: %d bytes, %v", n, err)
	}
}

// isOpen fails if the server has closed a connection on which it sends nothing. The
// server closes what it refuses in the order of the connections, so what was opened before
// a connection that was refused is not refused later.
func isOpen(t *testing.T, conn net.Conn) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	var got error
	if err := raw.Control(func(fd uintptr) {
		n, _, got = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	}); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(got, syscall.EAGAIN) {
		t.Errorf("the server closed a connection that it should keep: %d bytes, %v", n, got)
	}
}

// framed is a message as it is sent over TCP (RFC 4571).
func framed(message []byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(message))), message...)
}

func stunMessage(t *testing.T, parts ...stun.Setter) []byte {
	t.Helper()
	m, err := stun.Build(append([]stun.Setter{stun.TransactionID}, parts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return m.Raw
}

func TestIdleConnectionsOfOneAddressAreFewAndViewersConnectBesideThem(t *testing.T) {
	r := newRig(t, stream.Media{TCP: anyPort})
	_, port := r.server.Addresses()
	watching := r.dial(t, "ann").watch()
	watching.see(10)
	var kept []net.Conn
	for range stream.TCPPerAddress {
		kept = append(kept, stranger(t, "127.0.0.2", port))
	}
	for range 10 * stream.TCPPerAddress {
		closedByServer(t, stranger(t, "127.0.0.2", port))
	}
	r.dial(t, "bob").watch().see(10)
	watching.see(100)
	for _, conn := range kept {
		isOpen(t, conn)
	}
	// A connection that ends makes room for another.
	_ = kept[0].Close()
	testwait.For(t, "the room of a closed connection", func() bool { return stream.Waiting(r.server) < stream.TCPPerAddress })
	again := stranger(t, "127.0.0.2", port)
	closedByServer(t, stranger(t, "127.0.0.2", port)) // and was accepted after again
	isOpen(t, again)
}

// TestIdleConnectionsOfManyAddressesAreFew fills the port from many addresses. The
// oldest connections then make room, so that a viewer still connects.
func TestIdleConnectionsOfManyAddressesAreFew(t *testing.T) {
	r := newRig(t, stream.Media{TCP: anyPort})
	_, port := r.server.Addresses()
	watching := r.dial(t, "ann").watch()
	watching.see(10)
	var all []net.Conn
	for i := range 2 * stream.TCPWaiting {
		from := netip.AddrFrom4([4]byte{127, 0, 1, byte(1 + i/stream.TCPPerAddress)})
		all = append(all, stranger(t, from.String(), port))
	}
	for _, conn := range all[:stream.TCPWaiting] {
		closedByServer(t, conn)
	}
	for _, conn := range all[stream.TCPWaiting:] {
		isOpen(t, conn)
	}
	r.dial(t, "bob").watch().see(10)
	watching.see(100)
}

func TestAConnectionWithoutACompleteFirstMessageEnds(t *testing.T) {
	r := newRig(t, stream.Media{TCP: anyPort}, impatient(stream.Limits{FirstMessage: 200 * time.Millisecond}))
	_, port := r.server.Addresses()
	for name, sent := range map[string][]byte{"nothing": nil, "half a length": {0}, "no message": {0, 100}, "half a message": append([]byte{0, 100}, make([]byte, 50)...)} {
		t.Run(name, func(t *testing.T) {
			conn := stranger(t, "127.0.0.1", port)
			if _, err := conn.Write(sent); err != nil {
				t.Fatal(err)
			}
			closedByServer(t, conn)
		})
	}
}

// pipes is a listener that returns the ends of pipes.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestASlowFirstMessageEndsTheConnection sends a byte every 1.5 seconds: the time is of the
// whole message.
func TestASlowFirstMessageEndsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := make(pipes)
		port := stream.NewTCPPort(listener)
		defer func() { _ = port.Close() }()
		ours, theirs := net.Pipe()
		listener <- theirs
		start, sent := time.Now(), 0
		for _, b := range framed(stunMessage(t, stun.BindingRequest, stun.NewUsername("a:b"))) {
			if _, err := ours.Write([]byte{b}); err != nil {
				break
			}
			sent++
			time.Sleep(1500 * time.Millisecond)
		}
		if took := time.Since(start); sent != 4 || took != 6*time.Second { // at 0, 1.5, 3 and 4.5 s; the limit is 5 s
			t.Errorf("the connection ended after %d bytes and %v", sent, took)
		}
	})
}

func TestAFirstMessageThatIsNotOfAPeerEndsTheConnectionAtOnce(t *testing.T) {
	r := newRig(t, stream.Media{TCP: anyPort})
	_, port := r.server.Addresses()
	r.dial(t, "ann").watch().see(10)
	unknown := stun.NewUsername("abcdefghijklmnop:qrst")
	for name, sent := range map[string][]byte{
		"no STUN":           framed(make([]byte, 100)),
		"nothing in it":     framed(nil),
		"too long":          {255, 255},
		"HTTP":              []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
		"unknown peer":      framed(stunMessage(t, stun.BindingRequest, unknown)),
		"empty name":        framed(stunMessage(t, stun.BindingRequest, stun.NewUsername(""))),
		"no name":           framed(stunMessage(t, stun.BindingRequest)),
		"a response":        framed(stunMessage(t, stun.BindingSuccess, unknown)),
		"an indication":     framed(stunMessage(t, stun.NewType(stun.MethodBinding, stun.ClassIndication), unknown)),
		"another method":    framed(stunMessage(t, stun.NewType(stun.MethodAllocate, stun.ClassRequest), unknown)),
		"cut in the middle": framed(stunMessage(t, stun.BindingRequest, unknown)[:25]),
	} {
		t.Run(name, func(t *testing.T) {
			conn := stranger(t, "127.0.0.1", port)
			if _, err := conn.Write(sent); err != nil {
				t.Fatal(err)
			}
			closedByServer(t, conn)
		})
	}
}

// TestOnePeerHasFewConnectionsAndNoneAfterItsEnd opens connections as somebody who knows
// the user name of a peer.
func TestOnePeerHasFewConnectionsAndNoneAfterItsEnd(t *testing.T) {
	r := newRig(t, stream.Media{TCP: anyPort})
	_, port := r.server.Addresses()
	c := r.dial(t, "ann")
	c.send("signal/request", map[string]any{"video": map[string]any{}})
	var offer struct{ SDP string }
	c.await("signal/provide", &offer)
	name := regexp.MustCompile(`a=ice-ufrag:(\S+)`).FindStringSubmatch(offer.SDP)
	if name == nil {
		t.Fatalf("no user name in %s", offer.SDP)
	}
	connect := func() net.Conn {
		conn := stranger(t, "127.0.0.1", port)
		if _, err := conn.Write(framed(stunMessage(t, stun.BindingRequest, stun.NewUsername(name[1]+":abcd")))); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	var kept []net.Conn
	for i := range stream.TCPPerPeer {
		kept = append(kept, connect())
		testwait.For(t, "the message to be read", func() bool { return stream.Connections(r.server, name[1]) == i+1 })
	}
	for range 3 {
		closedByServer(t, connect())
	}
	for _, conn := range kept {
		isOpen(t, conn)
	}
	_ = c.conn.CloseNow()
	for _, conn := range kept {
		closedByServer(t, conn)
	}
	closedByServer(t, connect())
}

// TestAConnectionThatIsNotAcceptedYetEndsWithItsPeer checks that no connection outlives its
// peer: the ICE agent, which closes those that it has, does not know this one.
func TestAConnectionThatIsNotAcceptedYetEndsWithItsPeer(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := stream.NewTCPPort(listener)
	t.Cleanup(func() { _ = port.Close() })
	stream.AddPeer(port, "ann")
	conn := stranger(t, "127.0.0.1", netip.MustParseAddrPort(listener.Addr().String()))
	if _, err := conn.Write(framed(stunMessage(t, stun.BindingRequest, stun.NewUsername("ann:abcd")))); err != nil {
		t.Fatal(err)
	}
	accepted, err := port.Accept()
	if err != nil {
		t.Fatal(err)
	}
	stream.RemovePeer(port, "ann")
	closedByServer(t, conn)
	if n, err := accepted.Read(make([]byte, 2)); err == nil {
		t.Errorf("the closed connection is read: %d bytes", n)
	}
}
