package stream

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

const (
	maxText      = 1 << 20        // bytes of a clipboard
	maxMessage   = 2*maxText + 64 // bytes of a message that is read: a clipboard, with its escapes
	maxDiscarded = 64 << 20       // bytes of a message that is refused with a fault; a longer one ends the connection
	maxReason    = 120            // bytes of the reason in a closing frame (RFC 6455, 5.5.1)
)

// viewer is one person's connection to a session.
type viewer struct {
	server *Server
	id     string
	view   action.View
	conn   *websocket.Conn
	ctx    context.Context //nolint:containedctx // the life of the viewer
	end    context.CancelCauseFunc
	tasks  sync.WaitGroup

	queue    chan task
	pointer  atomic.Uint64 // where the pointer is: x in the upper half, y in the lower
	pace     *rate.Limiter // of events of input
	requests *rate.Limiter // of pictures
	refusals *rate.Limiter // of faults that the viewer is told

	mu        sync.Mutex
	state     action.ViewState
	source    source      // of the picture; nil if there is none
	over      bool        // no source starts any more
	noPicture *time.Timer // ends the viewer
}

// source sends a sequence of pictures to the viewer. stop ends it and returns
// when it has ended.
type source interface{ stop() }

// serveViewer makes a connection a WebSocket, and serves a viewer on it to the end.
func serveViewer(s *Server, w http.ResponseWriter, r *http.Request, view action.View, state action.ViewState) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // of the origin, which the caller has verified
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil { // it has answered
		return
	}
	conn.SetReadLimit(maxDiscarded)
	v := &viewer{
		server: s, id: randid.New("v", 8), view: view, conn: conn, state: state,
		queue:    make(chan task, queueLength),
		pace:     rate.NewLimiter(rate.Limit(s.limits.perSecond), s.limits.perSecond),
		requests: rate.NewLimiter(rate.Every(time.Second), 5),
		refusals: rate.NewLimiter(rate.Every(time.Second), 3),
	}
	v.ctx, v.end = context.WithCancelCause(context.WithoutCancel(r.Context()))
	defer v.end(nil)
	defer context.AfterFunc(s.ctx, func() { v.end(errClosed) })()
	defer context.AfterFunc(r.Context(), func() { v.end(causeOf(r.Context())) })()
	v.run()
}

// causeOf returns why a request ended: a fault, such as a token that expired, or the
// end of the gateway.
func causeOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	var f *fault.Fault
	if errors.As(cause, &f) {
		return cause
	}
	return errClosed
}

func (v *viewer) run() {
	reading, stopReading := context.WithCancel(context.WithoutCancel(v.ctx))
	defer stopReading()
	v.mu.Lock()
	v.noPicture = time.AfterFunc(v.server.limits.noPicture, func() { v.end(errNoPicture) })
	state := v.state
	v.mu.Unlock()
	v.send(eventInit, v.welcome(state))
	v.send(eventState, state)
	v.tasks.Go(func() { v.read(reading) })
	v.tasks.Go(v.work)
	v.tasks.Go(v.watch)
	v.tasks.Go(v.ping)
	<-v.ctx.Done()
	v.mu.Lock()
	v.over = true
	v.noPicture.Stop()
	last := v.source
	v.mu.Unlock()
	if last != nil {
		last.stop()
	}
	v.sayGoodbye(context.Cause(v.ctx))
	stopReading()
	v.tasks.Wait()
}

var errNoPicture = fault.New(fault.ActionTimeout, "no picture was asked for, or none could be sent").
	Hinted("connect again; if the ports of the live view are blocked, ask for frames over the WebSocket")

// sayGoodbye tells the viewer why the connection ends, and closes it.
func (v *viewer) sayGoodbye(cause error) {
	if errors.Is(cause, errLeft) {
		_ = v.conn.CloseNow()
		return
	}
	f := fault.From(cause)
	if f == nil {
		f = errClosed
	}
	text := f.Message
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	v.write(websocket.MessageText, encode(eventDisconnect, disconnectPayload{Message: text}))
	status := websocket.StatusGoingAway
	if f == errClosed {
		status = websocket.StatusServiceRestart
	} else if f.Code == fault.Internal || f.Code == fault.CDPError {
		status = websocket.StatusInternalError
	}
	reason := string(f.Code)
	_ = v.conn.Close(status, reason[:min(len(reason), maxReason)])
}

func (v *viewer) welcome(state action.ViewState) initPayload {
	p := initPayload{
		SessionID: v.id, Host: hostOf(v.id, state), Touch: true, Sessions: map[string]sessionData{},
		Screen:   screenSize{Width: state.Width, Height: state.Height, Rate: 30},
		Settings: settings{HeartbeatInterval: int(v.server.limits.pingEvery / time.Second)},
	}
	drives := state.Role == "operator"
	own := sessionData{ID: v.id, Profile: profile{Name: "you", Login: true, Connect: true, Watch: true, Host: drives, Clipboard: drives}}
	own.State.Connected, own.State.Watching = true, true
	p.Sessions[v.id] = own
	if state.Holder != "" && !state.Mine {
		p.Sessions[state.Holder] = sessionData{ID: state.Holder, Profile: profile{Name: state.Holder, Host: true}}
	}
	made := v.view.Codecs()
	p.WebRTC.Videos = rtpNames(made)
	if v.server.media == nil {
		p.WebRTC.Videos = []string{}
	}
	p.Stream.Codecs, p.Stream.WebRTC = made, len(p.WebRTC.Videos) > 0
	return p
}

// read reads messages until the connection ends.
func (v *viewer) read(ctx context.Context) {
	for {
		kind, reader, err := v.conn.Reader(ctx)
		if err != nil {
			v.end(errLeft)
			return
		}
		body, err := io.ReadAll(io.LimitReader(reader, maxMessage+1))
		if err == nil && len(body) > maxMessage {
			_, err = io.Copy(io.Discard, reader)
			v.refuse("", fault.New(fault.LimitReached, "the message has more than %d bytes", maxMessage).
				Hinted("send at most 1 MiB of text to the clipboard").Final())
			body = nil
		}
		if err != nil {
			v.end(errLeft)
			return
		}
		if len(body) == 0 {
			continue
		}
		if kind == websocket.MessageBinary {
			v.onData(body)
		} else {
			v.onMessage(body)
		}
		if v.ctx.Err() != nil {
			return
		}
	}
}

// watch tells the viewer each change of the session's state.
func (v *viewer) watch() {
	for {
		state, changed, err := v.view.State()
		if err != nil {
			v.end(err)
			return
		}
		v.mu.Lock()
		before := v.state
		v.state = state
		v.mu.Unlock()
		if state != before {
			v.announce(before, state)
		}
		select {
		case <-changed:
		case <-v.ctx.Done():
			return
		}
	}
}

func (v *viewer) announce(before, now action.ViewState) {
	if before.Width != now.Width || before.Height != now.Height {
		v.send(eventScreen, screenSize{ID: v.id, Width: now.Width, Height: now.Height, Rate: 30})
	}
	if before.Holder != now.Holder || before.Mine != now.Mine {
		v.send(eventHost, hostOf(v.id, now))
	}
	v.send(eventState, now)
}

// ping ends a viewer that does not read, even if there is nothing to send.
func (v *viewer) ping() {
	ticker := time.NewTicker(v.server.limits.pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-v.ctx.Done():
			return
		case <-ticker.C:
		}
		v.send(eventHeartbeat, nil)
		answer, cancel := context.WithTimeout(v.ctx, v.server.limits.pong)
		err := v.conn.Ping(answer)
		cancel()
		if err != nil {
			v.end(errLeft)
			return
		}
	}
}

func encode(event string, payload any) []byte {
	m := struct {
		Event   string `json:"event"`
		Payload any    `json:"payload,omitempty"`
	}{event, payload}
	text, _ := json.Marshal(m) // all payloads are types of this package
	return text
}

func (v *viewer) send(event string, payload any) {
	v.write(websocket.MessageText, encode(event, payload))
}

// write writes a message. A viewer that does not read it in time is disconnected.
func (v *viewer) write(kind websocket.MessageType, data []byte) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx), v.server.limits.write)
	defer cancel()
	if err := v.conn.Write(ctx, kind, data); err != nil {
		v.end(errLeft)
	}
}

// refuse tells the viewer that a message was refused. A viewer that sends many of
// them is told some.
func (v *viewer) refuse(event string, err error) {
	if f := fault.From(err); f != nil && v.ctx.Err() == nil && v.refusals.Allow() {
		v.send(eventFault, faultPayload{Event: event, Code: f.Code, Message: f.Message, Hint: f.Hint})
	}
}
