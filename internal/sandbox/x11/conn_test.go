package x11_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve listens on a socket and lets f be the server of each connection.
func serve(t *testing.T, f func(c net.Conn)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "x11-")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "X0")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	end, limited := testwait.Deadline(t)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				if limited {
					_ = c.SetDeadline(end)
				}
				f(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		running.Wait()
		_ = os.RemoveAll(dir)
	})
	return socket
}

// greet reads a client's first message and answers with a description of the server.
func greet(c net.Conn) {
	hello := make([]byte, 12)
	_, _ = io.ReadFull(c, hello)
	rest := int(binary.LittleEndian.Uint16(hello[6:])+3)/4*4 + int(binary.LittleEndian.Uint16(hello[8:])+3)/4*4
	_, _ = io.CopyN(io.Discard, c, int64(rest))
	_, _ = c.Write(description())
}

// description describes a server with one screen of 640 × 480 pixels.
func description() []byte {
	body := make([]byte, 32+8+40)
	le := binary.LittleEndian
	le.PutUint32(body[4:], 0x200000) // identifiers: base, mask
	le.PutUint32(body[8:], 0x1fffff)
	body[20], body[21] = 1, 1      // screens, formats
	body[26], body[27] = 8, 255    // keycodes
	body[32], body[33] = 24, 32    // depth, bits of a pixel
	le.PutUint32(body[40:], 0x123) // root
	le.PutUint16(body[60:], 640)
	le.PutUint16(body[62:], 480)
	body[78] = 24 // depth
	head := []byte{1, 0, 11, 0, 0, 0, byte(len(body) / 4), 0}
	return append(head, body...)
}

// nextRequest reads a request, and returns its opcode.
func nextRequest(c net.Conn) (byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(c, head); err != nil {
		return 0, err
	}
	_, err := io.CopyN(io.Discard, c, int64(binary.LittleEndian.Uint16(head[2:]))*4-4)
	return head[0], err
}

func dial(t *testing.T, socket string) *x11.Conn {
	t.Helper()
	conn, err := x11.Dial(t.Context(), socket, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func message(kind, code byte, sequence uint16, length uint32) []byte {
	m := make([]byte, 32)
	m[0], m[1] = kind, code
	binary.LittleEndian.PutUint16(m[2:], sequence)
	binary.LittleEndian.PutUint32(m[4:], length)
	return m
}

func TestSetupIsRead(t *testing.T) {
	conn := dial(t, serve(t, greet))
	s := conn.Setup()
	if s.Root != 0x123 || s.Width != 640 || s.Height != 480 || s.Depth != 24 || s.BitsPerPixel != 32 || s.MinKeycode != 8 || s.MaxKeycode != 255 {
		t.Errorf("got %+v", s)
	}
	if first, second := conn.NewID(), conn.NewID(); first != 0x200001 || second != 0x200002 {
		t.Errorf("identifiers %#x, %#x", first, second)
	}
}

// TestDamagedSetups cuts the description at each byte, and changes each byte.
func TestDamagedSetups(t *testing.T) {
	whole := description()
	for i := range whole {
		for _, damaged := range [][]byte{whole[:i], append(append([]byte{}, whole[:i]...), append([]byte{0xff}, whole[i+1:]...)...)} {
			socket := serve(t, func(c net.Conn) {
				_, _ = io.ReadFull(c, make([]byte, 12))
				_, _ = c.Write(damaged)
			})
			if conn, err := x11.Dial(t.Context(), socket, ""); err == nil {
				conn.Close()
			}
		}
	}
}

func TestRefusedConnection(t *testing.T) {
	socket := serve(t, func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, 12))
		_, _ = c.Write([]byte{0, 200, 11, 0, 0, 0, 1, 0, 'n', 'o', 0, 0}) // says that 200 bytes of reason follow
	})
	if conn, err := x11.Dial(t.Context(), socket, ""); err == nil {
		conn.Close()
		t.Error("connected")
	}
}

func TestServerThatSaysNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	socket := serve(t, func(c net.Conn) {
		_, _ = io.ReadFull(c, make([]byte, 12))
		cancel()
		_, _ = io.Copy(io.Discard, c)
	})
	if _, err := x11.Dial(ctx, socket, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRepliesAndErrorsReachTheirRequests(t *testing.T) {
	conn := dial(t, serve(t, func(c net.Conn) {
		greet(c)
		for sequence := uint16(1); ; sequence++ {
			opcode, err := nextRequest(c)
			switch {
			case err != nil:
				return
			case opcode == 99: // no reply
			case opcode == 98:
				_, _ = c.Write(message(0, 3, sequence, 7))
			default:
				reply := message(1, opcode, sequence, 1)
				_, _ = c.Write(append(reply, opcode, 0, 0, 0))
			}
		}
	}))
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for range 10_000 { // sequence numbers begin anew after 65,536
				opcode := byte(44 + i)
				if reply, err := conn.Call(t.Context(), x11.NewRequest(opcode, 0)); err != nil || len(reply) != 36 || reply[1] != opcode || reply[32] != opcode {
					t.Errorf("request %d: %v, %v", opcode, reply, err)
					return
				}
			}
		})
	}
	callers.Wait()
	var refused *x11.ServerError
	if _, err := conn.Call(t.Context(), x11.NewRequest(98, 0)); !errors.As(err, &refused) || refused.Code != 3 || refused.BadID != 7 {
		t.Errorf("got %v", err)
	}
	if err := conn.Do(t.Context(), x11.NewRequest(98, 0)); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
	for range 100_000 {
		if err := conn.Send(x11.NewRequest(99, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Do(t.Context(), x11.NewRequest(99, 0)); err != nil {
		t.Error(err)
	}
}

func TestMessagesThatAreTooLongEndTheConnection(t *testing.T) {
	for _, kind := range []byte{1, 35} {
		conn := dial(t, serve(t, func(c net.Conn) {
			greet(c)
			_, _ = nextRequest(c)
			_, _ = c.Write(message(kind, 0, 1, 1<<32-1))
			_, _ = io.Copy(io.Discard, c)
		}))
		if _, err := conn.Call(t.Context(), x11.NewRequest(44, 0)); err == nil {
			t.Errorf("kind %d: no error", kind)
		}
		<-conn.Done()
	}
}

func TestAContextEndsAWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	conn := dial(t, serve(t, func(c net.Conn) {
		greet(c)
		_, _ = nextRequest(c)
		cancel()
		_, _ = io.Copy(io.Discard, c)
	}))
	if _, err := conn.Call(ctx, x11.NewRequest(44, 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestRequestsThatAreTooLongAreNotSent(t *testing.T) {
	conn := dial(t, serve(t, func(c net.Conn) {
		greet(c)
		_, _ = io.Copy(io.Discard, c)
	}))
	if err := conn.Send(x11.NewRequest(18, 0).Text(string(make([]byte, 1<<18)))); err == nil {
		t.Error("no error")
	}
}

// TestRandomBytes sends random messages after a correct description.
func TestRandomBytes(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		conn := dial(t, serve(t, func(c net.Conn) {
			greet(c)
			for range 100 {
				m := message(byte(random.IntN(40)), byte(random.Uint32()), uint16(random.IntN(20)), 0)
				for i := 8; i < len(m); i++ {
					m[i] = byte(random.Uint32())
				}
				_, _ = c.Write(m)
			}
		}))
		go func() {
			for range conn.Events() {
			}
		}()
		for range 20 {
			_, _ = conn.Property(t.Context(), 1, 2, 100, false)
			_, _ = conn.Extension(t.Context(), "XTEST")
		}
	}
}

func TestCookies(t *testing.T) {
	entry := func(name, data string) []byte {
		e := []byte{0xff, 0xff}
		for _, field := range []string{"", "", name, data} {
			e = binary.BigEndian.AppendUint16(e, uint16(len(field)))
			e = append(e, field...)
		}
		return e
	}
	good := append(entry("OTHER", "x"), entry("MIT-MAGIC-COOKIE-1", "0123456789abcdef")...)
	got := make(chan string, 1)
	socket := serve(t, func(c net.Conn) {
		hello := make([]byte, 12+20+16)
		_, _ = io.ReadFull(c, hello)
		got <- string(hello[12:30]) + " " + string(hello[32:])
		_, _ = c.Write(description())
	})
	path := filepath.Join(t.TempDir(), "cookie")
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	conn, err := x11.Dial(t.Context(), socket, path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if sent := <-got; sent != "MIT-MAGIC-COOKIE-1 0123456789abcdef" {
		t.Errorf("sent %q", sent)
	}
	for i := range good {
		if err := os.WriteFile(path, good[:i], 0o600); err != nil {
			t.Fatal(err)
		}
		if conn, err := x11.Dial(t.Context(), socket, path); err == nil {
			conn.Close()
			t.Errorf("connected with %d bytes of a cookie file", i)
		}
	}
}
