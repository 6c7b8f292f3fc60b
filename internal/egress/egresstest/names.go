// Package egresstest is a real name server on loopback, over UDP and TCP, for
// tests of the egress proxy. Tests set its answers, and it records which names
// were requested.
package egresstest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Names is a running name server.
type Names struct {
	udp   net.PacketConn
	tcp   net.Listener
	serve sync.WaitGroup

	mu      sync.Mutex
	records map[string][]string
	asked   []string
	open    map[net.Conn]struct{}
}

// Start starts a name server on a free port of 127.0.0.1.
func Start() (*Names, error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	udp, err := net.ListenPacket("udp", tcp.Addr().String())
	if err != nil {
		return nil, errors.Join(err, tcp.Close())
	}
	n := &Names{udp: udp, tcp: tcp, records: map[string][]string{}, open: map[net.Conn]struct{}{}}
	n.serve.Go(n.overUDP)
	n.serve.Go(n.overTCP)
	return n, nil
}

// Address returns ip:port.
func (n *Names) Address() string { return n.udp.LocalAddr().String() }

// Set sets the records of a name: addresses, or a single other name, which makes
// it an alias. "*.example.test" means every name below example.test.
func (n *Names) Set(name string, records ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.records[name] = records
}

// Asked returns the requested names, sorted, each once.
func (n *Names) Asked() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := slices.Clone(n.asked)
	slices.Sort(all)
	return slices.Compact(all)
}

// Close stops the server.
func (n *Names) Close() {
	_, _ = n.udp.Close(), n.tcp.Close()
	n.mu.Lock()
	for conn := range n.open {
		_ = conn.Close()
	}
	n.mu.Unlock()
	n.serve.Wait()
}

func (n *Names) overUDP() {
	buffer := make([]byte, 4096)
	for {
		size, from, err := n.udp.ReadFrom(buffer)
		if err != nil {
			return
		}
		if answer, err := n.answer(buffer[:size]); err == nil {
			_, _ = n.udp.WriteTo(answer, from)
		}
	}
}

func (n *Names) overTCP() {
	for {
		conn, err := n.tcp.Accept()
		if err != nil {
			return
		}
		n.mu.Lock()
		n.open[conn] = struct{}{}
		n.mu.Unlock()
		n.serve.Go(func() { n.converse(conn) })
	}
}

// converse answers the messages of a TCP connection. Each has its length before
// it (RFC 1035 section 4.2.2).
func (n *Names) converse(conn net.Conn) {
	defer conn.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(conn, size[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer, err := n.answer(question)
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (n *Names) answer(raw []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(raw); err != nil || len(m.Questions) != 1 {
		return nil, fmt.Errorf("no question: %w", err)
	}
	q := m.Questions[0]
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, strings.TrimSuffix(q.Name.String(), "."))
	reply := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true, RCode: dnsmessage.RCodeNameError}, Questions: m.Questions}
	for name := q.Name.String(); ; {
		records, known := n.find(strings.TrimSuffix(name, "."))
		if !known {
			break
		}
		reply.RCode = dnsmessage.RCodeSuccess
		alias := addresses(&reply, name, q.Type, records)
		if alias == "" || len(reply.Answers) > 100 { // the aliases may form a cycle
			break
		}
		name = alias
	}
	return reply.Pack()
}

// find returns the records of a name. n.mu must be held.
func (n *Names) find(name string) ([]string, bool) {
	if records, known := n.records[name]; known {
		return records, true
	}
	_, parent, _ := strings.Cut(name, ".")
	records, known := n.records["*."+parent]
	return records, known
}

// addresses adds the records of the requested type, with a lifetime of zero, and
// returns the name that this one is an alias of.
func addresses(reply *dnsmessage.Message, name string, kind dnsmessage.Type, records []string) (alias string) {
	header := dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(name), Class: dnsmessage.ClassINET, TTL: 0}
	for _, record := range records {
		addr, err := netip.ParseAddr(record)
		var body dnsmessage.ResourceBody
		switch {
		case err != nil:
			alias = record + "."
			body = &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(alias)}
		case addr.Is4() && kind == dnsmessage.TypeA:
			body = &dnsmessage.AResource{A: addr.As4()}
		case addr.Is6() && kind == dnsmessage.TypeAAAA:
			body = &dnsmessage.AAAAResource{AAAA: addr.As16()}
		default:
			continue
		}
		reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: header, Body: body})
	}
	return alias
}
