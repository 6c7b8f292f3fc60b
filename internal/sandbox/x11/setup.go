package x11

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

const (
	protocolMajor = 11
	byteOrder     = 'l' // little endian

	cookieName = "MIT-MAGIC-COOKIE-1" // xsecurity(7)
	maxCookies = 1 << 16              // bytes of an Xauthority file

	setupLimit = 5 * time.Second // for the server to accept a connection
)

// Setup is what the server says of itself when a connection begins.
type Setup struct {
	Root                   uint32
	Width, Height          int // of the screen at that time, in pixels
	Depth                  int // bits of a pixel that are used
	BitsPerPixel           int
	MinKeycode, MaxKeycode int
	MSBFirst               bool // byte order of pictures

	idBase, idMask uint32
}

// Dial connects to the server at a Unix socket, such as /tmp/.X11-unix/X0. A name that
// begins with "@" is that of an abstract socket. cookieFile is an Xauthority file, whose
// first entry has the cookie; it is empty if the server needs none.
func Dial(ctx context.Context, socket, cookieFile string) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, setupLimit)
	defer cancel()
	cookie, err := readCookie(cookieFile)
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("cannot reach the display: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	reader := bufio.NewReaderSize(conn, 64<<10)
	setup, err := handshake(conn, reader, cookie)
	if err != nil {
		_ = conn.Close()
		return nil, errors.Join(err, ctx.Err())
	}
	if !stop() { // the deadline has passed; reads would fail from now on
		_ = conn.Close()
		return nil, ctx.Err()
	}
	return newConn(conn, reader, setup), nil
}

// Setup returns what the server said when the connection began.
func (c *Conn) Setup() Setup { return c.setup }

// readCookie returns the data of the first MIT cookie of an Xauthority file.
func readCookie(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the display's cookie: %w", err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxCookies))
	if err != nil {
		return nil, fmt.Errorf("cannot read the display's cookie: %w", err)
	}
	for len(data) >= 2 {
		data = data[2:] // family of addresses
		var fields [4][]byte
		for i := range fields { // address, number, name, data
			if len(data) < 2 || len(data)-2 < int(binary.BigEndian.Uint16(data)) {
				return nil, errors.New("the display's cookie file is damaged")
			}
			n := int(binary.BigEndian.Uint16(data))
			fields[i], data = data[2:2+n], data[2+n:]
		}
		if string(fields[2]) == cookieName {
			return fields[3], nil
		}
	}
	return nil, errors.New("the display's cookie file has no " + cookieName)
}

// handshake sets a connection up.
func handshake(w io.Writer, r io.Reader, cookie []byte) (Setup, error) {
	name := ""
	if cookie != nil {
		name = cookieName
	}
	hello := NewRequest(byteOrder, 0) // the same alignment as a request, without a length
	hello.bytes = hello.bytes[:2]
	hello.U16(protocolMajor, 0, uint16(len(name)), uint16(len(cookie)), 0).Text(name).Text(string(cookie))
	if _, err := w.Write(hello.bytes); err != nil {
		return Setup{}, fmt.Errorf("cannot write to the display: %w", err)
	}
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Setup{}, fmt.Errorf("the display does not answer: %w", err)
	}
	body := make([]byte, int(binary.LittleEndian.Uint16(head[6:]))*4)
	if _, err := io.ReadFull(r, body); err != nil {
		return Setup{}, fmt.Errorf("the display does not answer: %w", err)
	}
	if head[0] != 1 {
		return Setup{}, errors.New("the display refuses the connection: its cookie is wrong or missing")
	}
	return parseSetup(body)
}

// parseSetup reads the server's description of itself and of its first screen.
func parseSetup(body []byte) (Setup, error) {
	var s Setup
	r := NewReader(body, 4) // release
	s.idBase, s.idMask = r.U32(), r.U32()
	r.Skip(4) // motion buffer
	vendor := int(r.U16())
	r.Skip(2) // maximum request length
	screens, formats := r.U8(), int(r.U8())
	s.MSBFirst = r.U8() != 0
	r.Skip(3) // bitmap format
	s.MinKeycode, s.MaxKeycode = int(r.U8()), int(r.U8())
	r.Skip(4 + (vendor+3)/4*4)
	bits := map[int]int{}
	for range formats {
		depth, perPixel := int(r.U8()), int(r.U8())
		bits[depth] = perPixel
		r.Skip(6)
	}
	s.Root = r.U32()
	r.Skip(16) // colormap, white, black, event mask
	s.Width, s.Height = int(r.U16()), int(r.U16())
	r.Skip(4 + 4 + 4 + 2) // millimetres, installed maps, root visual, backing store and save-unders
	s.Depth = int(r.U8())
	s.BitsPerPixel = bits[s.Depth]
	if r.Bad() || screens == 0 || s.MinKeycode < 8 || s.MaxKeycode < s.MinKeycode {
		return Setup{}, errors.New("the display's description of itself is damaged")
	}
	return s, nil
}
