package session

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/live"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	pictureFPS  = 30
	pictureBits = 4_000_000 // a second, for a line that carries them
	jpegFPS     = 10        // each picture is whole: 0.1 to 0.3 MB
)

// pictures connects viewers to the live pictures of sessions.
type pictures struct {
	sessions *directory
	control  *control
	log      *slog.Logger
	work     *sync.WaitGroup
}

// feeds are the running videos of a session, by codec. The zero value is ready.
type feeds struct {
	mu    sync.Mutex
	all   map[string]*live.Feed
	ended bool
}

// connect connects a viewer. Faults: as Look.
func (p *pictures) connect(ctx context.Context, call action.Call, pin action.Pin) (action.Picture, error) {
	if pin.Session != "" {
		call.Session = pin.Session
	}
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return nil, err
	}
	v := &picture{of: p, session: sess, call: call}
	v.life, v.cancel = context.WithCancelCause(context.Background())
	var refused error
	if err := sess.changeOpen(func(st *sessionState) {
		if refused = st.checkPause(call); refused == nil {
			refused = st.checkWithheld(call)
		}
		if refused == nil {
			st.viewers[&v.cancel] = activity{call: call}
		}
	}); err != nil || refused != nil {
		v.cancel(nil)
		if err == nil {
			err = refused
		}
		return nil, err
	}
	return v, nil
}

// endpoint answers a client that asks over plain HTTP with the address of the
// session's WebSocket for viewers.
func (p *pictures) endpoint(ctx context.Context, call action.Call) (action.Result, error) {
	sess, err := p.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	at := &action.StreamEndpoint{URL: "/v1/sessions/" + sess.id + action.VerbDesktopWatch.Path}
	return action.Result{Session: sess.id, Data: at, Notes: []string{"people watch at /live/" + sess.id}}, nil
}

// picture is a viewer's connection to a session.
type picture struct {
	of      *pictures
	session *openSession
	call    action.Call     // that connected it
	life    context.Context //nolint:containedctx // ends with a reason when the viewer may not watch any more
	cancel  context.CancelCauseFunc
	once    sync.Once

	driving sync.Mutex // guards stretch
	stretch *stretch   // nil while the viewer sends no input
}

// State returns the session's state as the viewer sees it (action.Picture).
func (v *picture) State() (action.ViewState, <-chan struct{}, error) {
	at := v.session.snapshot()
	if err := context.Cause(v.life); err != nil {
		return action.ViewState{}, nil, err
	}
	if !isOpen(at.record.State) {
		return action.ViewState{}, nil, at.endedFault()
	}
	s := action.ViewState{
		Session: v.session.id, Name: at.record.Name, Width: at.record.Width, Height: at.record.Height, State: at.record.State, Role: string(v.call.Caller.Role),
	}
	if hold := at.pause.Hold; hold != nil {
		s.By, s.Why = hold.By, hold.Why
		if at.pause.Taken {
			s.Holder, s.Mine = hold.By, hold.By == v.call.Caller.Actor
		}
	}
	return s, at.changed, nil
}

// Codecs returns the codecs that the session's box can make (action.Picture).
func (v *picture) Codecs() []string {
	if v.session.now().Headless {
		return []string{action.CodecJPEG}
	}
	return []string{action.CodecVP8, action.CodecH264, action.CodecJPEG}
}

// Video starts a sequence of frames (action.Picture).
func (v *picture) Video(_ context.Context, codec string) (action.Video, error) {
	if _, _, err := v.State(); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{action.CodecVP8, action.CodecH264, action.CodecJPEG}, codec) {
		return nil, fault.New(fault.ProviderNotSupported, "no picture of a session is made in %q", codec).Hinted("ask for vp8, h264 or jpeg")
	}
	spec := sandbox.VideoSpec{Codec: codec, FPS: pictureFPS, Bits: pictureBits}
	feed, err := v.of.feed(v.session, spec)
	if err != nil {
		return nil, err
	}
	inner, err := feed.Read()
	if err != nil {
		return nil, err
	}
	return &viewedVideo{Video: inner, life: v.life}, nil
}

// feed returns the session's feed in a codec, and makes it if there is none.
func (p *pictures) feed(sess *openSession, spec sandbox.VideoSpec) (*live.Feed, error) {
	sess.feeds.mu.Lock()
	defer sess.feeds.mu.Unlock()
	if sess.feeds.ended {
		return nil, sess.over()
	}
	if feed := sess.feeds.all[spec.Codec]; feed != nil {
		return feed, nil
	}
	if sess.feeds.all == nil {
		sess.feeds.all = map[string]*live.Feed{}
		p.work.Go(func() { sess.feeds.endWith(sess) })
	}
	feed := live.New(func(ctx context.Context, spec sandbox.VideoSpec) (sandbox.Video, error) {
		on := sess.stage()
		if f := sess.over(); f != nil {
			return nil, f
		}
		if spec.Codec == action.CodecJPEG {
			return screencast{on.browser.Screencast(jpegFPS)}, nil
		}
		return on.box.Video(ctx, spec)
	}, spec, p.log)
	sess.feeds.all[spec.Codec] = feed
	return feed, nil
}

// endWith ends the feeds when the session ends.
func (f *feeds) endWith(sess *openSession) {
	<-sess.closing
	f.mu.Lock()
	f.ended = true
	all := f.all
	f.mu.Unlock()
	for _, feed := range all {
		feed.Close(sess.over())
	}
}

// mayAct refuses a viewer who has not taken the session over.
func (v *picture) mayAct() error {
	s, _, err := v.State()
	if err != nil {
		return err
	}
	if !s.Mine {
		return fault.New(fault.SessionPaused, "only who has taken the session over can act in it").
			Hinted("take it over first").With("state", s.State).With("by", s.Holder)
	}
	return nil
}

// Close ends the connection (action.Picture).
func (v *picture) Close() {
	v.once.Do(func() {
		left := false
		v.session.with(func(st *sessionState) {
			delete(st.viewers, &v.cancel)
			if st.pause.Hold != nil {
				st.touch() // the idle limit runs from here on
			}
			left = st.holderLeft(v.call.Caller.Actor)
		})
		v.cancel(fault.New(fault.NotActive, "the viewer has left").Hinted("connect again"))
		if left {
			v.of.work.Go(func() { v.of.control.awaitHolder(v.session, v.call.Caller.Actor) })
		}
	})
}

// viewedVideo is a video that ends when its viewer may not watch any more.
type viewedVideo struct {
	action.Video
	life context.Context //nolint:containedctx // of the viewer
}

// Next returns the next frame (action.Video).
func (v *viewedVideo) Next(ctx context.Context) (action.Frame, error) {
	if err := context.Cause(v.life); err != nil {
		return action.Frame{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(v.life, func() { cancel(context.Cause(v.life)) })
	defer stop()
	frame, err := v.Video.Next(ctx)
	if put := context.Cause(v.life); put != nil { // the picture may show what the viewer may not see any more
		return action.Frame{}, put
	}
	return frame, err
}

// holderLeft reports whether an actor has taken the session over and has no
// connection to it any more.
func (s *sessionState) holderLeft(actor string) bool {
	if s.pause.Hold == nil || !s.pause.Taken || s.pause.Hold.By != actor {
		return false
	}
	for _, all := range []map[*context.CancelCauseFunc]activity{s.viewers, s.clientCalls, s.calls} {
		for _, a := range all {
			if a.call.Caller.Actor == actor {
				return false
			}
		}
	}
	return true
}

// awaitHolder waits for a person who took a session over and closed every window
// that shows it. If the person does not come back, the session stays paused, but
// is not taken over any more, and people are alerted.
func (c *control) awaitHolder(sess *openSession, actor string) {
	if !sess.staysOpen(c.config.HolderGone) {
		return
	}
	hold := action.Hold{
		By: action.GatewayActor, Code: action.HolderGone,
		Why: untrusted.Reason(actor, maxReason) + " took the session over, closed the live view and did not come back",
	}
	if at := sess.snapshot(); at.holderLeft(actor) {
		if err := sess.forgetPasted(context.Background()); err != nil {
			c.log.Error("what a person pasted may still be in the clipboard", "session", sess.id, "error", err)
		}
	}
	gone := false
	if err := sess.changeOpen(func(st *sessionState) {
		if gone = st.holderLeft(actor); !gone {
			return
		}
		hold.Since = st.pause.Hold.Since
		st.pause.Hold, st.pause.Taken = &hold, false
		st.showPause()
	}); err != nil || !gone {
		return
	}
	c.audit.alert(sess.now(), "", hold.Code+": "+hold.Why)
	c.audit.event(sess.now(), "", "paused by "+hold.By+": "+hold.Why)
	c.savePauseAlone(sess)
}

// screencast is the browser's own screencast as a video: the active tab without the
// browser's window, in whole pictures.
type screencast struct{ *engine.Screencast }

// Next returns the next picture (sandbox.Video).
func (s screencast) Next() (sandbox.VideoFrame, error) {
	f, err := s.Screencast.Next()
	return sandbox.VideoFrame{Data: f.JPEG, Key: true, Width: f.Width, Height: f.Height, At: f.At}, err
}

// Tune repeats the last picture for a viewer that has none yet (sandbox.Video).
func (s screencast) Tune(t sandbox.VideoTuning) error {
	if t.Key {
		s.Again()
	}
	return nil
}

// Close ends the pictures (sandbox.Video).
func (s screencast) Close() error {
	s.Screencast.Close()
	return nil
}
