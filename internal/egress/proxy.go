// Package egress is the HTTP proxy that Chromium in a box must use, because the
// box has no other network connection. It decides by the rules of the box,
// resolves names itself, connects only to addresses that it has checked, and
// stores what it refused.
//
// Inside TLS the proxy sees only the server name, so it cannot distinguish a
// document from an image. The page engine applies the navigation list to
// documents, and calls Judge for that.
package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Options configure a proxy. The zero Options use the machine's resolver and
// plain TCP, without limits and reports.
type Options struct {
	Resolver       Resolver                                                // nil: net.DefaultResolver
	Dial           func(context.Context, netip.AddrPort) (net.Conn, error) // nil: TCP to exactly this address
	LocalAddresses func() []netip.Addr                                     // addresses of this machine; nil: of its interfaces
	Gateway        []netip.AddrPort                                        // the gateway's listeners; refused even if private addresses are allowed
	Log            *slog.Logger                                            // nil: silent

	Upstream    *Upstream            // a proxy for public addresses; nil: none
	Upstreams   map[string]*Upstream // proxies that a box can use instead, by name
	Authorities *x509.CertPool       // trusted by Transport; nil: those of the machine

	Limits Limits // of each box

	// OnRefused is called for refusals, at most once in ten seconds for the same
	// host and reason. It runs on the connection's goroutine: it may call the
	// proxy but must not block. It may be nil.
	OnRefused func(box string, r action.Refusal)

	// AllowChannel is called on the connection's goroutine before a box opens a
	// WebSocket. An error refuses it. It may wait until ctx ends. nil allows
	// all.
	AllowChannel func(ctx context.Context, box string, c action.Channel) error
}

// Proxy is the proxy of all boxes. It is safe for concurrent use.
type Proxy struct {
	options  Options
	dialer   dialer
	interval time.Duration
	clients  sync.WaitGroup
	mu       sync.Mutex
	boxes    map[string]*box
	closed   bool
}

// New makes a proxy. A box can reach nothing until Open sets its rules.
func New(o Options) *Proxy {
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Dial == nil {
		o.Dial = dialTCP
	}
	if o.LocalAddresses == nil {
		o.LocalAddresses = interfaceAddresses
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Proxy{options: o, boxes: map[string]*box{}}
	d.dialer = dialer{resolver: o.Resolver, connect: o.Dial, localAddresses: o.LocalAddresses, gateway: o.Gateway, proxies: proxies(o)}
	if pace := o.Limits.RequestsPerSecond; pace > 0 {
		d.interval = time.Duration(float64(time.Second) / pace)
	}
	return d
}

// Open sets or replaces the rules of a box. Before it returns, it closes
// connections that the new rules do not allow. Faults: invalid_request, which
// names the bad entry (the old rules then stay), not_active after Shutdown.
func (d *Proxy) Open(box string, n action.Network) error {
	r, err := compile(n)
	if err != nil {
		return err
	}
	if r.upstream, err = d.upstreamOf(n.Proxy); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fault.New(fault.NotActive, "the egress proxy is closed").Hinted("the gateway is stopping; start it again")
	}
	b := d.boxLocked(box)
	b.setRules(r)
	return nil
}

// Close removes a box: its rules, connections and refusals. Further connections
// of it are refused.
func (d *Proxy) Close(box string) {
	d.mu.Lock()
	b := d.boxes[box]
	delete(d.boxes, box)
	d.mu.Unlock()
	if b != nil {
		b.close()
	}
}

// Handle serves one proxy connection of a box and takes ownership of it. It
// returns at once. The connection ends with its client, the box or the proxy, or
// when it is idle for too long.
func (d *Proxy) Handle(box string, conn net.Conn) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		_ = conn.Close()
		return
	}
	b := d.boxLocked(box)
	accepted := b.enter()
	d.clients.Add(1)
	d.mu.Unlock()
	go func() {
		defer d.clients.Done()
		defer d.releaseConn(b, accepted)
		b.serve(conn, accepted)
	}()
}

// releaseConn removes a box without rules when its last connection has ended.
func (d *Proxy) releaseConn(b *box, accepted bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.leave(accepted) && d.boxes[b.name] == b {
		delete(d.boxes, b.name)
		b.cancel()
	}
}

// Judge parses a URL as the proxy does, and says whether a document may be loaded
// from it. It resolves no names; a host with a private address is refused when
// the proxy connects to it. An address that cannot be parsed, or that contains a
// password, is not repeated in the result.
func (d *Proxy) Judge(box, rawURL string) action.Destination {
	if raw, _, _ := strings.Cut(rawURL, "#"); raw == "about:blank" {
		return action.Destination{URL: raw, Allowed: true}
	}
	p, err := parseDestination(rawURL)
	if err != nil {
		return action.Destination{Reason: err.Error()}
	}
	to := action.Destination{URL: p.url, Host: p.host, Site: p.site()}
	d.mu.Lock()
	b := d.boxes[box]
	d.mu.Unlock()
	if err := b.current().allowDocument(p); err != nil {
		to.Reason = err.Error()
		return to
	}
	to.Allowed = true
	return to
}

// Refusals returns the last 1000 refusals of a box, oldest first.
func (d *Proxy) Refusals(box string) []action.Refusal {
	d.mu.Lock()
	b := d.boxes[box]
	d.mu.Unlock()
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refusals.list()
}

// Shutdown closes every box, refuses new connections, and waits until the
// existing ones have ended or ctx ends.
func (d *Proxy) Shutdown(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	boxes := d.boxes
	d.boxes = map[string]*box{}
	d.mu.Unlock()
	for _, b := range boxes {
		b.close()
	}
	done := make(chan struct{})
	go func() {
		d.clients.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Proxy) boxLocked(name string) *box {
	b := d.boxes[name]
	if b == nil {
		b = newBox(d, name)
		d.boxes[name] = b
	}
	return b
}

// Transport returns a transport that fetches as a box does, for what needs no
// browser: robots.txt and sitemaps. It uses proxy connections of the box, so the
// same rules apply. If the proxy answers instead of the server, that is an answer
// with the header X-Glovebox-Refused or X-Glovebox-Failed over plain http, and an
// error over https. The caller must close idle connections.
func (d *Proxy) Transport(box string) *http.Transport {
	proxy := &url.URL{Scheme: "http", Host: "proxy.invalid"}
	return &http.Transport{
		Proxy: http.ProxyURL(proxy),
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			d.Handle(box, theirs)
			return ours, nil
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: d.options.Authorities},
		MaxConnsPerHost:        4,
		IdleConnTimeout:        10 * time.Second,
		ResponseHeaderTimeout:  responseTime,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHead,
	}
}

// Unreached returns why a box cannot open a tunnel to the host of a URL, with the
// text of X-Glovebox-Failed; "" if it can, or if the rules refuse it. It sends
// nothing to the host.
func (d *Proxy) Unreached(ctx context.Context, box, rawURL string) string {
	said, enough := "", errors.New("this is all there is to know")
	t := d.Transport(box)
	t.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		said = answer.Header.Get("X-Glovebox-Failed")
		return enough
	}
	defer t.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, rawURL, nil)
	if err != nil || r.URL.Scheme != "https" {
		return ""
	}
	if answer, err := t.RoundTrip(r); err == nil {
		_ = answer.Body.Close()
	}
	return said
}
