package e2e

import (
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// packets counts, on every interface of this machine, the UDP packets to each port
// and the TCP packets that would open a connection to it, in and out. Other
// packets of TCP may be of a connection that another program has from a port of
// that number.
type packets struct {
	mu   sync.Mutex
	to   map[int]int
	seen map[int]string // the head of the last one
}

// sniff counts until the test ends. It needs the right to open a packet
// socket; without it returns nil.
func sniff(t *testing.T) *packets {
	t.Helper()
	all := uint16(unix.ETH_P_ALL)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, int(all<<8|all>>8))
	if errors.Is(err, unix.EPERM) {
		t.Log("packets are not counted: that takes the right to open a packet socket (root)")
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100_000}); err != nil {
		t.Fatal(err)
	}
	p := &packets{to: map[int]int{}, seen: map[int]string{}}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		p.read(fd, stop)
	}()
	t.Cleanup(func() { close(stop); <-ended; _ = unix.Close(fd) })
	return p
}

func (p *packets) read(fd int, stop <-chan struct{}) {
	for buffer := make([]byte, 256); ; {
		select {
		case <-stop:
			return
		default:
		}
		n, _, err := unix.Recvfrom(fd, buffer, unix.MSG_TRUNC)
		if err != nil {
			continue // nothing for a while
		}
		if port := destination(buffer[:min(n, len(buffer))]); port != 0 {
			p.mu.Lock()
			p.to[port]++
			p.seen[port] = fmt.Sprintf("% x", buffer[:min(n, 60)])
			p.mu.Unlock()
		}
	}
}

// destination returns the port an IPv4 or IPv6 packet goes to: of UDP any, of TCP
// one with SYN and without ACK (RFC 9293 section 3.1).
func destination(packet []byte) int {
	if len(packet) < 20 {
		return 0
	}
	protocol, at := packet[9], int(packet[0]&15)*4
	switch packet[0] >> 4 {
	case 4:
	case 6:
		protocol, at = packet[6], 40
	default:
		return 0
	}
	opens := protocol == unix.IPPROTO_TCP && len(packet) > at+13 && packet[at+13]&0x12 == 0x02
	if !opens && protocol != unix.IPPROTO_UDP || len(packet) < at+4 {
		return 0
	}
	return int(packet[at+2])<<8 | int(packet[at+3])
}

// count returns how many packets went to these ports, and one of them.
func (p *packets) count(ports map[int]bool) (sum int, one string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for port := range ports {
		if sum += p.to[port]; p.to[port] > 0 {
			one = p.seen[port]
		}
	}
	return sum, one
}
