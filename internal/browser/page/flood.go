package page

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// What a target may write to the console in a second. The browser queues what
// a page writes without a bound and a box has little memory: two workers that
// write without end filled 512 MiB in five seconds (measured, Chromium 156).
const (
	mostWritten = 2000 // messages of a target, one of 4 KiB counting as one
	mostHeard   = 5000 // of all targets together; above it each may write
	fewWritten  = 200  // messages a second

	mutedFor  = 30 * time.Second // unless it shows another document before
	muteLimit = time.Second      // for a target to take note; a script that does not let it is ended
)

// meter counts what was written in the present second.
type meter struct {
	second int64
	sum    int
}

func (m *meter) add(now time.Time, n int) int {
	if s := now.Unix(); s != m.second {
		m.second, m.sum = s, 0
	}
	m.sum += n
	return m.sum
}

// hears counts an event, and reports whether it is still to be kept. b.mu is
// held.
func (b *Browser) hears(t *target, event json.RawMessage) bool {
	now, cost := time.Now(), 1+len(event)/4096
	if t.muted {
		t.follow(event)
		return false
	}
	limit := mostWritten
	if b.noise.add(now, cost) > mostHeard {
		limit = fewWritten
	}
	if t.noise.add(now, cost) <= limit {
		return true
	}
	b.mute(t)
	return false
}

// follow notes when a muted target wrote what arrives only now: one event of
// many is read.
func (t *target) follow(event json.RawMessage) {
	const sample = 64
	if t.late++; t.late%sample != 0 {
		return
	}
	var e struct {
		Time float64 `json:"timestamp"`
	}
	if json.Unmarshal(event, &e) == nil {
		t.wrote = moment(e.Time)
	}
}

// mute stops listening to a target. b.mu is held.
func (b *Browser) mute(t *target) {
	t.muted, t.listen = true, make(chan struct{})
	b.note("a page writes to its console without end: what it writes is left out for a while")
	b.console.put(utterance{done: &action.ConsoleMessage{
		Level: "warn", Timestamp: time.Now().UTC(), URL: b.placeOfTarget(t),
		Text: "(the messages of this " + t.kind + " are left out for a while: there were too many)",
	}})
	until := t.listen
	b.work.add(func() {
		heard := t.session.Send("Runtime.disable", nil)
		t.session.Send("Log.disable", nil)
		t.session.Send("Runtime.releaseObjectGroup", consoleObjects)
		b.own.Go(func() { b.quiet(t, heard, until) })
	})
}

// placeOfTarget is the address of what a target shows, where it is known.
func (b *Browser) placeOfTarget(t *target) string {
	if t.tab == nil {
		return ""
	}
	if f := t.tab.frames[t.id]; f != nil {
		return f.url
	}
	return ""
}

// quiet waits until a muted target may be heard again.
func (b *Browser) quiet(t *target, heard *cdp.Pending, until <-chan struct{}) {
	if !b.takesNote(t, heard) {
		return
	}
	timer := time.NewTimer(mutedFor)
	defer timer.Stop()
	select {
	case <-timer.C:
		b.mu.Lock()
		b.unmute(t, false)
		b.mu.Unlock()
	case <-until:
	case <-b.conn.Done():
	}
}

// takesNote waits until a target has taken note that it is muted. A script
// that does not let it is ended, and where that does not help (V8 loses the
// request now and then), its renderer is. What was written before still
// arrives for a while: the times in it tell that from a script that goes on.
func (b *Browser) takesNote(t *target, heard *cdp.Pending) bool {
	if answered(heard, muteLimit) {
		return heard.Wait(context.Background(), nil) == nil
	}
	t.session.Send("Runtime.terminateExecution", nil)
	b.say("a script that wrote to the console without end was ended")
	ended := time.Now().Add(muteLimit)
	for !answered(heard, muteLimit/2) { // at the latest when the target goes away
		if page, on := b.goesOn(t, ended); on {
			page.session.Send("Page.crash", nil)
			return false
		}
	}
	return heard.Wait(context.Background(), nil) == nil
}

// goesOn reports whether a target wrote something after it was to have ended,
// and the page it belongs to.
func (b *Browser) goesOn(t *target, ended time.Time) (page *target, on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for page = t; page.tab == nil && page.parent != nil; {
		page = page.parent
	}
	return page, t.wrote.After(ended)
}

func answered(p *cdp.Pending, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.Done():
		return true
	case <-timer.C:
		return false
	}
}

// unmute listens to a target again: to what it writes from now on, or to all
// of a document that is new. b.mu is held.
func (b *Browser) unmute(t *target, document bool) {
	if !t.muted {
		return
	}
	t.muted = false
	close(t.listen)
	b.work.add(func() {
		relisten(t.session, document)
		t.session.Send("Log.clear", nil)
		t.session.Send("Log.enable", nil)
	})
}

// relisten makes the browser tell of every script world again. It would also
// repeat what it kept of the document's messages.
func relisten(s *cdp.Session, messages bool) {
	s.Send("Runtime.disable", nil) // what is enabled already tells nothing anew
	if !messages {
		s.Send("Runtime.discardConsoleEntries", nil)
	}
	s.Send("Runtime.enable", nil)
	s.Send("Runtime.setMaxCallStackSizeToCapture", topOfStack)
}

// consoleObjects are what a target logged: the protocol would keep each one
// alive as long as its document.
var consoleObjects = map[string]string{"objectGroup": "console"}

// topOfStack is as much of a stack as is looked at: a message has the whole of
// it otherwise, 200 calls and 30 KB.
var topOfStack = map[string]int{"size": 1}

// worlds learns of the script worlds of a muted target, which are not told of,
// when its frames change. b.mu is held.
func (b *Browser) worlds(t *target, f *frame) {
	if !t.muted {
		return
	}
	if f != nil && f.id == t.id { // it shows another document
		b.unmute(t, true)
		return
	}
	if t.asked {
		return
	}
	t.asked = true
	b.work.add(func() {
		b.mu.Lock()
		t.asked = false
		muted := t.muted
		b.mu.Unlock()
		if muted {
			relisten(t.session, false)
			t.session.Send("Runtime.disable", nil)
		}
	})
}

// calmed lets a page that floods its console run no script for a moment, which
// ends its timers: the browser itself is told of each message too, and has no
// time to leave the page meanwhile. It reports whether the page took note.
func calmed(ctx context.Context, t *tab) bool {
	ctx, stop := context.WithTimeout(ctx, closeLimit)
	defer stop()
	err := t.main.session.Call(ctx, "Emulation.setScriptExecutionDisabled", map[string]bool{"value": true}, nil)
	t.main.session.Send("Emulation.setScriptExecutionDisabled", map[string]bool{"value": false})
	return err == nil
}
