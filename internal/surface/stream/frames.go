package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// The header of a frame, big endian: version, codec, flags and zero, one byte each;
// width and height, two bytes each; microseconds since the capture began, eight;
// bytes of the picture that follows, four.
const (
	frameVersion = 1
	frameHeader  = 20
	flagKey      = 1
)

var frameCodecs = map[string]byte{action.CodecVP8: 1, action.CodecH264: 2, action.CodecJPEG: 3}

// frameWindow is how many frames may be on their way to a viewer: half a second at
// 30 a second. More would only make the picture late.
const frameWindow = 15

// frames sends pictures over the WebSocket.
type frames struct {
	viewer *viewer
	codec  string
	video  action.Video
	end    context.CancelCauseFunc
	done   chan struct{}

	mu      sync.Mutex
	waiting int           // frames that the viewer has not acknowledged
	acked   chan struct{} // has a value after an acknowledgement
}

func (s *frames) stop() {
	s.end(errReplaced)
	<-s.done
}

// startFrames answers stream/request.
func (v *viewer) startFrames(m message) error {
	var request struct {
		Codec string `json:"codec"`
	}
	if err := read(m, &request); err != nil {
		return err
	}
	made := v.view.Codecs()
	if _, known := frameCodecs[request.Codec]; !known || !slices.Contains(made, request.Codec) {
		return fault.New(fault.ProviderNotSupported, "this session has no picture in the codec that was asked for").
			Hinted("its codecs are %s", strings.Join(made, ", "))
	}
	return v.replace(request.Codec, func(ctx context.Context, end context.CancelCauseFunc, video action.Video) (source, error) {
		s := &frames{viewer: v, codec: request.Codec, video: video, end: end, done: make(chan struct{}), acked: make(chan struct{}, 1)}
		v.tasks.Go(func() { s.run(ctx) })
		return s, nil
	})
}

func (s *frames) run(ctx context.Context) {
	s.viewer.send(eventStreamProvide, map[string]string{"codec": s.codec})
	err := s.send(ctx)
	s.end(err)
	s.video.Close()
	close(s.done)
	if cause := context.Cause(ctx); !errors.Is(cause, errReplaced) && s.viewer.ctx.Err() == nil {
		s.viewer.lost(s, eventStreamClose, cause)
	}
}

func (s *frames) send(ctx context.Context) error {
	flow := flow{line: newLine(), video: s.video}
	for {
		if err := s.waitForWindow(ctx); err != nil {
			return err
		}
		frame, err := s.video.Next(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.viewer.end(err)
			}
			return err
		}
		if !flow.admit(frame) {
			continue
		}
		flow.line.add(len(frame.Data))
		s.mu.Lock()
		s.waiting++
		s.mu.Unlock()
		s.viewer.write(websocket.MessageBinary, packFrame(s.codec, frame))
	}
}

// waitForWindow waits until the viewer has acknowledged enough frames. A viewer
// that acknowledges none in time is disconnected.
func (s *frames) waitForWindow(ctx context.Context) error {
	late := time.NewTimer(s.viewer.server.limits.write)
	defer late.Stop()
	for {
		s.mu.Lock()
		waiting := s.waiting
		s.mu.Unlock()
		if waiting < frameWindow {
			return nil
		}
		select {
		case <-s.acked:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late.C:
			err := fault.New(fault.LimitReached, "the viewer acknowledged no frame within %s", s.viewer.server.limits.write).Hinted("send stream/ack for the frames that arrived")
			s.viewer.end(err)
			return err
		}
	}
}

// acknowledge answers stream/ack.
func (v *viewer) acknowledge(m message) error {
	var p struct {
		Frames int `json:"frames"`
	}
	if err := read(m, &p); err != nil {
		return err
	}
	v.mu.Lock()
	s, is := v.source.(*frames)
	v.mu.Unlock()
	if !is || p.Frames <= 0 {
		return nil
	}
	s.mu.Lock()
	s.waiting = max(0, s.waiting-p.Frames)
	s.mu.Unlock()
	select {
	case s.acked <- struct{}{}:
	default:
	}
	return nil
}

func packFrame(codec string, f action.Frame) []byte {
	packed := make([]byte, frameHeader, frameHeader+len(f.Data))
	packed[0], packed[1] = frameVersion, frameCodecs[codec]
	if f.Key {
		packed[2] = flagKey
	}
	binary.BigEndian.PutUint16(packed[4:], uint16(f.Width))
	binary.BigEndian.PutUint16(packed[6:], uint16(f.Height))
	binary.BigEndian.PutUint64(packed[8:], uint64(f.At.Microseconds()))
	binary.BigEndian.PutUint32(packed[16:], uint32(len(f.Data)))
	return append(packed, f.Data...)
}
