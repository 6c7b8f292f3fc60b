package bridge

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// A frame of a video is a binary message: this header, big endian, and the encoded
// data. The program that encodes writes the same to its output.
//
//	u32  length of the data in bytes
//	u32  1 for a key frame, else 0
//	u16  width in pixels, u16 height in pixels
//	u64  microseconds since the capture began
const (
	VideoHeader   = 20
	MaxVideoFrame = 16 << 20 // bytes of the data; a key frame of 8192 by 8192 pixels of noise has less
)

const (
	maxVideoSide    = 8192 // pixels
	maxVideoCommand = 64   // bytes
)

// noDisplay is the reason of the guest of a box without a display.
const noDisplay = "no_display"

// CloseVideoGone closes a video whose encoder or display ended.
const CloseVideoGone websocket.StatusCode = 4003

// Video starts to capture and encode the display (sandbox.Screen).
func (l *Link) Video(ctx context.Context, spec sandbox.VideoSpec) (sandbox.Video, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	query := url.Values{"codec": {spec.Codec}, "fps": {strconv.Itoa(spec.FPS)}, "bits": {strconv.Itoa(spec.Bits)}}
	conn, err := l.dial(ctx, "/video?"+query.Encode())
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(VideoHeader + MaxVideoFrame)
	life, cancel := context.WithCancel(context.Background())
	return &video{conn: conn, ctx: life, cancel: cancel}, nil
}

// video is the gateway's side of a video's WebSocket.
type video struct {
	conn   *websocket.Conn
	ctx    context.Context //nolint:containedctx // ends with the video
	cancel context.CancelFunc
	once   sync.Once
}

// Next returns the next frame (sandbox.Video).
func (v *video) Next() (sandbox.VideoFrame, error) {
	kind, message, err := v.conn.Read(v.ctx)
	if err != nil {
		return sandbox.VideoFrame{}, fmt.Errorf("cannot read the video of the box: %w", err)
	}
	if kind != websocket.MessageBinary {
		return sandbox.VideoFrame{}, errors.New("cannot read the video of the box: it sent text")
	}
	return parseVideoFrame(message)
}

func parseVideoFrame(message []byte) (sandbox.VideoFrame, error) {
	if len(message) <= VideoHeader || int(binary.BigEndian.Uint32(message)) != len(message)-VideoHeader {
		return sandbox.VideoFrame{}, errors.New("cannot read the video of the box: a frame has another length than it says")
	}
	f := sandbox.VideoFrame{
		Data: message[VideoHeader:], Key: binary.BigEndian.Uint32(message[4:]) != 0,
		Width: int(binary.BigEndian.Uint16(message[8:])), Height: int(binary.BigEndian.Uint16(message[10:])),
	}
	at := binary.BigEndian.Uint64(message[12:])
	if f.Width == 0 || f.Height == 0 || f.Width > maxVideoSide || f.Height > maxVideoSide || at > uint64(10*365*24*time.Hour/time.Microsecond) {
		return sandbox.VideoFrame{}, errors.New("cannot read the video of the box: a frame has no valid size or time")
	}
	f.At = time.Duration(at) * time.Microsecond //nolint:gosec // limited above
	return f, nil
}

// Tune changes the encoding (sandbox.Video).
func (v *video) Tune(t sandbox.VideoTuning) error {
	lines := ""
	if t.FPS > 0 {
		lines += fmt.Sprintf("fps %d\n", min(t.FPS, sandbox.MostVideoFPS))
	}
	if t.Bits > 0 {
		lines += fmt.Sprintf("bits %d\n", min(max(t.Bits, sandbox.LeastVideoBits), sandbox.MostVideoBits))
	}
	if t.Key {
		lines += "key\n"
	}
	if lines == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(v.ctx, writeTimeout)
	defer cancel()
	if err := v.conn.Write(ctx, websocket.MessageText, []byte(lines)); err != nil {
		return fmt.Errorf("cannot tell the box how to encode: %w", err)
	}
	return nil
}

// Close ends the video without a closing handshake.
func (v *video) Close() error {
	v.once.Do(func() {
		v.cancel()
		_ = v.conn.CloseNow() // an error only means that it was closed already
	})
	return nil
}

// video serves the gateway's request for a video.
func (e *endpoint) video(w http.ResponseWriter, r *http.Request) {
	spec, err := videoSpec(r.URL.Query())
	if err != nil {
		writeError(w, http.StatusBadRequest, "malformed")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), callTimeout)
	err = e.guest.CanCapture(ctx)
	cancel()
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, noDisplay)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has sent the response
	}
	conn.SetReadLimit(maxVideoCommand)
	e.guest.ServeVideo(r.Context(), conn, spec)
}

func videoSpec(query url.Values) (sandbox.VideoSpec, error) {
	fps, _ := strconv.Atoi(query.Get("fps")) // Check refuses 0
	bits, _ := strconv.Atoi(query.Get("bits"))
	spec := sandbox.VideoSpec{Codec: query.Get("codec"), FPS: fps, Bits: bits}
	return spec, spec.Check()
}
