// Package stream shows the picture of a session to people and takes their input:
// by WebRTC, or over a WebSocket where WebRTC does not come up. Signaling is the
// protocol of Neko, version 3, with some events of our own (docs/live.md).
package stream

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/pion/webrtc/v4"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Options says where media is received. One of Media and SocketOnly must be set.
type Options struct {
	Log     *slog.Logger
	Viewers int // at most at the same time, of all sessions
	Media   Media
	// SocketOnly says that no port is opened: pictures are sent over the WebSocket
	// of the signaling alone.
	SocketOnly bool
}

// Media says at which addresses viewers reach the gateway by WebRTC. At least UDP
// or TCP must be valid. Port 0 is a free port. An unspecified address, such as
// 0.0.0.0, means all interfaces.
type Media struct {
	UDP netip.AddrPort // one port for all viewers
	TCP netip.AddrPort // the same over TCP (RFC 6544)
	// Ports, if set, is used instead of one UDP port: each viewer has a port of the
	// range at the address of UDP, whose port must be 0.
	Ports PortRange
	// Public has the addresses that viewers are told instead of those of this
	// machine, for a gateway behind address translation. It may be empty.
	Public []netip.Addr
	// STUN has the servers that viewers are told to use, such as
	// "stun:stun.example.org:3478". It may be empty.
	STUN []string
}

// PortRange is a range of UDP ports, both ends included. The zero value is none.
type PortRange struct{ First, Last uint16 }

// limits are how long the parts of a connection may take, and how much may wait.
type limits struct {
	connect   time.Duration // until WebRTC is connected
	noPicture time.Duration // how long a viewer may be without a picture
	write     time.Duration // of a message to the viewer
	pingEvery time.Duration
	pong      time.Duration // until the viewer answers a ping
	call      time.Duration // of a call of the session
	silence   time.Duration // of a viewer whose media is then called disconnected, and failed after as long again
	// firstMessage is how long a TCP connection may be open before its first valid message.
	firstMessage time.Duration
	perSecond    int // events of input of one viewer
	tcpBuffer    int // bytes that wait to be sent over TCP
}

func defaultLimits() limits {
	return limits{
		connect: 15 * time.Second, noPicture: 30 * time.Second, write: 10 * time.Second,
		pingEvery: 10 * time.Second, pong: 20 * time.Second, call: 15 * time.Second,
		silence:      8 * time.Second, // browsers check the connection about every 2 s (RFC 7675)
		firstMessage: 5 * time.Second,
		perSecond:    2000,      // twice what a fast mouse reports
		tcpBuffer:    128 << 10, // half a second of a picture that changes
	}
}

// Server serves viewers of all sessions. It owns the ports of the media.
type Server struct {
	options Options
	limits  limits
	log     *slog.Logger
	media   *media // nil with SocketOnly

	ctx     context.Context //nolint:containedctx // the life of the server
	end     context.CancelCauseFunc
	mu      sync.Mutex
	closed  bool
	viewers int
	running sync.WaitGroup
}

var errClosed = fault.New(fault.NotActive, "the gateway ends").Hinted("connect when it runs again")

// New opens the ports of the media. Faults: invalid_request for options that
// contradict each other, start_failed for a port that cannot be opened.
func New(options Options) (*Server, error) { return newServer(options, defaultLimits()) }

func newServer(options Options, limits limits) (*Server, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	s := &Server{options: options, limits: limits, log: options.Log}
	if !options.SocketOnly {
		m, err := openMedia(options, limits)
		if err != nil {
			return nil, err
		}
		s.media = m
	}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

func (o Options) check() error {
	bad := func(format string, args ...any) error { return fault.New(fault.InvalidRequest, format, args...) }
	m := o.Media
	ports := m.Ports != PortRange{}
	switch {
	case o.Log == nil:
		return bad("a log is required")
	case o.Viewers <= 0:
		return bad("the number of viewers must be at least 1")
	case o.SocketOnly && (m.UDP.IsValid() || m.TCP.IsValid() || ports):
		return bad("no address of media may be set if pictures are sent over the WebSocket only")
	case !o.SocketOnly && !m.UDP.IsValid() && !m.TCP.IsValid():
		return bad("an address for media over UDP or TCP is required")
	case ports && !m.UDP.IsValid():
		return bad("a range of ports needs the address of UDP")
	case ports && m.UDP.Port() != 0:
		return bad("set a UDP port or a range of ports, not both")
	case ports && (m.Ports.First == 0 || m.Ports.Last < m.Ports.First):
		return bad("the range of ports %d to %d is not valid", m.Ports.First, m.Ports.Last)
	}
	for _, server := range m.STUN {
		if !strings.HasPrefix(server, "stun:") {
			return bad("%q is not the address of a STUN server", server)
		}
	}
	return nil
}

// Addresses returns the UDP and TCP addresses where media is received; an invalid
// one if there is none.
func (s *Server) Addresses() (udp, tcp netip.AddrPort) {
	if s.media == nil {
		return netip.AddrPort{}, netip.AddrPort{}
	}
	return s.media.udp, s.media.tcp
}

// Serve makes the connection of a request a WebSocket and serves a viewer on it
// until the viewer leaves, the session or the request's context ends, or the
// server is closed. It closes the view. The caller has verified the origin and
// the token of the request.
//
// An error means that nothing was answered. Faults: invalid_request for a request
// that is not for a WebSocket, limit_reached, not_active.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, view action.View) error {
	if err := s.enter(); err != nil {
		view.Close()
		return err
	}
	defer s.leave()
	defer view.Close()
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		return fault.New(fault.InvalidRequest, "only WebSockets are served here").Hinted("open /live/ and the id of the session in a browser")
	}
	state, _, err := view.State()
	if err != nil {
		return err
	}
	serveViewer(s, w, r, view, state)
	return nil
}

func (s *Server) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.viewers >= s.options.Viewers {
		return fault.New(fault.LimitReached, "%d people watch already", s.viewers).Hinted("close another live view, or raise the limit of viewers")
	}
	s.viewers++
	s.running.Add(1)
	return nil
}

func (s *Server) leave() {
	s.mu.Lock()
	s.viewers--
	s.mu.Unlock()
	s.running.Done()
}

// Close disconnects all viewers, waits for them and closes the ports. A second call
// does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	if again {
		return nil
	}
	s.end(errClosed)
	s.running.Wait()
	if s.media == nil {
		return nil
	}
	return s.media.close()
}

// iceServers is what viewers are told.
func (s *Server) iceServers() []webrtc.ICEServer {
	if len(s.options.Media.STUN) == 0 {
		return []webrtc.ICEServer{}
	}
	return []webrtc.ICEServer{{URLs: s.options.Media.STUN}}
}

var errLeft = errors.New("the viewer left")
