package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/pion/rtcp"
	"github.com/pion/webrtc/v4"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/stream"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var anyPort = netip.MustParseAddrPort("127.0.0.1:0")

// blackhole is an address for documentation (RFC 5737): nothing answers there.
var blackhole = []netip.Addr{netip.MustParseAddr("192.0.2.1")}

var errSessionClosed = fault.New(fault.NotActive, "the session was closed")

var both = stream.Media{UDP: anyPort, TCP: anyPort}

// rig is a server with a session.
type rig struct {
	*session
	server  *stream.Server
	http    *httptest.Server
	context context.Context // of requests
	end     context.CancelCauseFunc
}

func newRig(t *testing.T, media stream.Media, change ...func(*stream.Options, *stream.Limits)) *rig {
	t.Helper()
	s := newSession(t)
	options := stream.Options{Log: slog.New(slog.DiscardHandler), Viewers: 100, Media: media, SocketOnly: !media.UDP.IsValid() && !media.TCP.IsValid()}
	var short stream.Limits
	for _, f := range change {
		f(&options, &short)
	}
	server, err := stream.NewWithLimits(options, short)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{session: s, server: server}
	r.context, r.end = context.WithCancelCause(context.Background())
	t.Cleanup(func() { r.end(nil) })
	mux := http.NewServeMux()
	mux.Handle("GET /live/", stream.Page())
	mux.HandleFunc("GET /v1/sessions/{session}/desktop/stream/signaling", func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Query().Get("access_token") == "" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		q = q.WithContext(r.context)
		if err := server.Serve(w, q, s.connect(q.URL.Query().Get("access_token"))); err != nil {
			http.Error(w, fault.From(err).Message, fault.From(err).Code.Info().Status)
		}
	})
	r.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		r.http.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open != 0 {
			t.Errorf("%d views or videos were not closed", s.open)
		}
	})
	return r
}

func impatient(short stream.Limits) func(*stream.Options, *stream.Limits) {
	return func(_ *stream.Options, l *stream.Limits) { *l = short }
}

type message struct {
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
}

// client is a viewer that speaks the protocol by hand.
type client struct {
	t       *testing.T
	conn    *websocket.Conn
	ctx     context.Context
	rewrite func(sdp string) string // of offers; may be nil

	mu     sync.Mutex
	events []message
	binary [][]byte
	news   chan struct{}
	err    error
}

func (r *rig) dial(t *testing.T, name string) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(testwait.Context(t))
	at := strings.Replace(r.http.URL, "http", "ws", 1) + "/v1/sessions/s1/desktop/stream/signaling?access_token=" + name
	conn, _, err := websocket.Dial(ctx, at, nil)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	c := &client{t: t, conn: conn, ctx: ctx, news: make(chan struct{})}
	var reading sync.WaitGroup
	reading.Go(c.read)
	t.Cleanup(func() { _ = conn.CloseNow(); cancel(); reading.Wait() })
	return c
}

func (c *client) read() {
	for {
		kind, data, err := c.conn.Read(c.ctx)
		c.mu.Lock()
		if err != nil {
			c.err = err
		} else if kind == websocket.MessageBinary {
			c.binary = append(c.binary, data)
		} else {
			var m message
			if err := json.Unmarshal(data, &m); err != nil {
				c.t.Errorf("the gateway sent %q", data)
			}
			c.events = append(c.events, m)
		}
		close(c.news)
		c.news = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (c *client) send(event string, payload any) {
	c.t.Helper()
	text, err := json.Marshal(map[string]any{"event": event, "payload": payload})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.conn.Write(c.ctx, websocket.MessageText, text); err != nil {
		c.t.Fatal(err)
	}
}

// until waits until a condition on what arrived holds.
func (c *client) until(what string, holds func() bool) {
	c.t.Helper()
	for {
		c.mu.Lock()
		done, news, err := holds(), c.news, c.err
		c.mu.Unlock()
		if done {
			return
		}
		if err != nil {
			c.t.Fatalf("waiting for %s: %v; events %s", what, err, c.told())
		}
		select {
		case <-news:
		case <-c.ctx.Done():
			c.t.Fatalf("no %s; events %s", what, c.told())
		}
	}
}

func (c *client) told() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, m := range c.events {
		names = append(names, m.Event+string(m.Payload[:min(len(m.Payload), 200)]))
	}
	return strings.Join(names, "\n")
}

// await waits for an event, removes it, and reads its payload.
func (c *client) await(event string, into any) {
	c.t.Helper()
	c.until(event, func() bool {
		for i, m := range c.events {
			if m.Event != event {
				continue
			}
			c.events = append(c.events[:i:i], c.events[i+1:]...)
			if into != nil {
				if err := json.Unmarshal(m.Payload, into); err != nil {
					c.t.Errorf("%s: %v", event, err)
				}
			}
			return true
		}
		return false
	})
}

type refusal struct{ Event, Code, Message, Hint string }

// viewer is a client with a WebRTC connection, as Neko's.
type viewer struct {
	*client
	pc      *webrtc.PeerConnection
	data    chan *webrtc.DataChannel
	packets chan int // bytes of RTP
}

// watch connects a viewer to the picture.
func (c *client) watch(change ...func(*webrtc.SettingEngine)) *viewer {
	c.t.Helper()
	var settings webrtc.SettingEngine
	settings.SetIncludeLoopbackCandidate(true)
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeTCP4})
	for _, f := range change {
		f(&settings)
	}
	v := &viewer{client: c, data: make(chan *webrtc.DataChannel, 1), packets: make(chan int, 10_000)}
	var err error
	if v.pc, err = webrtc.NewAPI(webrtc.WithSettingEngine(settings)).NewPeerConnection(webrtc.Configuration{}); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = v.pc.GracefulClose() })
	v.pc.OnDataChannel(func(d *webrtc.DataChannel) {
		d.OnOpen(func() { v.data <- d })
	})
	v.pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		buffer := make([]byte, 2000)
		for {
			n, _, err := track.Read(buffer)
			if err != nil {
				return
			}
			select {
			case v.packets <- n:
			default:
			}
		}
	})
	c.send("signal/request", map[string]any{"video": map[string]any{}, "audio": map[string]any{"disabled": true}})
	v.answer("signal/provide")
	return v
}

// answer answers an offer of the gateway.
func (v *viewer) answer(event string) {
	v.t.Helper()
	var offer struct{ SDP string }
	v.await(event, &offer)
	if v.rewrite != nil {
		offer.SDP = v.rewrite(offer.SDP)
	}
	if err := v.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer.SDP}); err != nil {
		v.t.Fatal(err)
	}
	answer, err := v.pc.CreateAnswer(nil)
	if err != nil {
		v.t.Fatal(err)
	}
	if err := v.pc.SetLocalDescription(answer); err != nil {
		v.t.Fatal(err)
	}
	v.send("signal/answer", map[string]any{"sdp": answer.SDP})
}

// see waits for RTP packets.
func (v *viewer) see(n int) {
	v.t.Helper()
	for range n {
		select {
		case <-v.packets:
		case <-v.ctx.Done():
			v.t.Fatalf("no packets; events %s", v.told())
		}
	}
}

func (v *viewer) channel() *webrtc.DataChannel {
	v.t.Helper()
	select {
	case d := <-v.data:
		return d
	case <-v.ctx.Done():
		v.t.Fatal("no data channel")
		return nil
	}
}

func TestAViewerSeesThePictureOverUDPAndOverTCP(t *testing.T) {
	for name, media := range map[string]stream.Media{
		"udp": {UDP: anyPort}, "tcp": {TCP: anyPort}, "both": both,
		"ports": {UDP: anyPort, Ports: stream.PortRange{First: 42000, Last: 42100}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, media)
			c := r.dial(t, "ann")
			var first struct {
				SessionID  string `json:"session_id"`
				ScreenSize struct{ Width, Height int }
				Webrtc     struct{ Videos []string }
			}
			c.await("system/init", &first)
			if first.SessionID == "" || len(first.Webrtc.Videos) != 1 || first.Webrtc.Videos[0] != "vp8" {
				t.Errorf("init: %+v", first)
			}
			c.watch().see(30)
		})
	}
}

func TestInputArrivesInOrderAndKeysAreReleased(t *testing.T) {
	r := newRig(t, both)
	c := r.dial(t, "ann")
	v := c.watch()
	d := v.channel()
	c.send("control/request", nil)
	var host struct {
		HasHost bool   `json:"has_host"`
		HostID  string `json:"host_id"`
		ID      string `json:"id"`
	}
	c.await("control/host", &host)
	if !host.HasHost || host.HostID != host.ID {
		t.Fatalf("host: %+v", host)
	}
	const keys = 1000
	for n := range keys {
		sym := uint32(0x01000000 + n)
		for _, op := range []byte{3, 4} {
			if err := d.Send([]byte{op, 0, 4, byte(sym >> 24), byte(sym >> 16), byte(sym >> 8), byte(sym)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.Send([]byte{3, 0, 4, 0, 0, 0xff, 0xe1}); err != nil { // Shift stays down
		t.Fatal(err)
	}
	testwait.For(t, "the events", func() bool { return len(r.recorded()) == 2*keys+1 })
	for i, e := range r.recorded()[:2*keys] {
		want := action.PersonInput{Kind: action.InputKeyDown, Keysym: uint32(0x01000000 + i/2)}
		if i%2 == 1 {
			want.Kind = action.InputKeyUp
		}
		if e != want {
			t.Fatalf("event %d is %+v, want %+v", i, e, want)
		}
	}
	_ = c.conn.CloseNow()
	testwait.For(t, "the release of Shift", func() bool {
		got := r.recorded()
		return got[len(got)-1] == action.PersonInput{Kind: action.InputKeyUp, Keysym: 0xffe1}
	})
}

// TestInputThatTheSessionTakesSlowlyWaitsAndKeepsItsOrder sends more events than
// may wait, while the session takes none.
func TestInputThatTheSessionTakesSlowlyWaitsAndKeepsItsOrder(t *testing.T) {
	r := newRig(t, stream.Media{})
	slow := make(chan struct{})
	r.slow = slow
	c := r.dial(t, "ann")
	c.send("control/request", nil)
	c.await("control/host", nil)
	const keys = 3000
	for n := range keys {
		if n == 2*keys/3 {
			close(slow)
		}
		if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte{3, 0, 4, 1, 0, byte(n >> 8), byte(n)}); err != nil {
			t.Fatal(err)
		}
	}
	testwait.For(t, "the events", func() bool { return len(r.recorded()) >= keys })
	for n, e := range r.recorded()[:keys] {
		if want := (action.PersonInput{Kind: action.InputKeyDown, Keysym: uint32(0x01000000 + n)}); e != want {
			t.Fatalf("event %d is %+v, want %+v", n, e, want)
		}
	}
}

func TestAViewerThatLostAPictureGetsAKeyFrame(t *testing.T) {
	r := newRig(t, both)
	v := r.dial(t, "ann").watch()
	v.see(5)
	ssrc := uint32(v.pc.GetReceivers()[0].Track().SSRC())
	if err := v.pc.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: ssrc}}); err != nil {
		t.Fatal(err)
	}
	testwait.For(t, "the request for a key frame", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.keys > 0 })
}

func TestAPingOfTheDataChannelIsAnswered(t *testing.T) {
	r := newRig(t, both)
	d := r.dial(t, "ann").watch().channel()
	answers := make(chan []byte, 1)
	d.OnMessage(func(m webrtc.DataChannelMessage) { answers <- m.Data })
	if err := d.Send([]byte{7, 0, 8, 0, 0, 0, 1, 0, 0, 0, 2}); err != nil {
		t.Fatal(err)
	}
	got := testwait.Receive(t, answers, "the answer to a ping")
	if len(got) != 19 || string(got[:11]) != "\x03\x00\x10\x00\x00\x00\x01\x00\x00\x00\x02" {
		t.Errorf("answered with %v", got)
	}
}

func TestAViewerThatMakesADataChannelIsRefused(t *testing.T) {
	r := newRig(t, both)
	v := r.dial(t, "ann").watch()
	v.channel()
	if _, err := v.pc.CreateDataChannel("another", nil); err != nil {
		t.Fatal(err)
	}
	v.await("signal/close", nil)
	var no refusal
	v.await("stream/error", &no)
	if no.Code != string(fault.InvalidRequest) {
		t.Errorf("refused with %+v", no)
	}
}

func TestTheGatewayTellsItsEndAndFreesItsPorts(t *testing.T) {
	r := newRig(t, both)
	c := r.dial(t, "ann")
	c.watch().see(1)
	if err := r.server.Close(); err != nil {
		t.Fatal(err)
	}
	c.await("system/disconnect", nil)
	udp, tcp := r.server.Addresses()
	again, err := stream.New(stream.Options{Log: slog.New(slog.DiscardHandler), Viewers: 1, Media: stream.Media{UDP: udp, TCP: tcp}})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestInputOverTheWebSocket(t *testing.T) {
	r := newRig(t, stream.Media{})
	c := r.dial(t, "ann")
	c.send("control/request", nil)
	c.await("control/host", nil)
	c.send("control/buttonpress", map[string]any{"x": 10, "y": 20, "code": 1})
	c.send("control/scroll", map[string]any{"delta_x": 0, "delta_y": -3})
	c.send("control/keypress", map[string]any{"keysym": 65})
	c.send("control/text", map[string]any{"text": "日本"})
	c.send("control/touchbegin", map[string]any{"touch_id": 2, "x": 5, "y": 9999})
	c.send("control/touchend", map[string]any{"touch_id": 2, "x": 5, "y": 6})
	if err := c.conn.Write(c.ctx, websocket.MessageBinary, []byte{1, 0, 4, 0, 7, 0, 8}); err != nil {
		t.Fatal(err)
	}
	want := []action.PersonInput{
		{Kind: action.InputMove, X: 10, Y: 20},
		{Kind: action.InputButtonDown, X: 10, Y: 20, Button: 1}, {Kind: action.InputButtonUp, X: 10, Y: 20, Button: 1},
		{Kind: action.InputScroll, X: 10, Y: 20, DY: 3},
		{Kind: action.InputKeyDown, Keysym: 65}, {Kind: action.InputKeyUp, Keysym: 65},
		{Kind: action.InputText, Text: "日本"},
		{Kind: action.InputTouchDown, X: 5, Y: high - 1, Touch: 2}, {Kind: action.InputTouchUp, X: 5, Y: 6, Touch: 2},
		{Kind: action.InputMove, X: 7, Y: 8},
	}
	testwait.For(t, "the events", func() bool { return len(r.recorded()) == len(want) })
	for i, e := range r.recorded() {
		if e != want[i] {
			t.Errorf("event %d is %+v, want %+v", i, e, want[i])
		}
	}
}

func TestOnlyTheHolderDrivesAndAllSeeWhoItIs(t *testing.T) {
	r := newRig(t, stream.Media{})
	ann, bob := r.dial(t, "ann"), r.dial(t, "bob")
	ann.send("control/request", nil)
	var host struct {
		HostID string `json:"host_id"`
	}
	bob.await("control/host", &host)
	if host.HostID != "ann" {
		t.Errorf("the host is %q", host.HostID)
	}
	bob.send("control/keypress", map[string]any{"keysym": 65})
	var no refusal
	bob.await("stream/error", &no)
	if no.Code != string(fault.SessionPaused) || no.Hint == "" {
		t.Errorf("refused with %+v", no)
	}
	ann.await("control/host", nil)
	ann.send("control/release", nil)
	var after struct {
		HasHost bool `json:"has_host"`
	}
	ann.await("control/host", &after)
	if after.HasHost {
		t.Error("there is a host after the hand-back")
	}
	if got := r.recorded(); len(got) != 0 {
		t.Errorf("the session got %v", got)
	}
}

func TestWrongMessagesAreRefusedAndChangeNothing(t *testing.T) {
	r := newRig(t, both)
	owner := r.dial(t, "ann")
	owner.send("control/request", nil)
	owner.await("control/host", nil)
	type wrong struct {
		kind websocket.MessageType
		data string
	}
	var all []wrong
	for _, text := range []string{
		`{`, `[]`, `"x"`, `{"event":7}`, `{"event":"control/keydown"}`, `{"event":"control/keydown","payload":{"keysym":"a"}}`,
		`{"event":"control/keydown","payload":{"keysym":-1}}`, `{"event":"control/buttondown","payload":{"code":99}}`,
		`{"event":"control/move","payload":{}}`, `{"event":"signal/answer","payload":{"sdp":"x"}}`, `{"event":"signal/restart"}`,
		`{"event":"signal/candidate","payload":{"candidate":7}}`, `{"event":"stream/request","payload":{"codec":"av9"}}`,
		`{"event":"signal/request","payload":{"video":{"selector":{"id":"vp17"}}}}`, `{"event":"signal/offer","payload":{"sdp":"m="}}`,
		`{"event":"control/text","payload":{"text":"` + strings.Repeat("x", 5000) + `"}}`,
	} {
		all = append(all, wrong{websocket.MessageText, text})
	}
	for _, data := range []string{
		"\x03", "\x03\x00\x04\x01", "\x03\x00\x05\x00\x00\x00\x01\x01", "\x08\x00\x01\x01", "\x20\x00\x01\xff",
		"\x03\x00\x04\x00\x00\x00\x00", "\x05\x00\x04\x00\x00\x00\x63", strings.Repeat("\x03", 70_000),
	} {
		all = append(all, wrong{websocket.MessageBinary, data})
	}
	for _, w := range all {
		c := r.dial(t, "ann")
		if err := c.conn.Write(c.ctx, w.kind, []byte(w.data)); err != nil {
			t.Fatal(err)
		}
		var no refusal
		c.await("stream/error", &no)
		if code := fault.Code(no.Code); code != fault.InvalidRequest && code != fault.ProviderNotSupported {
			t.Errorf("%.60q is refused with %+v", w.data, no)
		}
		c.send("no/such", nil)
		c.send("clipboard/set", map[string]any{"text": w.data[:1]})
		c.send("clipboard/get", nil)
		c.await("clipboard/updated", nil)
		_ = c.conn.CloseNow()
	}
	if got := r.recorded(); len(got) != 0 {
		t.Errorf("the session got %v", got)
	}
}

func TestALargeClipboardIsRefusedWithWhatToDo(t *testing.T) {
	for _, size := range []int{1<<20 + 1, 10_000_000} {
		r := newRig(t, stream.Media{})
		c := r.dial(t, "ann")
		c.send("clipboard/set", map[string]any{"text": strings.Repeat("x", size)})
		var no refusal
		c.await("stream/error", &no)
		if no.Code != string(fault.LimitReached) || !strings.Contains(no.Message+no.Hint, "clipboard") {
			t.Errorf("%d bytes: %+v", size, no)
		}
	}
}

func TestFramesOverTheWebSocket(t *testing.T) {
	for _, codec := range []string{action.CodecVP8, action.CodecJPEG} {
		r := newRig(t, stream.Media{})
		c := r.dial(t, "ann")
		c.send("stream/request", map[string]any{"codec": codec})
		c.await("stream/provide", nil)
		for seen := 0; seen < 40; seen++ {
			c.until("frames", func() bool { return len(c.binary) > seen })
			c.mu.Lock()
			frame := c.binary[seen]
			c.mu.Unlock()
			if frame[0] != 1 || int(frame[4])<<8|int(frame[5]) != wide || int(frame[6])<<8|int(frame[7]) != high || len(frame) < 30 {
				t.Fatalf("header %v", frame[:20])
			}
			if seen == 0 && frame[2] != 1 {
				t.Fatal("the first frame is no key frame")
			}
			c.send("stream/ack", map[string]any{"frames": 1})
		}
	}
}

func TestAViewerThatAcknowledgesNothingIsDisconnected(t *testing.T) {
	r := newRig(t, stream.Media{}, impatient(stream.Limits{Write: time.Second}))
	stuck, other := r.dial(t, "ann"), r.dial(t, "bob")
	stuck.send("stream/request", map[string]any{"codec": "jpeg"})
	other.send("stream/request", map[string]any{"codec": "jpeg"})
	var why struct{ Message string }
	stuck.await("system/disconnect", &why)
	if !strings.Contains(why.Message, "acknowledged") {
		t.Errorf("disconnected with %q", why.Message)
	}
}

// TestAViewerThatReadsNothingIsDisconnected has viewers that read nothing, as a
// process that was stopped: one asked for pictures, the other did not. The session
// is then free for another.
func TestAViewerThatReadsNothingIsDisconnected(t *testing.T) {
	r := newRig(t, stream.Media{}, impatient(stream.Limits{Write: time.Second, Pong: time.Second}))
	ctx := testwait.Context(t)
	for _, first := range []string{`{"event":"stream/request","payload":{"codec":"jpeg"}}`, `{"event":"client/heartbeat"}`} {
		conn, _, err := websocket.Dial(ctx, strings.Replace(r.http.URL, "http", "ws", 1)+"/v1/sessions/s1/desktop/stream/signaling?access_token=ann", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.CloseNow() }()
		if err := conn.Write(ctx, websocket.MessageText, []byte(first)); err != nil {
			t.Fatal(err)
		}
	}
	testwait.For(t, "the end of both", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.opened == 3 && r.open == 0 // the views, and the video of one
	})
	other := r.dial(t, "bob")
	other.send("stream/request", map[string]any{"codec": "jpeg"})
	other.until("frames", func() bool { return len(other.binary) > 0 })
}

// relay is a TCP port in front of another, whose client stops to read when it is
// told to.
func relay(t *testing.T, to string, stuck <-chan struct{}) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	open := []io.Closer{listener}
	closeAll := func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range open {
			_ = c.Close()
		}
	}
	t.Cleanup(func() { closeAll(); all.Wait() })
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, client, server)
			mu.Unlock()
			_ = server.(*net.TCPConn).SetReadBuffer(4096)
			all.Go(func() { _, _ = io.Copy(server, client) })
			all.Go(func() {
				buffer := make([]byte, 2000)
				for {
					select {
					case <-stuck:
						return // without closing anything
					default:
					}
					n, err := server.Read(buffer)
					if err != nil {
						return
					}
					if _, err := client.Write(buffer[:n]); err != nil {
						return
					}
				}
			})
		}
	})
	return listener.Addr().(*net.TCPAddr).Port
}

func TestAViewerThatReadsNoMediaOverTCPEnds(t *testing.T) {
	r := newRig(t, stream.Media{TCP: anyPort}, impatient(stream.Limits{Write: time.Second, Silence: 5 * time.Second}))
	_, tcp := r.server.Addresses()
	stuck := make(chan struct{})
	c := r.dial(t, "ann")
	own, other := strconv.Itoa(int(tcp.Port())), strconv.Itoa(relay(t, tcp.String(), stuck))
	c.rewrite = func(sdp string) string { return strings.ReplaceAll(sdp, " "+own+" typ", " "+other+" typ") }
	c.watch().see(10)
	close(stuck)
	c.await("signal/close", nil)
	r.dial(t, "bob").watch().see(10)
}

func TestMediaThatNeverConnectsEndsAndTheViewerMayFallBack(t *testing.T) {
	r := newRig(t, both, impatient(stream.Limits{Connect: 300 * time.Millisecond}))
	c := r.dial(t, "ann")
	c.send("signal/request", map[string]any{"video": map[string]any{}})
	c.await("signal/provide", nil)
	c.await("signal/close", nil)
	var no refusal
	c.await("stream/error", &no)
	if no.Code != string(fault.ActionTimeout) || !strings.Contains(no.Hint, "port") {
		t.Errorf("refused with %+v", no)
	}
	c.send("stream/request", map[string]any{"codec": "vp8"})
	c.until("frames", func() bool { return len(c.binary) > 0 })
}

func TestAViewerWithoutAPictureIsDisconnected(t *testing.T) {
	r := newRig(t, both, impatient(stream.Limits{Connect: 200 * time.Millisecond, NoPicture: 300 * time.Millisecond}))
	c := r.dial(t, "ann")
	_ = c.conn.Write(c.ctx, websocket.MessageText, []byte(`{"event":"signal/request","payload":{"video":{}}}`)) // it may be late already
	c.await("system/disconnect", nil)
}

func TestTheEndOfTheSessionIsTold(t *testing.T) {
	r := newRig(t, both)
	c := r.dial(t, "ann")
	c.watch().see(1)
	r.endWith(errSessionClosed)
	var why struct{ Message string }
	c.await("system/disconnect", &why)
	if !strings.Contains(why.Message, "the session was closed") {
		t.Errorf("disconnected with %q", why.Message)
	}
}

func TestTheEndOfTheRequestIsTold(t *testing.T) {
	for _, c := range []struct {
		cause error
		words string
		code  websocket.StatusCode
	}{
		{fault.New(fault.Unauthenticated, "the token was revoked"), "the token was revoked", websocket.StatusGoingAway},
		{errors.New("shutdown"), "the gateway ends", websocket.StatusServiceRestart},
	} {
		r := newRig(t, stream.Media{})
		v := r.dial(t, "ann")
		v.await("system/init", nil)
		r.end(c.cause)
		var why struct{ Message string }
		v.await("system/disconnect", &why)
		v.until("the end", func() bool { return v.err != nil })
		if !strings.Contains(why.Message, c.words) || websocket.CloseStatus(v.err) != c.code {
			t.Errorf("%v: disconnected with %q, %v", c.cause, why.Message, v.err)
		}
	}
}

func TestAConnectionRestarts(t *testing.T) {
	r := newRig(t, both)
	c := r.dial(t, "ann")
	v := c.watch()
	v.see(10)
	c.send("signal/restart", nil)
	v.answer("signal/restart")
	v.see(60)
}

func TestFiftyViewers(t *testing.T) {
	r := newRig(t, both)
	var all sync.WaitGroup
	for n := range 50 {
		c := r.dial(t, "viewer"+string(rune('a'+n%26)))
		v := c.watch()
		all.Go(func() {
			for range 30 {
				select {
				case <-v.packets:
				case <-v.ctx.Done():
					t.Errorf("viewer %d saw too little", n)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestTooManyViewersAreRefused(t *testing.T) {
	r := newRig(t, stream.Media{}, func(o *stream.Options, _ *stream.Limits) { o.Viewers = 1 })
	r.dial(t, "ann").await("system/init", nil)
	_, answer, err := websocket.Dial(testwait.Context(t), r.http.URL+"/v1/sessions/s1/desktop/stream/signaling?access_token=bob", nil)
	if err == nil || answer == nil || answer.StatusCode != http.StatusTooManyRequests {
		t.Errorf("answered with %v, %v", answer, err)
	}
}

func TestOptionsThatAreNotSetAreRefused(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for name, o := range map[string]stream.Options{
		"nothing":    {},
		"no log":     {Viewers: 1, SocketOnly: true},
		"no viewers": {Log: log, SocketOnly: true},
		"no media":   {Log: log, Viewers: 1},
		"both":       {Log: log, Viewers: 1, SocketOnly: true, Media: both},
		"a range":    {Log: log, Viewers: 1, Media: stream.Media{UDP: anyPort, Ports: stream.PortRange{First: 9, Last: 3}}},
		"two ways":   {Log: log, Viewers: 1, Media: stream.Media{UDP: netip.MustParseAddrPort("127.0.0.1:5"), Ports: stream.PortRange{First: 1, Last: 3}}},
		"STUN":       {Log: log, Viewers: 1, Media: stream.Media{UDP: anyPort, STUN: []string{"http://x"}}},
	} {
		if s, err := stream.New(o); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

func TestAPortThatIsTakenIsAClearFault(t *testing.T) {
	r := newRig(t, both)
	udp, tcp := r.server.Addresses()
	for _, m := range []stream.Media{{UDP: udp}, {TCP: tcp}} {
		_, err := stream.New(stream.Options{Log: slog.New(slog.DiscardHandler), Viewers: 1, Media: m})
		if fault.CodeOf(err) != fault.StartFailed || fault.From(err).Hint == "" {
			t.Errorf("%v", err)
		}
	}
}
