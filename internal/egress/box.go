package egress

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// box is the proxy's state for one box.
type box struct {
	name       string
	proxy      *Proxy
	ctx        context.Context // ends with the box and closes all its connections
	cancel     context.CancelFunc
	transport  *http.Transport // plain http only
	rate       rateLimit
	bytesMoved atomic.Int64 // bytes, both ways
	overLimit  atomic.Bool  // it has reached its limit of bytes

	mu       sync.Mutex
	rules    *rules // nil means that everything is refused
	clients  int
	flows    map[*flow]struct{}
	refusals refusalLog
}

// flow is an allowed request or tunnel. It ends when the rules no longer allow
// it.
type flow struct {
	destination
	private  bool
	upstream *Upstream // by the rules when it was allowed; nil for none
	method   string
	ctx      context.Context
	cancel   context.CancelFunc

	disconnect func() // closes its connections; nil while it has none. Guarded by box.mu
}

type flowKey struct{}

func newBox(d *Proxy, name string) *box {
	b := &box{name: name, proxy: d, flows: map[*flow]struct{}{}, rate: rateLimit{interval: d.interval, slack: burst}}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.transport = &http.Transport{
		DialContext:            b.dialPlain,
		DisableCompression:     true, // do not change bodies
		MaxIdleConnsPerHost:    6,    // Chromium's own limit to one host
		IdleConnTimeout:        30 * time.Second,
		ResponseHeaderTimeout:  responseTime,
		MaxResponseHeaderBytes: maxHead * 4,
	}
	return b
}

// enter counts a connection, and reports whether the box may have it.
func (b *box) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.clients >= b.proxy.options.Limits.connections() {
		return false
	}
	b.clients++
	return true
}

// leave undoes enter, and reports whether the box has neither connections nor
// rules any more.
func (b *box) leave(accepted bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if accepted {
		b.clients--
	}
	return b.clients == 0 && b.rules == nil
}

// current returns the current rules; a nil box has none.
func (b *box) current() *rules {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rules
}

// setRules replaces the rules. When it returns, every tunnel that they do not allow
// is closed.
func (b *box) setRules(r *rules) {
	b.replaceRules(r, func(f *flow) bool {
		return r.allow(f.destination) != nil || f.private && !r.private[f.authority()] || f.upstream != r.upstream
	})
	b.transport.CloseIdleConnections()
}

// close ends the box. When it returns, every tunnel is closed.
func (b *box) close() {
	b.replaceRules(nil, func(*flow) bool { return true })
	b.cancel()
	b.transport.CloseIdleConnections()
}

// replaceRules replaces the rules and ends the flows that match.
func (b *box) replaceRules(r *rules, match func(*flow) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rules = r
	for f := range b.flows {
		if !match(f) {
			continue
		}
		f.cancel()
		if f.disconnect != nil {
			f.disconnect()
		}
	}
}

// onEnd sets what closes the connections of a flow. It is called before the call
// that ends the flow returns; at once if the flow has ended.
func (b *box) onEnd(f *flow, disconnect func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.disconnect = disconnect; f.ctx.Err() != nil {
		disconnect()
	}
}

// admit allows or refuses a request to p. It checks the rules and registers the
// flow under one lock, so that no flow is missed when the rules change.
func (b *box) admit(method string, p destination) (*flow, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.rules.allow(p); err != nil {
		return nil, err
	}
	if b.overLimit.Load() {
		return nil, overBytes
	}
	f := &flow{destination: p, private: b.rules.private[p.authority()], upstream: b.rules.upstream, method: method}
	f.ctx, f.cancel = withLimit(context.WithValue(b.ctx, flowKey{}, f), b.proxy.options.Limits.Connection)
	b.flows[f] = struct{}{}
	return f, nil
}

// withLimit returns a context that ends with its parent, or after limit if that
// is above 0.
func withLimit(parent context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(parent)
	}
	return context.WithTimeout(parent, limit)
}

func (b *box) end(f *flow) {
	if errors.Is(f.ctx.Err(), context.DeadlineExceeded) {
		b.refuse(f.method, f.host, "", tooLong)
	}
	f.cancel()
	b.mu.Lock()
	delete(b.flows, f)
	b.mu.Unlock()
}

// refuse stores a refusal and reports it by OnRefused. It removes the query of
// the URL, which may contain secrets.
func (b *box) refuse(method, host, url string, why reason) {
	r := action.Refusal{Time: time.Now(), Host: host, URL: url, Reason: string(why), Page: !isBackground(host, method)}
	b.mu.Lock()
	news := b.refusals.add(r)
	b.mu.Unlock()
	if !news {
		return
	}
	b.proxy.options.Log.Info("egress refused", "box", b.name, "host", host, "reason", why, "page", r.Page)
	if b.proxy.options.OnRefused != nil {
		b.proxy.options.OnRefused(b.name, r)
	}
}

// dialPlain connects for the transport. The request's context has the destination
// that was checked.
func (b *box) dialPlain(ctx context.Context, _, _ string) (net.Conn, error) {
	f, ok := ctx.Value(flowKey{}).(*flow)
	if !ok {
		return nil, noRules
	}
	return b.dial(ctx, f)
}

// dial connects for a flow; the connection ends with the box.
func (b *box) dial(ctx context.Context, f *flow) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	conn, err := b.proxy.dialer.dial(ctx, f.destination, f.private, f.upstream)
	if err != nil {
		return nil, err
	}
	t := &contextConn{Conn: conn}
	t.stop = context.AfterFunc(b.ctx, func() { _ = conn.Close() })
	return t, nil
}

// contextConn is a connection that is closed when a context ends.
type contextConn struct {
	net.Conn
	stop func() bool
}

// Close closes the connection and releases the context.
func (t *contextConn) Close() error {
	t.stop()
	return t.Conn.Close()
}

// CloseWrite closes the sending direction.
func (t *contextConn) CloseWrite() error { return closeWrite(t.Conn) }
