package engine_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// multiplexed is a server that takes WebSockets on a connection of HTTP/2 that is
// there for other requests (RFC 8441).
type multiplexed struct {
	mu     sync.Mutex
	opened int
	closed chan struct{} // a WebSocket's stream came to its end
	pages  map[string]string
}

func (m *multiplexed) serve(conn *tls.Conn) {
	defer func() { _ = conn.Close() }()
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(conn, preface); err != nil {
		return
	}
	f := http2.NewFramer(conn, conn)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingEnableConnectProtocol, Val: 1})
	sockets := map[uint32]bool{}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			for range sockets {
				m.over()
			}
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = f.WriteSettingsAck()
			}
		case *http2.PingFrame:
			_ = f.WritePing(true, frame.Data)
		case *http2.RSTStreamFrame:
			if sockets[frame.StreamID] {
				delete(sockets, frame.StreamID)
				m.over()
			}
		case *http2.MetaHeadersFrame:
			if frame.PseudoValue("method") == http.MethodConnect {
				m.mu.Lock()
				m.opened++
				m.mu.Unlock()
				sockets[frame.StreamID] = true
				m.answer(f, frame.StreamID, nil, false)
				continue
			}
			m.answer(f, frame.StreamID, []byte(m.pages[frame.PseudoValue("path")]), true)
		case *http2.DataFrame:
			if sockets[frame.StreamID] && frame.StreamEnded() {
				delete(sockets, frame.StreamID)
				m.over()
			}
		}
	}
}

func (m *multiplexed) over() {
	select {
	case m.closed <- struct{}{}:
	default:
	}
}

func (m *multiplexed) answer(f *http2.Framer, stream uint32, body []byte, ends bool) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	fields := []hpack.HeaderField{{Name: ":status", Value: "200"}}
	if ends {
		kind := "text/html"
		if bytes.HasPrefix(body, []byte("//")) {
			kind = "text/javascript"
		}
		fields = append(fields, hpack.HeaderField{Name: "content-type", Value: kind})
	}
	for _, field := range fields {
		_ = e.WriteField(field)
	}
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true})
	if ends {
		_ = f.WriteData(stream, true, body)
	}
}

func (m *multiplexed) listen(t *testing.T) string {
	t.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate
	certificate := certified.TLS.Certificates[0]
	certified.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12})
	must(t, err)
	var serving sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			serving.Go(func() { m.serve(conn.(*tls.Conn)) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return l.Addr().String()
}

// A WebSocket that shares a connection of HTTP/2 with other requests is no
// connection of its own that could be held. Where it is not allowed, what opened
// it is ended, document or worker, and the channel with it.
func TestAWebSocketOnASharedConnectionIsEnded(t *testing.T) {
	chromium := browsertest.For(t, "--ignore-certificate-errors")
	var mu sync.Mutex
	var asked []action.Request
	let := true
	b, err := engine.Open(t.Context(), chromium.Transport(), engine.Options{Width: 800, Height: 600, Guard: openAll, Owns: openAll,
		Outgoing: func(_ context.Context, r action.Request) (action.Ruling, error) {
			mu.Lock()
			defer mu.Unlock()
			if r.Kind != action.ChannelKind {
				return action.Ruling{}, nil
			}
			asked = append(asked, r)
			if let {
				return action.Ruling{}, nil
			}
			return action.Ruling{}, fault.New(fault.DeniedByPolicy, "not this").Hinted("try another")
		}})
	must(t, err)
	t.Cleanup(func() { _ = b.Close() })
	tr := &trial{Browser: b, t: t, ctx: t.Context()}
	m := &multiplexed{closed: make(chan struct{}, 10)}
	address := m.listen(t)
	socket := "wss://" + address + "/socket"
	m.pages = map[string]string{"/": "<title>start</title>",
		"/worker.js": "//\nconst open = () => { new WebSocket('" + socket + "') }; onconnect = open; if (self.DedicatedWorkerGlobalScope) open();"}
	for _, way := range []string{"new WebSocket('" + socket + "')", "new Worker('/worker.js')", "new SharedWorker('/worker.js').port.start()"} {
		for _, allowed := range []bool{true, false} {
			mu.Lock()
			let, asked = allowed, nil
			mu.Unlock()
			tr.must("page.goto", &action.Goto{URL: "https://" + address + "/"})
			tr.must("page.execute", &action.Execute{Expression: "void (window.kept = " + way + ")"})
			testwait.For(t, "a WebSocket of "+way, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(asked) > 0 && asked[0].Open && asked[0].URL == socket
			})
			if allowed {
				select {
				case <-m.closed:
					t.Errorf("%s: an allowed channel came to its end", way)
				case <-time.After(200 * time.Millisecond):
				}
			} else {
				testwait.Receive(t, m.closed, "the end of a channel that is not allowed: "+way)
			}
			tr.must("page.goto", &action.Goto{URL: "about:blank"})
			if allowed {
				testwait.Receive(t, m.closed, "the end of a channel whose document was left: "+way)
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.opened != 6 {
		t.Errorf("%d channels reached the server", m.opened)
	}
}
