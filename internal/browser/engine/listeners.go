package engine

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// listeners are what is known of the listeners of a frame's document.
type listeners struct {
	document string    // that they are of
	read     time.Time // when they were last asked for
	elements int       // how many elements had been added by then: injected.Stability.Elements
	cache    injected.ListenerCache
	objects  [2]*cdp.Pending // questions for what the cache needs first; nil if they were not asked ahead
}

// listenersLife is how long listeners are taken for known while no element is added.
// To ask for them after each act takes the browser longer than a small act itself.
const listenersLife = 2 * time.Second

// old reports whether the listeners must be read again in any case.
func (l *listeners) old() bool { return time.Since(l.read) > listenersLife }

// of returns what is known of the frame's present document.
func (l *listeners) of(p place) *injected.ListenerCache {
	if l.document != p.document {
		*l = listeners{document: p.document}
	}
	return &l.cache
}

// prepare asks for what the first reading of a document's listeners needs, so that what
// is sent next does not delay that reading.
func (l *listeners) prepare(p place) {
	if _, known := l.query(p); !known && l.objects[0] == nil {
		for i, name := range []string{"document", "window"} {
			l.objects[i] = p.session.Send(injected.ObjectMethod, p.world.ObjectQuery(name))
		}
	}
}

// takeObjects waits for what prepare asked for.
func (l *listeners) takeObjects(ctx context.Context) {
	var found [2]injected.Object
	sent := l.objects
	l.objects = [2]*cdp.Pending{}
	for i, asked := range sent {
		if asked == nil || asked.Wait(ctx, &found[i]) != nil {
			return // they are asked for again
		}
	}
	l.cache.SetObjects(found[0].Result.Object, found[1].Result.Object)
}

// query returns the question for the listeners of a document that were read before. ok
// is false if they were not.
func (l *listeners) query(p place) (params any, ok bool) { return l.of(p).Query() }

// knowsListeners reports whether the listeners of a frame's document were read before.
func knowsListeners(p place) bool {
	return guarded.Get(&p.frame.listeners, func(l *listeners) bool { _, ok := l.query(p); return ok })
}

// syncListeners tells our script in a frame on which elements the page's scripts
// listen, and returns what is new. If the browser cannot say it, a snapshot only
// shows less.
func (rd *reader) syncListeners(ctx context.Context, p place) (news injected.NewListeners, err error) {
	p.frame.listeners.Do(func(l *listeners) {
		of := l.of(p)
		l.read = time.Now()
		l.takeObjects(ctx)
		news, err = p.world.SyncListeners(ctx, of)
	})
	return news, rd.ignored(ctx, err)
}

// hasListeners reports whether the listeners of a frame were read lately, and no
// element was added since. elements is how many were added until now.
func (rd *reader) hasListeners(p place, elements int) bool {
	return guarded.Get(&p.frame.listeners, func(l *listeners) bool {
		l.of(p)
		grew := l.elements != elements
		l.elements = elements
		return !grew && !l.old()
	})
}

// storeListeners is syncListeners with listeners that were read before.
func (rd *reader) storeListeners(ctx context.Context, p place, all injected.Listeners) (news injected.NewListeners, err error) {
	p.frame.listeners.Do(func(l *listeners) { news, err = p.world.StoreListeners(ctx, l.of(p), all) })
	return news, rd.ignored(ctx, err)
}

func (rd *reader) ignored(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	rd.log().Debug("cannot read the listeners of a frame", "error", err)
	return nil
}
