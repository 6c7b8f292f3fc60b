package stream

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// handlers has what is done with each event of a viewer. Other events are ignored:
// clients of Neko send some that mean nothing here.
var handlers = map[string]func(*viewer, message) error{
	eventClientHeartbeat:  func(*viewer, message) error { return nil },
	eventRequest:          (*viewer).startPeer,
	eventRestart:          (*viewer).restartPeer,
	eventOffer:            (*viewer).acceptOffer,
	eventAnswer:           (*viewer).acceptAnswer,
	eventCandidate:        (*viewer).acceptCandidate,
	eventClose:            (*viewer).closeSource,
	eventStreamRequest:    (*viewer).startFrames,
	eventStreamAck:        (*viewer).acknowledge,
	eventStreamKey:        (*viewer).requestKey,
	eventStreamClose:      (*viewer).closeSource,
	eventControlRequest:   (*viewer).take,
	eventControlRelease:   (*viewer).handBack,
	eventClipboardSet:     (*viewer).setClipboard,
	eventClipboardGet:     (*viewer).getClipboard,
	eventPaste:            (*viewer).paste,
	eventText:             (*viewer).control,
	"control/move":        (*viewer).control,
	"control/scroll":      (*viewer).control,
	"control/buttondown":  (*viewer).control,
	"control/buttonup":    (*viewer).control,
	"control/buttonpress": (*viewer).control,
	"control/keydown":     (*viewer).control,
	"control/keyup":       (*viewer).control,
	"control/keypress":    (*viewer).control,
	"control/touchbegin":  (*viewer).control,
	"control/touchupdate": (*viewer).control,
	"control/touchend":    (*viewer).control,
}

func (v *viewer) onMessage(body []byte) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		v.refuse("", fault.New(fault.InvalidRequest, "a message is not a JSON object with an event and a payload").Because(err))
		return
	}
	handle, known := handlers[m.Event]
	if !known {
		return
	}
	if err := v.pace.Wait(v.ctx); err != nil {
		return
	}
	if err := handle(v, m); err != nil {
		v.refuse(m.Event, err)
	}
}

// replace ends the source of pictures, and starts another one in a codec.
func (v *viewer) replace(name string, start func(ctx context.Context, end context.CancelCauseFunc, video action.Video) (source, error)) error {
	if !v.requests.Allow() {
		return fault.New(fault.LimitReached, "pictures are asked for too often").Hinted("wait some seconds before the next request")
	}
	v.stopSource()
	ctx, end := context.WithCancelCause(v.ctx)
	late := time.AfterFunc(v.server.limits.call, func() {
		end(fault.New(fault.ActionTimeout, "the session sent no picture within %s", v.server.limits.call).Hinted("connect again"))
	})
	video, err := v.view.Video(ctx, name)
	if !late.Stop() && err == nil {
		video.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		end(err)
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over {
		video.Close()
		end(errLeft)
		return nil
	}
	s, err := start(ctx, end, video)
	if err != nil {
		video.Close()
		end(err)
		return err
	}
	v.source = s
	v.noPicture.Stop()
	return nil
}

// stopSource ends the source of pictures, if there is one.
func (v *viewer) stopSource() {
	v.mu.Lock()
	last := v.source
	v.source = nil
	if !v.over {
		v.noPicture.Reset(v.server.limits.noPicture)
	}
	v.mu.Unlock()
	if last != nil {
		last.stop()
	}
}

// lost is called by a source that ends by itself.
func (v *viewer) lost(s source, event string, err error) {
	v.mu.Lock()
	current := v.source == s
	if current {
		v.source = nil
		if !v.over {
			v.noPicture.Reset(v.server.limits.noPicture)
		}
	}
	v.mu.Unlock()
	if current {
		v.send(event, nil)
		v.refuse(event, err)
	}
}

func (v *viewer) closeSource(message) error {
	v.stopSource()
	return nil
}

func (v *viewer) currentPeer() *peer {
	v.mu.Lock()
	defer v.mu.Unlock()
	p, _ := v.source.(*peer)
	return p
}

func (v *viewer) requestKey(message) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s, is := v.source.(*frames); is {
		s.video.RequestKey()
	}
	return nil
}
