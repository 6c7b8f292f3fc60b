package stream

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	maxSDP       = 64 << 10               // bytes of a session description
	maxSections  = 8                      // of media in a session description
	keyPause     = 300 * time.Millisecond // between key frames that a viewer asks for
	maxUnsent    = 16 << 10               // bytes of answers that wait in the data channel
	dataChannel  = "data"                 // its label, as in Neko
	mediaSection = "\nm="                 // how a section of media begins (RFC 8866)
)

var (
	errReplaced = errors.New("another source of pictures took the place")
	errICE      = fault.New(fault.ActionTimeout, "no media connection came up").
			Hinted("open the UDP or TCP port of the live view for this machine; pictures come over the WebSocket until then")
	errForeignChannel = fault.New(fault.InvalidRequest, "the gateway makes the data channel, not the viewer").Hinted("use the channel named data")
	errLostLine       = fault.New(fault.CDPError, "the media connection broke").Hinted("it is made again by itself")
)

// peer sends pictures by WebRTC.
type peer struct {
	viewer    *viewer
	pc        *webrtc.PeerConnection
	track     *webrtc.TrackLocalStaticRTP
	packets   rtp.Packetizer
	video     action.Video
	line      *line
	end       context.CancelCauseFunc
	connected chan struct{}
	once      sync.Once
	done      chan struct{}
	readers   sync.WaitGroup

	mu      sync.Mutex // of negotiation
	at      time.Duration
	started bool
}

// stop ends the peer and waits for it.
func (p *peer) stop() {
	p.end(errReplaced)
	<-p.done
}

// startPeer answers signal/request: it makes a connection and offers it.
func (v *viewer) startPeer(m message) error {
	var request requestPayload
	if len(m.Payload) > 0 {
		if err := read(m, &request); err != nil {
			return err
		}
	}
	if v.server.media == nil {
		return fault.New(fault.ProviderNotSupported, "this gateway serves no WebRTC").Hinted("ask for frames over the WebSocket: stream/request")
	}
	wanted := ""
	if request.Video.Selector != nil {
		wanted = request.Video.Selector.ID
	}
	made := v.view.Codecs()
	chosen, found := chooseRTP(wanted, made)
	if !found {
		return fault.New(fault.ProviderNotSupported, "this session has no picture in such a codec for WebRTC").
			Hinted("its codecs are %s", strings.Join(made, ", "))
	}
	var offer *webrtc.SessionDescription
	err := v.replace(chosen.name, func(ctx context.Context, end context.CancelCauseFunc, video action.Video) (source, error) {
		p, err := newPeer(ctx, end, v, chosen, video)
		if err != nil {
			return nil, fault.New(fault.Internal, "cannot make a media connection").Because(err)
		}
		offer = p.pc.LocalDescription()
		return p, nil
	})
	if err != nil || offer == nil {
		return err
	}
	answer := providePayload{SDP: offer.SDP, ICEServers: v.server.iceServers()}
	answer.Video.ID, answer.Video.Video = chosen.name, chosen.name
	answer.Audio.Disabled = true
	v.send(eventProvide, answer)
	return nil
}

func newPeer(ctx context.Context, end context.CancelCauseFunc, v *viewer, c codec, video action.Video) (*peer, error) {
	pc, err := v.server.media.api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, err
	}
	p := &peer{
		viewer: v, pc: pc, video: video, line: newLine(), end: end, connected: make(chan struct{}), done: make(chan struct{}),
		packets: rtp.NewPacketizerWithOptions(mtu, c.payloader(), rtp.NewRandomSequencer(), clockRate),
	}
	if err := p.offer(ctx, c); err != nil {
		_ = pc.GracefulClose()
		return nil, err
	}
	v.tasks.Go(func() { p.run(ctx) })
	return p, nil
}

// offer adds the track and the data channel, and makes the first offer.
func (p *peer) offer(ctx context.Context, c codec) (err error) {
	if p.track, err = webrtc.NewTrackLocalStaticRTP(c.capability, "video", "stream"); err != nil {
		return err
	}
	with := webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendonly}
	transceiver, err := p.pc.AddTransceiverFromTrack(p.track, with)
	if err != nil {
		return err
	}
	data, err := p.pc.CreateDataChannel(dataChannel, nil)
	if err != nil {
		return err
	}
	data.OnMessage(func(m webrtc.DataChannelMessage) {
		if answer, is := pong(m.Data); is {
			if p.viewer.pace.Wait(ctx) == nil && data.BufferedAmount() < maxUnsent {
				_ = data.Send(answer) // fails when the peer ends
			}
			return
		}
		if !m.IsString && ctx.Err() == nil {
			p.viewer.onData(m.Data)
		}
	})
	p.pc.OnDataChannel(func(*webrtc.DataChannel) { p.end(errForeignChannel) })
	p.pc.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		switch state {
		case webrtc.PeerConnectionStateConnected:
			p.once.Do(func() { close(p.connected) })
		case webrtc.PeerConnectionStateFailed, webrtc.PeerConnectionStateClosed:
			p.end(errLostLine)
		}
	})
	if err := p.negotiate(ctx, nil); err != nil {
		return err
	}
	p.readers.Go(func() { p.readReports(transceiver.Sender()) })
	return nil
}

// negotiate makes an offer with all addresses of the gateway.
func (p *peer) negotiate(ctx context.Context, options *webrtc.OfferOptions) error {
	offer, err := p.pc.CreateOffer(options)
	if err != nil {
		return err
	}
	gathered := webrtc.GatheringCompletePromise(p.pc)
	if err := p.pc.SetLocalDescription(offer); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, p.viewer.server.limits.call)
	defer cancel()
	select {
	case <-gathered:
		return nil
	case <-limit.Done():
		return limit.Err()
	}
}

// run sends pictures until the peer ends, and then frees what it has.
func (p *peer) run(ctx context.Context) {
	// What waits for the connection, such as a write to a viewer that does not read,
	// ends when it is closed.
	defer context.AfterFunc(ctx, func() { _ = p.pc.Close() })()
	err := p.send(ctx)
	p.end(err)
	_ = p.pc.GracefulClose()
	p.readers.Wait()
	p.video.Close()
	close(p.done)
	if cause := context.Cause(ctx); !errors.Is(cause, errReplaced) && p.viewer.ctx.Err() == nil {
		p.viewer.lost(p, eventClose, cause)
	}
}

func (p *peer) send(ctx context.Context) error {
	late := time.NewTimer(p.viewer.server.limits.connect)
	defer late.Stop()
	select {
	case <-p.connected:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-late.C:
		return errICE
	}
	for {
		frame, err := p.video.Next(ctx)
		if err != nil {
			if ctx.Err() == nil {
				p.viewer.end(err)
			}
			return err
		}
		p.write(frame)
	}
}

// write sends a frame. Its time stamp is when it was captured: a page that does
// not change has no frames, so no frame has a known duration.
func (p *peer) write(f action.Frame) {
	if p.started && f.At > p.at {
		p.packets.SkipSamples(uint32((f.At - p.at).Seconds() * clockRate))
	}
	p.at, p.started = f.At, true
	for _, packet := range p.packets.Packetize(f.Data, 0) {
		_ = p.track.WriteRTP(packet) // fails when the peer ends
	}
	p.line.add(len(f.Data))
}

// readReports reads what the viewer reports, until the peer ends.
func (p *peer) readReports(sender *webrtc.RTPSender) {
	var lastKey time.Time
	for {
		reports, _, err := sender.ReadRTCP()
		if err != nil {
			return
		}
		lost, estimate, reported := 0.0, 0.0, false
		for _, r := range reports {
			switch r := r.(type) {
			case *rtcp.PictureLossIndication, *rtcp.FullIntraRequest:
				if time.Since(lastKey) > keyPause {
					lastKey = time.Now()
					p.video.RequestKey()
				}
			case *rtcp.ReceiverEstimatedMaximumBitrate:
				estimate = float64(r.Bitrate)
			case *rtcp.ReceiverReport:
				for _, block := range r.Reports {
					lost, reported = max(lost, float64(block.FractionLost)/256), true
				}
			}
		}
		if !reported {
			continue
		}
		if limit, changed := p.line.report(lost, estimate); changed {
			p.video.Limit(limit)
		}
	}
}
