package stream

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/nack"
	"github.com/pion/interceptor/pkg/report"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v4"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	clockRate = 90_000          // ticks a second of RTP time stamps of video (RFC 3551)
	mtu       = 1200            // bytes of an RTP packet: fits any path with IPv6 and encryption
	sentKept  = 512             // packets kept to be sent again; a power of two
	tcpQueue  = 64              // packets of a TCP connection that wait to be read
	maxSCTP   = 64 << 10        // bytes of a message of the data channel
	keepAlive = 2 * time.Second // between packets that keep translations of addresses
)

// media holds the ports that all viewers share.
type media struct {
	api      *webrtc.API
	limits   limits
	udp, tcp netip.AddrPort
	port     *tcpPort // nil without TCP
	closers  []io.Closer
}

// openMedia opens the ports. ICE is the lite variant (RFC 8445, 2.5): the gateway
// answers connectivity checks and sends none, so that a viewer cannot make it
// send packets to addresses of the viewer's choice.
func openMedia(options Options, limits limits) (*media, error) {
	m := &media{limits: limits}
	if err := m.open(options); err != nil {
		_ = m.close()
		return nil, err
	}
	return m, nil
}

func (m *media) open(options Options) (err error) {
	var settings webrtc.SettingEngine
	quiet := &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled, ScopeLevels: map[string]logging.LogLevel{}}
	settings.LoggerFactory = quiet
	settings.SetLite(true)
	settings.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	settings.SetIncludeLoopbackCandidate(true)
	settings.DisableActiveTCP(true)
	settings.SetICETimeouts(m.limits.silence, m.limits.silence, keepAlive)
	settings.SetSCTPMaxMessageSize(maxSCTP)
	var networks []webrtc.NetworkType
	if options.Media.UDP.IsValid() {
		networks = append(networks, webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6)
		if err := m.openUDP(options.Media, &settings, quiet); err != nil {
			return err
		}
	}
	if options.Media.TCP.IsValid() {
		networks = append(networks, webrtc.NetworkTypeTCP4, webrtc.NetworkTypeTCP6)
		if err := m.openTCP(options.Media.TCP, &settings, quiet); err != nil {
			return err
		}
	}
	settings.SetNetworkTypes(networks)
	if err := setPublic(options.Media.Public, &settings); err != nil {
		return err
	}
	m.api, err = newAPI(settings)
	return err
}

func (m *media) openUDP(where Media, settings *webrtc.SettingEngine, quiet logging.LoggerFactory) error {
	m.udp = where.UDP
	if where.Ports != (PortRange{}) {
		if ip := where.UDP.Addr(); !ip.IsUnspecified() {
			settings.SetIPFilter(func(other net.IP) bool { return other.Equal(ip.AsSlice()) })
		}
		return settings.SetEphemeralUDPPortRange(where.Ports.First, where.Ports.Last)
	}
	socket, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(where.UDP))
	if err != nil {
		return cannotOpen("UDP", where.UDP, err)
	}
	m.udp = unmapped(socket.LocalAddr().(*net.UDPAddr).AddrPort())
	mux := webrtc.NewICEUDPMux(quiet.NewLogger("ice"), socket)
	m.closers = append(m.closers, mux, ignoreClosed{socket})
	settings.SetICEUDPMux(mux)
	return nil
}

func (m *media) openTCP(where netip.AddrPort, settings *webrtc.SettingEngine, quiet logging.LoggerFactory) error {
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(where))
	if err != nil {
		return cannotOpen("TCP", where, err)
	}
	m.tcp = unmapped(listener.Addr().(*net.TCPAddr).AddrPort())
	m.port = newTCPPort(unbuffered{listener, m.limits.tcpBuffer}, m.limits)
	// Without a buffer for writing, a viewer that reads slowly slows down the
	// reader of the pictures, which then leaves some out.
	mux := ice.NewTCPMuxDefault(ice.TCPMuxParams{
		Listener: m.port, Logger: quiet.NewLogger("ice"), ReadBufferSize: tcpQueue,
		FirstStunBindTimeout: m.limits.firstMessage, AliveDurationForConnFromStun: m.limits.firstMessage,
	})
	m.closers = append(m.closers, mux)
	settings.SetICETCPMux(peerMux{mux, m.port})
	return nil
}

// unbuffered gives connections a small buffer for sending: what waits there makes
// the picture late.
type unbuffered struct {
	*net.TCPListener
	bytes int
}

// Accept returns the next connection.
func (l unbuffered) Accept() (net.Conn, error) {
	conn, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	_ = conn.SetWriteBuffer(l.bytes) // a hint
	return conn, nil
}

func setPublic(addresses []netip.Addr, settings *webrtc.SettingEngine) error {
	if len(addresses) == 0 {
		return nil
	}
	rule := webrtc.ICEAddressRewriteRule{AsCandidateType: webrtc.ICECandidateTypeHost, Mode: webrtc.ICEAddressRewriteReplace}
	for _, a := range addresses {
		rule.External = append(rule.External, a.String())
	}
	if err := settings.SetICEAddressRewriteRules(rule); err != nil {
		return fault.New(fault.InvalidRequest, "the public addresses of the media are not valid").Because(err)
	}
	return nil
}

// newAPI makes an API that sends VP8 and H.264 and sends lost packets again.
func newAPI(settings webrtc.SettingEngine) (*webrtc.API, error) {
	var engine webrtc.MediaEngine
	for _, c := range codecsOfRTP {
		again := webrtc.RTPCodecParameters{PayloadType: c.payload + 1, RTPCodecCapability: webrtc.RTPCodecCapability{
			MimeType: webrtc.MimeTypeRTX, ClockRate: clockRate, SDPFmtpLine: c.again,
		}}
		own := webrtc.RTPCodecParameters{PayloadType: c.payload, RTPCodecCapability: c.capability}
		if err := errors.Join(engine.RegisterCodec(own, webrtc.RTPCodecTypeVideo), engine.RegisterCodec(again, webrtc.RTPCodecTypeVideo)); err != nil {
			return nil, fault.New(fault.StartFailed, "cannot describe the codecs").Because(err)
		}
	}
	resend, err := nack.NewResponderInterceptor(nack.ResponderSize(sentKept))
	if err != nil {
		return nil, fault.New(fault.StartFailed, "cannot prepare resending of packets").Because(err)
	}
	reports, err := report.NewSenderInterceptor()
	if err != nil {
		return nil, fault.New(fault.StartFailed, "cannot prepare reports").Because(err)
	}
	var chain interceptor.Registry
	chain.Add(resend)
	chain.Add(reports)
	return webrtc.NewAPI(webrtc.WithSettingEngine(settings), webrtc.WithMediaEngine(&engine), webrtc.WithInterceptorRegistry(&chain)), nil
}

func (m *media) close() error {
	var errs []error
	for _, c := range m.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// ignoreClosed closes a socket that may have been closed already.
type ignoreClosed struct{ io.Closer }

// Close closes the socket.
func (c ignoreClosed) Close() error {
	if err := c.Closer.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

func cannotOpen(network string, where netip.AddrPort, err error) error {
	return fault.New(fault.StartFailed, "cannot receive media at %s over %s", where, network).
		Hinted("choose another address or port of this machine for the live view").Because(err)
}
