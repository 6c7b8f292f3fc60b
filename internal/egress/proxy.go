// Package egress is the only way out of a box: the HTTP proxy that Chromium in
// a box must use, because the box has no other route. It decides by host from
// the rules of the box, resolves names itself, connects only to addresses it
// has checked, and keeps what it refused.
//
// Inside TLS the proxy sees only the server name, so that it cannot tell a document from
// an image. The page engine holds documents to the navigation list, and asks Judge for
// that.
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

// Options are what a proxy is made of. The zero Options work: the machine's
// resolver, plain TCP, no limits, no reports.
type Options struct {
	Resolver       Resolver                                                // nil: net.DefaultResolver
	Dial           func(context.Context, netip.AddrPort) (net.Conn, error) // nil: TCP to exactly that address
	LocalAddresses func() []netip.Addr                                     // addresses of this machine; nil: of its interfaces
	Gateway        []netip.AddrPort                                        // the gateway's listeners: refused even where private addresses are allowed
	Log            *slog.Logger                                            // nil: silent

	Upstream    *Upstream            // a proxy for public addresses; nil: none
	Upstreams   map[string]*Upstream // proxies that boxes name in its place
	Authorities *x509.CertPool       // what Transport trusts; nil: what the machine does

	Limits Limits // of each box

	// OnRefused is called for each refusal; for the same host and reason once in ten
	// seconds. It is called from the connection's goroutine: it may call the
	// proxy, and must not block. May be nil.
	OnRefused func(box string, r action.Refusal)

	// AllowChannel is called before a box opens a WebSocket, from the connection's
	// goroutine. An error refuses it. It may wait until ctx ends. nil allows all.
	AllowChannel func(ctx context.Context, box string, c action.Channel) error
}

// Proxy is the way out of all boxes. It is safe for concurrent use.
type Proxy struct {
	options  Options
	dialer   dialer
	interval time.Duration
	clients  sync.WaitGroup
	mu       sync.Mutex
	boxes    map[string]*box
	closed   bool
}

// New makes a proxy through which nothing goes until Open.
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

// Open sets or replaces the rules of a box. Connections that the new rules do
// not allow are closed before it returns. Faults: invalid_request naming the
// entry that cannot be read (the rules of before then stay), not_active after
// Shutdown.
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

// Close ends a box's rules, connections and memory. From then on its
// connections are refused.
func (d *Proxy) Close(box string) {
	d.mu.Lock()
	b := d.boxes[box]
	delete(d.boxes, box)
	d.mu.Unlock()
	if b != nil {
		b.close()
	}
}

// Handle serves one proxy connection of a box and owns it from then on. It
// returns at once; the connection ends with its client, the box, the proxy, or
// by being idle.
func (d *Proxy) Handle(box string, conn net.Conn) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		_ = conn.Close()
		return
	}
	b := d.boxLocked(box)
	room := b.enter()
	d.clients.Add(1)
	d.mu.Unlock()
	go func() {
		defer d.clients.Done()
		defer d.releaseConn(b, room)
		b.serve(conn, room)
	}()
}

// releaseConn forgets a box that nobody opened once its last connection has gone.
func (d *Proxy) releaseConn(b *box, room bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.leave(room) && d.boxes[b.name] == b {
		delete(d.boxes, b.name)
		b.cancel()
	}
}

// Judge says where a URL goes and whether a document may be loaded from there,
// as the proxy itself reads it. It resolves no names: a host with a
// private address is refused when it is connected to. An address
// that cannot be read, or that holds a password, is not repeated.
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

// Shutdown closes every box, takes no more connections, and waits until the
// ones there were have ended, or until ctx ends.
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

// Transport returns a way to fetch as a box would, for what needs no browser:
// robots.txt and sitemaps. Its connections are proxy connections of the box
// like the browser's own, so the same rules let them through or refuse them.
// An answer of the proxy in place of the server's has the header X-Glovebox-Refused or
// X-Glovebox-Failed over plain http, and is an error over https. The caller
// closes idle connections.
func (d *Proxy) Transport(box string) *http.Transport {
	proxy := &url.URL{Scheme: "http", Host: "door.invalid"}
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

// Unreached says why a box can open no tunnel to the host of a URL, in the words
// of X-Glovebox-Failed; "" where it can, or where that is refused. Nothing is
// sent to the host.
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
