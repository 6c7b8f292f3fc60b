package engine

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

	mostLate = 60 * time.Second // what arrives later than this behind another was written by another clock

	mutedFor  = 30 * time.Second // unless it shows another document before
	muteLimit = time.Second      // for a target to take note; a script that does not let it is ended
	lateLimit = 10 * time.Second // for what was written until then to arrive: all else that the browser says waits behind it
)

// meter counts what was written in the newest second that it knows of. How fast
// it arrives says nothing: on a busy machine that is slower than it is written.
type meter struct {
	second time.Time
	sum    int
}

func (m *meter) add(written time.Time, n int) int {
	s := written.Truncate(time.Second)
	if s.After(m.second) || m.second.Sub(s) > mostLate {
		m.second, m.sum = s, 0
	}
	m.sum += n
	return m.sum
}

// remark is what is looked at of a console event as it arrives.
type remark struct {
	Time  float64 `json:"timestamp"` // of what a script wrote
	Entry struct {
		Time   float64 `json:"timestamp"` // of what the browser wrote
		Source string  `json:"source"`
	} `json:"entry"`
}

func (w remark) at() time.Time { return moment(max(w.Time, w.Entry.Time)) }

// hears counts an event, and reports whether it is still to be kept. b.mu is
// held.
func (b *Browser) hears(t *target, event json.RawMessage) bool {
	if t.muted {
		t.follow(event)
		return false
	}
	var w remark
	if json.Unmarshal(event, &w) != nil {
		return false
	}
	limit, cost := mostWritten, 1+len(event)/4096
	if b.noise.add(w.at(), cost) > mostHeard {
		limit = fewWritten
	}
	if t.noise.add(w.at(), cost) <= limit {
		return w.Entry.Source != "worker" // which tells of it itself
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
	var w remark
	if json.Unmarshal(event, &w) == nil {
		t.wrote = w.at()
	}
}

// mute stops listening to a target. b.mu is held.
func (b *Browser) mute(t *target) {
	t.muted, t.listen = true, make(chan struct{})
	b.notes.add("a page writes to its console without end: what it writes is left out for a while")
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
func (b *base) placeOfTarget(t *target) string {
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
	if !b.takesNote(t, heard, until) {
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
// Where it takes too long, the renderer is ended too, and with it what waits.
// Another document, which closes until, is not ended for the one before.
func (b *Browser) takesNote(t *target, heard *cdp.Pending, until <-chan struct{}) bool {
	if over, took := answered(heard, until, muteLimit); over {
		return took
	}
	t.session.Send("Runtime.terminateExecution", nil)
	b.notes.add("a script that wrote to the console without end was ended")
	ended := time.Now().Add(muteLimit)
	for { // at the latest until the target goes away
		if over, took := answered(heard, until, muteLimit/2); over {
			return took
		}
		if b.goesOn(t, ended) || time.Since(ended) > lateLimit {
			b.pageOf(t).session.Send("Page.crash", nil)
			return false
		}
	}
}

// goesOn reports whether a target wrote something after it was to have ended.
func (b *Browser) goesOn(t *target, ended time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return t.wrote.After(ended)
}

// pageOf is the page or frame that a target belongs to.
func (b *base) pageOf(t *target) *target {
	b.mu.Lock()
	defer b.mu.Unlock()
	for t.tab == nil && t.parent != nil {
		t = t.parent
	}
	return t
}

// answered waits for an answer, for a while or until nobody needs it: over says
// that it need not be waited for again, took that it came and is no fault.
func answered(p *cdp.Pending, until <-chan struct{}, limit time.Duration) (over, took bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.Done():
		return true, p.Wait(context.Background(), nil) == nil
	case <-until:
		return true, false
	case <-timer.C:
		return false, false
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
