package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
)

const (
	mostRaw      = 4096        // bytes of an event that is kept as it came; longer ones are cut to their text at once
	releaseEvery = time.Second // between letting go of the objects that a target logged
	defaultList  = 100         // messages or requests, where a call does not say how many
)

// utterance is one console event. It is read when somebody asks: a page that
// writes without end costs no more than the copy.
type utterance struct {
	read func(json.RawMessage) (action.ConsoleMessage, bool)
	raw  json.RawMessage
	done *action.ConsoleMessage // instead of raw

	tab    *tab   // nil for a worker's
	loader string // of the document that the tab showed then
}

var consoleEvents = map[string]taker{
	"Runtime.consoleAPICalled": heardAs(consoleCall),
	"Runtime.exceptionThrown":  heardAs(exception),
	"Log.entryAdded":           heardAs(logEntry),
}

// heardAs keeps an event of any target: tabs, frames, workers.
func heardAs(read func(json.RawMessage) (action.ConsoleMessage, bool)) taker {
	return func(b *Browser, _ string, from *target, params json.RawMessage) {
		if from == nil || from.isHidden() || !b.hears(from, params) {
			return
		}
		b.release(from, params)
		u := utterance{read: read, raw: params}
		if len(params) > mostRaw {
			m, ok := read(params)
			if !ok {
				return
			}
			u = utterance{done: &m}
		}
		if u.tab = from.tab; u.tab != nil {
			u.loader = u.tab.root.loader
		}
		b.console.put(u)
		b.spoken++
	}
}

// release lets go of what a target logged, now and then. b.mu is held.
func (b *Browser) release(from *target, params json.RawMessage) {
	if !bytes.Contains(params, []byte(`"objectId"`)) || time.Since(from.released) < releaseEvery {
		return
	}
	from.released = time.Now()
	b.work.add(func() { from.session.Send("Runtime.releaseObjectGroup", consoleObjects) })
}

// readConsole lists the newest messages, oldest first.
func (b *Browser) readConsole(_ context.Context, a *action.ReadConsole) (any, error) {
	b.mu.Lock()
	kept := b.console.all()
	if a.Clear {
		b.console.clear()
	}
	b.mu.Unlock()
	messages := make([]action.ConsoleMessage, 0, len(kept))
	for _, u := range kept {
		if m, ok := u.message(); ok && (a.Level == "" || a.Level == m.Level) {
			messages = append(messages, m)
		}
	}
	return &action.ConsoleListing{Messages: newest(messages, a.Limit)}, nil
}

// newest keeps the last limit of a list.
func newest[T any](list []T, limit int) []T {
	if limit <= 0 {
		limit = defaultList
	}
	return list[max(0, len(list)-limit):]
}

func (u utterance) message() (action.ConsoleMessage, bool) {
	m, ok := action.ConsoleMessage{}, true
	if u.done != nil {
		m = *u.done
	} else {
		m, ok = u.read(u.raw)
	}
	m.Text, m.URL = pagetext.MaskURLs(pagetext.Visible(m.Text)), pagetext.MaskURL(m.URL)
	return m, ok
}

// stack says where something was written; only its top is looked at.
type stack struct {
	Frames []struct {
		URL  string `json:"url"`
		Line int    `json:"lineNumber"` // from 0
	} `json:"callFrames"`
}

func (s stack) top() (address string, line int) {
	if len(s.Frames) == 0 {
		return "", 0
	}
	return pagetext.Brief(s.Frames[0].URL), s.Frames[0].Line + 1
}

// moment is a time of the protocol: milliseconds since the epoch.
func moment(ms float64) time.Time { return time.UnixMilli(int64(ms)).UTC() }

var consoleLevels = map[string]string{
	"error": "error", "assert": "error", "warning": "warn", "info": "info", "debug": "debug", "verbose": "debug",
}

func levelOf(kind string) string { return cmp.Or(consoleLevels[kind], "log") }

// consoleCall reads Runtime.consoleAPICalled.
func consoleCall(raw json.RawMessage) (action.ConsoleMessage, bool) {
	var e struct {
		Type  string   `json:"type"`
		Args  []remote `json:"args"`
		Time  float64  `json:"timestamp"`
		Stack stack    `json:"stackTrace"`
	}
	if json.Unmarshal(raw, &e) != nil || e.Type == "endGroup" {
		return action.ConsoleMessage{}, false
	}
	m := action.ConsoleMessage{Level: levelOf(e.Type), Text: sentence(e.Args), Timestamp: moment(e.Time)}
	if e.Type == "assert" {
		m.Text = "Assertion failed: " + m.Text
	}
	m.URL, m.Line = e.Stack.top()
	return m, true
}

// exception reads Runtime.exceptionThrown: what no script caught, rejected
// promises included.
func exception(raw json.RawMessage) (action.ConsoleMessage, bool) {
	var e struct {
		Time    float64 `json:"timestamp"`
		Details struct {
			Text   string  `json:"text"`
			URL    string  `json:"url"`
			Line   int     `json:"lineNumber"` // from 0
			Thrown *remote `json:"exception"`
			Stack  stack   `json:"stackTrace"`
		} `json:"exceptionDetails"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return action.ConsoleMessage{}, false
	}
	d := e.Details
	m := action.ConsoleMessage{Level: "error", Text: d.Text, URL: pagetext.Brief(d.URL), Line: d.Line + 1, Timestamp: moment(e.Time)}
	if d.Thrown != nil {
		m.Text += " " + d.Thrown.text()
	}
	if m.URL == "" {
		m.URL, m.Line = d.Stack.top()
	}
	m.Text = pagetext.Brief(m.Text)
	return m, true
}

// logEntry reads Log.entryAdded: what the browser itself says of a page, such
// as resources that failed.
func logEntry(raw json.RawMessage) (action.ConsoleMessage, bool) {
	var e struct {
		Entry struct {
			Source string  `json:"source"`
			Level  string  `json:"level"`
			Text   string  `json:"text"`
			Time   float64 `json:"timestamp"`
			URL    string  `json:"url"`
			Line   *int    `json:"lineNumber"` // from 0
		} `json:"entry"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return action.ConsoleMessage{}, false
	}
	m := action.ConsoleMessage{Level: levelOf(e.Entry.Level), Text: pagetext.Brief(e.Entry.Text), URL: pagetext.Brief(e.Entry.URL), Timestamp: moment(e.Entry.Time)}
	if e.Entry.Line != nil && e.Entry.Source != "network" {
		m.Line = *e.Entry.Line + 1
	}
	return m, true
}
