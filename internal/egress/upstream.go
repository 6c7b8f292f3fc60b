package egress

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Upstream is another proxy, through which ours connects to public addresses. It
// gets checked addresses, never names.
type Upstream struct {
	Scheme   string // http (CONNECT) or socks5
	Host     string // a name, or an address without brackets
	Port     uint16
	Login    bool // Name and Password are given
	Name     string
	Password string
}

const (
	maxLogin      = 255      // bytes of a name or a password; RFC 1929 section 2
	maxProxyReply = 16 << 10 // bytes of the head of a proxy's answer
)

// ParseUpstream parses the address of a proxy, and a login name:password, which
// may be empty. Faults: invalid_request, which contains neither.
func ParseUpstream(address, login string) (*Upstream, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "socks5" || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.InvalidRequest, "the address of the proxy cannot be used").
			Hinted("write http://proxy.example.com:3128 or socks5://proxy.example.com:1080, without a user name: that is for the environment")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return nil, fault.New(fault.InvalidRequest, "the address of the proxy has no port").Hinted("write it behind the host: http://proxy.example.com:3128")
	}
	out := &Upstream{Scheme: u.Scheme, Host: u.Hostname(), Port: uint16(port)}
	if login == "" {
		return out, nil
	}
	name, password, both := bytes.Cut([]byte(login), []byte(":"))
	if !both || len(name) == 0 || len(name) > maxLogin || len(password) > maxLogin || bytes.ContainsAny([]byte(login), "\r\n\x00") {
		return nil, fault.New(fault.InvalidRequest, "the login for the proxy is not name:password").
			Hinted("each has %d bytes at most; the name has no colon", maxLogin)
	}
	out.Login, out.Name, out.Password = true, string(name), string(password)
	return out, nil
}

// proxies lists all upstream proxies of the options.
func proxies(o Options) (all []*Upstream) {
	if o.Upstream != nil {
		all = append(all, o.Upstream)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Upstreams)) {
		all = append(all, o.Upstreams[name])
	}
	return all
}

// upstreamOf returns the upstream proxy with a name; nil if the box must use
// none. Faults: invalid_request for a name that is not configured.
func (d *Proxy) upstreamOf(name string) (*Upstream, error) {
	switch name {
	case "", action.DefaultProxy:
		return d.options.Upstream, nil
	case action.DirectProxy:
		return nil, nil
	}
	if u := d.options.Upstreams[name]; u != nil {
		return u, nil
	}
	return nil, fault.New(fault.InvalidRequest, "there is no upstream proxy %q", name).
		Hinted("name one of security.network.upstream_proxies").With("field", "proxy")
}

// addresses returns the addresses of the proxy itself.
func (u *Upstream) addresses(ctx context.Context) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(u.Host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Host)
	if err != nil || len(all) == 0 {
		return nil, errors.Join(proxyAway, err)
	}
	for i := range all {
		all[i] = all[i].Unmap()
	}
	return all, nil
}

// refuseSelf refuses the upstream proxy itself as a destination.
func (u *Upstream) refuseSelf(ctx context.Context, addrs []netip.Addr, port uint16) error {
	if port != u.Port {
		return nil
	}
	own, err := u.addresses(ctx)
	if err != nil {
		return err
	}
	for _, addr := range addrs {
		if contains(own, addr.Unmap()) {
			return toProxy
		}
	}
	return nil
}

// dial connects to an address through the proxy.
func (u *Upstream) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	conn, err := u.connect(ctx)
	if err != nil {
		return nil, err
	}
	ask := u.handshakeHTTP
	if u.Scheme == "socks5" {
		ask = u.handshakeSOCKS
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = ask(conn, to)
	if stop() && err == nil {
		return conn, nil
	}
	_ = conn.Close()
	if known := failure(""); errors.As(err, &known) {
		return nil, err
	}
	return nil, errors.Join(proxyRefused, context.Cause(ctx), err)
}

// connect connects to the proxy itself.
func (u *Upstream) connect(ctx context.Context) (net.Conn, error) {
	all, err := u.addresses(ctx)
	if err != nil {
		return nil, err
	}
	for _, addr := range all {
		var conn net.Conn
		if conn, err = dialTCP(ctx, netip.AddrPortFrom(addr, u.Port)); err == nil {
			return conn, nil
		}
	}
	return nil, errors.Join(proxyAway, err)
}

// handshakeHTTP requests a tunnel from an HTTP proxy (RFC 9110 section 9.3.6). It
// reads the head of the answer byte by byte, because the bytes after it belong to
// the server.
func (u *Upstream) handshakeHTTP(conn net.Conn, to netip.AddrPort) error {
	login := ""
	if u.Login {
		login = "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(u.Name+":"+u.Password)) + "\r\n"
	}
	if _, err := fmt.Fprintf(conn, "CONNECT %[1]s HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\n", to, login); err != nil {
		return err
	}
	var head []byte
	one := make([]byte, 1)
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if len(head) >= maxProxyReply {
			return errors.New("the proxy's answer is too long")
		}
		if _, err := io.ReadFull(conn, one); err != nil {
			return err
		}
		head = append(head, one[0])
	}
	var minor, status int
	_, err := fmt.Sscanf(string(head), "HTTP/1.%d %d", &minor, &status)
	switch {
	case err != nil:
		return errors.New("the proxy's answer is not HTTP")
	case status == http.StatusProxyAuthRequired:
		return proxyLogin
	case status < 200 || status > 299:
		return fmt.Errorf("the proxy answered %d", status)
	}
	return nil
}

// Constants of SOCKS 5 (RFC 1928, RFC 1929).
const (
	socksVersion   = 5
	socksLogin     = 2 // method: name and password
	socksRefused   = 0xff
	socksConnect   = 1
	socksV4        = 1
	socksName      = 3
	socksV6        = 4
	loginVersion   = 1
	socksSucceeded = 0
)

// handshakeSOCKS requests a connection from a SOCKS 5 proxy.
func (u *Upstream) handshakeSOCKS(conn net.Conn, to netip.AddrPort) error {
	method := byte(0) // none
	if u.Login {
		method = socksLogin
	}
	chosen, err := exchange(conn, []byte{socksVersion, 1, method}, 2)
	switch {
	case err != nil:
		return err
	case chosen[0] != socksVersion:
		return errors.New("the proxy's answer is not SOCKS 5")
	case chosen[1] == socksRefused:
		return proxyLogin
	case chosen[1] != method:
		return errors.New("the proxy chose a method that was not offered")
	}
	if u.Login {
		if err := u.socksLogin(conn); err != nil {
			return err
		}
	}
	kind := byte(socksV6)
	if to.Addr().Is4() {
		kind = socksV4
	}
	request := append([]byte{socksVersion, socksConnect, 0, kind}, to.Addr().AsSlice()...)
	answer, err := exchange(conn, binary.BigEndian.AppendUint16(request, to.Port()), 5)
	if err != nil {
		return err
	}
	if answer[1] != socksSucceeded {
		return fmt.Errorf("the proxy answered %d", answer[1])
	}
	bound := map[byte]int{socksV4: 4, socksV6: 16, socksName: 1 + int(answer[4])}[answer[3]] // its first byte has been read
	if answer[0] != socksVersion || bound == 0 {
		return errors.New("the proxy's answer is not SOCKS 5")
	}
	_, err = io.ReadFull(conn, make([]byte, bound-1+2)) // the port is two bytes
	return err
}

// socksLogin sends the name and the password.
func (u *Upstream) socksLogin(conn net.Conn) error {
	request := append([]byte{loginVersion, byte(len(u.Name))}, u.Name...)
	answer, err := exchange(conn, append(append(request, byte(len(u.Password))), u.Password...), 2)
	if err == nil && answer[1] != socksSucceeded {
		err = proxyLogin
	}
	return err
}

// exchange writes a request and reads an answer of the given length.
func exchange(conn net.Conn, request []byte, length int) ([]byte, error) {
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	answer := make([]byte, length)
	_, err := io.ReadFull(conn, answer)
	return answer, err
}
