package stream_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"os"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const (
	wide, high = 320, 240
	perSecond  = 30
	made       = 60 // frames, which repeat
)

// quarters are the colours of the test picture: top left, top right, bottom left,
// bottom right.
var quarters = [4]color.RGBA{{200, 30, 30, 255}, {30, 160, 30, 255}, {30, 30, 200, 255}, {220, 220, 40, 255}}

// picture draws a frame: four colours, and a white bar that moves.
func picture(n int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, wide, high))
	for y := range high {
		for x := range wide {
			c := quarters[y/(high/2)*2+x/(wide/2)]
			if y >= high/2-10 && y < high/2+10 && x/8 == n*wide/8/made {
				c = color.RGBA{255, 255, 255, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// y4m writes the frames uncompressed, with the colours of standard television.
func y4m() []byte {
	var out bytes.Buffer
	out.WriteString("YUV4MPEG2 W" + strconv.Itoa(wide) + " H" + strconv.Itoa(high) + " F30:1 Ip A1:1 C420jpeg\n")
	clamp := func(f float64) byte { return byte(max(0, min(255, f+0.5))) }
	for n := range made {
		img := picture(n)
		out.WriteString("FRAME\n")
		var u, v []byte
		for y := range high {
			for x := range wide {
				c := img.RGBAAt(x, y)
				r, g, b := float64(c.R), float64(c.G), float64(c.B)
				out.WriteByte(clamp(16 + 0.257*r + 0.504*g + 0.098*b))
				if x%2 == 0 && y%2 == 0 {
					u = append(u, clamp(128-0.148*r-0.291*g+0.439*b))
					v = append(v, clamp(128+0.439*r-0.368*g-0.071*b))
				}
			}
		}
		out.Write(u)
		out.Write(v)
	}
	return out.Bytes()
}

type clip struct {
	frames []action.Frame
	err    error
}

// vp8 encodes the test picture with a real encoder, once for all tests.
var vp8 = sync.OnceValue(func() clip {
	dir, err := os.MkdirTemp("", "glovebox-stream-")
	if err != nil {
		return clip{err: err}
	}
	defer os.RemoveAll(dir)
	raw, encoded := filepath.Join(dir, "in.y4m"), filepath.Join(dir, "out.ivf")
	if err := os.WriteFile(raw, y4m(), 0o600); err != nil {
		return clip{err: err}
	}
	command := exec.Command("vpxenc", "--codec=vp8", "--ivf", "--rt", "--cpu-used=8", "--kf-max-dist=15", "--lag-in-frames=0", "--target-bitrate=1500", "-o", encoded, raw)
	if err := command.Run(); err != nil {
		return clip{err: err}
	}
	data, err := os.ReadFile(encoded)
	if err != nil {
		return clip{err: err}
	}
	var c clip
	for data = data[32:]; len(data) >= 12; { // a header of 32 bytes, then one of 12 before each frame
		size := int(binary.LittleEndian.Uint32(data))
		frame := data[12 : 12+size]
		c.frames = append(c.frames, action.Frame{Data: frame, Key: frame[0]&1 == 0, Width: wide, Height: high})
		data = data[12+size:]
	}
	return c
})

// jpegs encodes the test picture as JPEG, once for all tests.
var jpegs = sync.OnceValue(func() clip {
	var c clip
	for n := range made {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, picture(n), nil); err != nil {
			return clip{err: err}
		}
		c.frames = append(c.frames, action.Frame{Data: out.Bytes(), Key: true, Width: wide, Height: high})
	}
	return c
})

// session is what the views of a test share: a picture and a record of what was
// done.
type session struct {
	t      *testing.T
	codecs map[string]clip

	mu        sync.Mutex
	state     action.ViewState
	changed   chan struct{}
	ended     error
	inputs    []action.PersonInput
	batches   int
	clipboard string
	note      string // of the last hand-back
	open      int    // views and videos that are not closed
	opened    int    // and all that there ever were
	keys      int    // key frames that were asked for
	slow      chan struct{}
}

func newSession(t *testing.T) *session {
	testenv.Require(t, testenv.Program("vpxenc"))
	s := &session{
		t: t, codecs: map[string]clip{action.CodecVP8: vp8(), action.CodecJPEG: jpegs()}, changed: make(chan struct{}),
		state: action.ViewState{Session: "s1", Width: wide, Height: high, State: "open", Role: "operator"},
	}
	for name, c := range s.codecs {
		if c.err != nil || len(c.frames) < made/2 {
			t.Fatalf("cannot encode %s: %d frames, %v", name, len(c.frames), c.err)
		}
	}
	return s
}

func (s *session) change(f func(*action.ViewState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.state)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *session) endWith(err error) {
	s.change(func(*action.ViewState) { s.ended = err })
}

func (s *session) recorded() []action.PersonInput {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]action.PersonInput(nil), s.inputs...)
}

func (s *session) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
	s.opened += max(n, 0)
}

// connect returns a view of a person.
func (s *session) connect(name string) *view {
	s.count(1)
	return &view{session: s, name: name}
}

// view is a person's view of the session.
type view struct {
	session *session
	name    string
	once    sync.Once
}

func (v *view) State() (action.ViewState, <-chan struct{}, error) {
	s := v.session
	s.mu.Lock()
	defer s.mu.Unlock()
	state := s.state
	state.Mine = state.Holder == v.name
	return state, s.changed, s.ended
}

func (v *view) Codecs() []string {
	var names []string
	for _, c := range []string{action.CodecVP8, action.CodecH264, action.CodecJPEG} {
		if _, has := v.session.codecs[c]; has {
			names = append(names, c)
		}
	}
	return names
}

func (v *view) Video(_ context.Context, codec string) (action.Video, error) {
	c, has := v.session.codecs[codec]
	if !has {
		return nil, fault.New(fault.ProviderNotSupported, "no such codec")
	}
	v.session.count(1)
	return &video{session: v.session, frames: c.frames, from: time.Now(), next: -1}, nil
}

func (v *view) Take(context.Context) error {
	if v.session.state.Role != "operator" {
		return fault.New(fault.DeniedByPolicy, "only operators take sessions over")
	}
	v.session.change(func(s *action.ViewState) { s.Holder, s.State = v.name, "taken_over" })
	return nil
}

func (v *view) HandBack(_ context.Context, note string) error {
	v.session.change(func(s *action.ViewState) { s.Holder, s.State, s.By, s.Why = "", "open", "", "" })
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	v.session.note = note
	return nil
}

func (v *view) Input(ctx context.Context, events []action.PersonInput) error {
	s := v.session
	if s.slow != nil {
		select {
		case <-s.slow:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Holder != v.name {
		return fault.New(fault.SessionPaused, "somebody else controls the session").Hinted("take it over first")
	}
	s.inputs = append(s.inputs, events...)
	s.batches++
	return nil
}

func (v *view) Clipboard(context.Context) (string, error) {
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	return v.session.clipboard, nil
}

func (v *view) SetClipboard(_ context.Context, text string) error {
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	v.session.clipboard = text
	return nil
}

func (v *view) Close() { v.once.Do(func() { v.session.count(-1) }) }

// video plays the frames over and over, at their rate. A reader that is late gets
// the next key frame.
type video struct {
	session *session
	frames  []action.Frame
	from    time.Time
	next    int // index since the beginning
	once    sync.Once
}

const period = time.Second / perSecond

func (v *video) Next(ctx context.Context) (action.Frame, error) {
	now := int(time.Since(v.from) / period)
	if v.next++; v.next < now || v.next == 0 { // a key frame, as an encoder makes it at once
		v.next = now
		for !v.frames[v.next%len(v.frames)].Key {
			v.next++
		}
		v.from = v.from.Add(-period * time.Duration(v.next-now))
	}
	testwait.Latency(ctx, time.Until(v.from.Add(period*time.Duration(v.next))))
	if ctx.Err() != nil {
		return action.Frame{}, context.Cause(ctx)
	}
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	f := v.frames[v.next%len(v.frames)]
	f.At = period * time.Duration(v.next)
	return f, v.session.ended
}

func (v *video) RequestKey() {
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	v.session.keys++
}

func (v *video) Limit(int) {}

func (v *video) Close() { v.once.Do(func() { v.session.count(-1) }) }
