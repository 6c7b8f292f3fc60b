package netlog

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// Limits of what a source may write to the console in a second. The browser
// queues what a page writes without a limit, and a box has little memory: two
// workers that wrote without end filled 512 MiB in five seconds (measured with
// Chromium 156).
const (
	mostOfSource = 2000 // messages of one source; one of 4 KiB counts as two
	mostOfAll    = 5000 // of all sources together; above it fewOfSource holds for each
	fewOfSource  = 200  // messages

	mostLate = 60 * time.Second // a message that is older than the newest by more has a timestamp of another clock

	mutedFor  = 30 * time.Second // unless the source shows another document before
	muteLimit = time.Second      // for a source to answer that it is muted; after it its script is ended
	lateLimit = 10 * time.Second // for earlier messages to arrive: all other events wait behind them
	stopLimit = 2 * time.Second  // for StopScripts
)

// Source is a tab, a frame or a worker whose console the log reads. A source
// that writes too much is muted for some time: the browser then reports neither
// its messages nor its script worlds.
type Source struct {
	log     *Log
	session *cdp.Session
	kind    string // of target
	crash   func() // ends the renderer of the page that it belongs to

	// Guarded by log.mu.
	released  time.Time     // when its objects were last released
	rate      meter         // of its messages
	muted     bool          //
	unmuted   chan struct{} // closed when it is unmuted or gone
	late      int           // events that came since it was muted
	newest    time.Time     // when the newest of a sample of them was written
	refreshes bool          // a report of its script worlds is scheduled while it is muted
}

// Source adds a source with its kind of target. crash ends the renderer of its
// page.
func (l *Log) Source(session *cdp.Session, kind string, crash func()) *Source {
	return &Source{log: l, session: session, kind: kind, crash: crash}
}

// meter counts the messages of the newest second, by the times at which they
// were written. The times of arrival are not used, because a busy machine
// delivers messages more slowly than they are written.
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

// header is the part of a console event that is read as it arrives.
type header struct {
	Time  float64 `json:"timestamp"` // of a message of a script
	Entry struct {
		Time   float64 `json:"timestamp"` // of a message of the browser
		Source string  `json:"source"`
	} `json:"entry"`
}

func (h header) at() time.Time { return timestamp(max(h.Time, h.Entry.Time)) }

// accepts counts an event and reports whether to keep it. log.mu is held.
func (s *Source) accepts(event json.RawMessage, from Origin) bool {
	if s.muted {
		s.sample(event)
		return false
	}
	var h header
	if json.Unmarshal(event, &h) != nil {
		return false
	}
	limit, cost := mostOfSource, 1+len(event)/4096
	if s.log.rate.add(h.at(), cost) > mostOfAll {
		limit = fewOfSource
	}
	if s.rate.add(h.at(), cost) <= limit {
		return h.Entry.Source != "worker" // the worker's own source reports it too
	}
	s.mute(from)
	return false
}

// sample records when a muted source wrote the messages that still arrive. It
// reads one event of 64. log.mu is held.
func (s *Source) sample(event json.RawMessage) {
	const every = 64
	if s.late++; s.late%every != 0 {
		return
	}
	var h header
	if json.Unmarshal(event, &h) == nil {
		s.newest = h.at()
	}
}

// mute stops listening to the source. log.mu is held.
func (s *Source) mute(from Origin) {
	l := s.log
	s.muted, s.unmuted = true, make(chan struct{})
	l.host.Note("a page writes to its console without end: what it writes is left out for a while")
	l.console.put(consoleEvent{parsed: &action.ConsoleMessage{
		Level: "warn", Timestamp: time.Now().UTC(), URL: from.URL,
		Text: "(the messages of this " + s.kind + " are left out for a while: there were too many)",
	}})
	unmuted := s.unmuted
	l.host.Later(func() {
		disabled := s.session.Send("Runtime.disable", nil)
		s.session.Send("Log.disable", nil)
		s.session.Send("Runtime.releaseObjectGroup", consoleObjects)
		l.host.Go(func() { s.unmuteLater(disabled, unmuted) })
	})
}

// unmuteLater waits until the source may be listened to again.
func (s *Source) unmuteLater(disabled *cdp.Pending, unmuted <-chan struct{}) {
	if !s.becomesQuiet(disabled, unmuted) {
		return
	}
	timer := time.NewTimer(mutedFor)
	defer timer.Stop()
	select {
	case <-timer.C:
		s.log.mu.Lock()
		s.unmute(false)
		s.log.mu.Unlock()
	case <-unmuted:
	case <-s.log.host.Done:
	}
}

// becomesQuiet waits until the source has confirmed that it is muted. A script
// that prevents the confirmation is ended. Sometimes V8 loses that request; if
// the source continues to write, its renderer is ended. Messages that were
// written before still arrive for some time; their timestamps distinguish the
// two cases. If that takes too long, the renderer is ended too, and with it the
// waiting messages. Nothing is ended once the source shows another document,
// which closes unmuted.
func (s *Source) becomesQuiet(disabled *cdp.Pending, unmuted <-chan struct{}) bool {
	if done, answered := waitFor(disabled, unmuted, muteLimit); done {
		return answered
	}
	s.session.Send("Runtime.terminateExecution", nil)
	s.log.host.Note("a script that wrote to the console without end was ended")
	ended := time.Now().Add(muteLimit)
	for { // at the latest until the source goes away
		if done, answered := waitFor(disabled, unmuted, muteLimit/2); done {
			return answered
		}
		if s.wroteAfter(ended) || time.Since(ended) > lateLimit {
			s.crash()
			return false
		}
	}
}

// wroteAfter reports whether the muted source wrote something after a time.
func (s *Source) wroteAfter(t time.Time) bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.newest.After(t)
}

// waitFor waits for an answer for a time, or until unmuted is closed. done is
// false after a time-out. answered reports an answer that is not an error.
func waitFor(p *cdp.Pending, unmuted <-chan struct{}, limit time.Duration) (done, answered bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.Done():
		return true, p.Wait(context.Background(), nil) == nil
	case <-unmuted:
		return true, false
	case <-timer.C:
		return false, false
	}
}

// unmute reads the console of the source again: messages written from now on,
// or all messages of a new document. log.mu is held.
func (s *Source) unmute(newDocument bool) {
	if !s.muted {
		return
	}
	s.muted = false
	close(s.unmuted)
	s.log.host.Later(func() {
		relisten(s.session, newDocument)
		s.session.Send("Log.clear", nil)
		s.session.Send("Log.enable", nil)
	})
}

// Muted reports whether the source is muted.
func (s *Source) Muted() bool {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.muted
}

// FrameChanged is called when a frame of the source was added or shows another
// document. own says that it is the source's own frame. A muted source then
// reports its script worlds once. If its own document changed, it is unmuted.
func (s *Source) FrameChanged(own bool) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	switch {
	case !s.muted:
	case own:
		s.unmute(true)
	case !s.refreshes:
		s.refreshes = true
		s.log.host.Later(s.refresh)
	}
}

func (s *Source) refresh() {
	s.log.mu.Lock()
	s.refreshes = false
	muted := s.muted
	s.log.mu.Unlock()
	if muted {
		relisten(s.session, false)
		s.session.Send("Runtime.disable", nil)
	}
}

// Close is called when the source has gone away.
func (s *Source) Close() {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if s.muted {
		s.muted = false
		close(s.unmuted)
	}
}

// StopScripts disables the scripts of the source and enables them again, which
// ends its timers. A page that floods its console otherwise keeps the browser
// too busy to leave the page. It reports whether the page answered.
func (s *Source) StopScripts(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, stopLimit)
	defer stop()
	err := s.session.Call(ctx, "Emulation.setScriptExecutionDisabled", map[string]bool{"value": true}, nil)
	s.session.Send("Emulation.setScriptExecutionDisabled", map[string]bool{"value": false})
	return err == nil
}
