package netlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	mostRaw      = 4096        // bytes of an event that is kept as it came; longer ones are parsed at once
	releaseEvery = time.Second // between two releases of the objects that a source logged
	defaultList  = 100         // messages or requests, where a call does not say how many
)

// consoleEvent is one console message. It is parsed when a caller asks for it, so
// that a page that writes a lot costs no more than the copy.
type consoleEvent struct {
	parse  parser
	raw    json.RawMessage
	parsed *action.ConsoleMessage // instead of parse and raw
	from   Origin
}

// Origin says where a console event came from.
type Origin struct {
	Tab    string // its id; empty for a worker's
	Loader string // of the document that the tab showed
	URL    string // of the document that wrote it, where it is known
}

type parser func(json.RawMessage) (m action.ConsoleMessage, ok bool)

var parsers = map[string]parser{
	"Runtime.consoleAPICalled": parseConsoleCall,
	"Runtime.exceptionThrown":  parseException,
	"Log.entryAdded":           parseLogEntry,
}

// ConsoleEvents are the methods of the protocol's events that Source.Event takes.
var ConsoleEvents = []string{"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}

// Event takes one of ConsoleEvents.
func (s *Source) Event(method string, params json.RawMessage, from Origin) {
	l := s.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if !s.accepts(params, from) {
		return
	}
	s.release(params)
	e := consoleEvent{parse: parsers[method], raw: params, from: from}
	if len(params) > mostRaw {
		m, ok := e.parse(params)
		if !ok {
			return
		}
		e.raw, e.parsed = nil, &m
	}
	l.console.put(e)
	l.written++
}

// consoleObjects are the objects that a target logged: the protocol keeps each
// alive as long as its document, unless they are released.
var consoleObjects = map[string]string{"objectGroup": "console"}

// release releases the objects that the source logged, once a second. log.mu is
// held.
func (s *Source) release(params json.RawMessage) {
	if !bytes.Contains(params, []byte(`"objectId"`)) || time.Since(s.released) < releaseEvery {
		return
	}
	s.released = time.Now()
	s.log.host.Later(func() { s.session.Send("Runtime.releaseObjectGroup", consoleObjects) })
}

// Console lists the newest messages, oldest first.
func (l *Log) Console(a *action.ReadConsole) *action.ConsoleListing {
	l.mu.Lock()
	kept := l.console.all()
	if a.Clear {
		l.console.clear()
	}
	l.mu.Unlock()
	messages := make([]action.ConsoleMessage, 0, len(kept))
	for _, e := range kept {
		if m, ok := e.message(); ok && (a.Level == "" || a.Level == m.Level) {
			messages = append(messages, m)
		}
	}
	return &action.ConsoleListing{Messages: newest(messages, a.Limit)}
}

// newest returns the last limit values of a list.
func newest[T any](list []T, limit int) []T {
	if limit <= 0 {
		limit = defaultList
	}
	return list[max(0, len(list)-limit):]
}

func (e consoleEvent) message() (action.ConsoleMessage, bool) {
	m, ok := action.ConsoleMessage{}, true
	if e.parsed != nil {
		m = *e.parsed
	} else {
		m, ok = e.parse(e.raw)
	}
	m.Text, m.URL = pagetext.MaskURLs(untrusted.Text(m.Text)), pagetext.MaskURL(m.URL)
	return m, ok
}

// Written returns how many messages the console has had so far, for Errors.
func (l *Log) Written() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written
}

// Errors returns the errors among the messages after the first since messages, one
// line each, and how many messages there are now. loaders are the loaders of the
// documents that the open tabs show, by tab: an error of an earlier document of a
// tab is marked as such.
func (l *Log) Errors(since uint64, loaders map[string]string) (lines []string, now uint64) {
	l.mu.Lock()
	events, now := l.console.all(), l.written
	l.mu.Unlock()
	events = events[len(events)-int(min(now-since, uint64(len(events)))):]
	return errorLines(events, loaders), now
}

func errorLines(events []consoleEvent, loaders map[string]string) []string {
	const most = 3
	var all []string
	more := 0
	for _, e := range events[max(0, len(events)-100):] {
		m, ok := e.message()
		if !ok || m.Level != "error" || strings.HasSuffix(m.URL, "/favicon.ico") { // the browser asks for it, not the page
			continue
		}
		text := errorLine(m)
		if now, open := loaders[e.from.Tab]; open && e.from.Loader != now {
			text = "on the page before: " + text
		}
		switch {
		case slices.Contains(all, text):
		case len(all) < most:
			all = append(all, text)
		default:
			more++
		}
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return all
}

// errorLine returns an error with its address and without its stack.
func errorLine(m action.ConsoleMessage) string {
	const length = 160 // characters
	text, _, _ := strings.Cut(m.Text, "\n")
	text = untrusted.Shorten(text, length)
	if m.URL != "" && !strings.Contains(text, m.URL) {
		text += " (" + untrusted.Shorten(m.URL, length/2) + ")"
	}
	return text
}

// stack says where a message was written. Only its top frame is used.
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

// timestamp converts a time of the protocol: milliseconds since the epoch.
func timestamp(ms float64) time.Time { return time.UnixMilli(int64(ms)).UTC() }

var consoleLevels = map[string]string{
	"error": "error", "assert": "error", "warning": "warn", "info": "info", "debug": "debug", "verbose": "debug",
}

func levelOf(kind string) string { return cmp.Or(consoleLevels[kind], "log") }

// parseConsoleCall parses Runtime.consoleAPICalled.
func parseConsoleCall(raw json.RawMessage) (action.ConsoleMessage, bool) {
	var e struct {
		Type  string  `json:"type"`
		Args  []value `json:"args"`
		Time  float64 `json:"timestamp"`
		Stack stack   `json:"stackTrace"`
	}
	if json.Unmarshal(raw, &e) != nil || e.Type == "endGroup" {
		return action.ConsoleMessage{}, false
	}
	m := action.ConsoleMessage{Level: levelOf(e.Type), Text: formatted(e.Args), Timestamp: timestamp(e.Time)}
	if e.Type == "assert" {
		m.Text = "Assertion failed: " + m.Text
	}
	m.URL, m.Line = e.Stack.top()
	return m, true
}

// parseException parses Runtime.exceptionThrown: exceptions that no script caught
// and rejected promises.
func parseException(raw json.RawMessage) (action.ConsoleMessage, bool) {
	var e struct {
		Time    float64 `json:"timestamp"`
		Details struct {
			Text   string `json:"text"`
			URL    string `json:"url"`
			Line   int    `json:"lineNumber"` // from 0
			Thrown *value `json:"exception"`
			Stack  stack  `json:"stackTrace"`
		} `json:"exceptionDetails"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return action.ConsoleMessage{}, false
	}
	d := e.Details
	m := action.ConsoleMessage{Level: "error", Text: d.Text, URL: pagetext.Brief(d.URL), Line: d.Line + 1, Timestamp: timestamp(e.Time)}
	if d.Thrown != nil {
		m.Text += " " + d.Thrown.text()
	}
	if m.URL == "" {
		m.URL, m.Line = d.Stack.top()
	}
	m.Text = pagetext.Brief(m.Text)
	return m, true
}

// parseLogEntry parses Log.entryAdded: messages of the browser itself, such as of
// resources that failed to load.
func parseLogEntry(raw json.RawMessage) (action.ConsoleMessage, bool) {
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
	m := action.ConsoleMessage{Level: levelOf(e.Entry.Level), Text: pagetext.Brief(e.Entry.Text), URL: pagetext.Brief(e.Entry.URL), Timestamp: timestamp(e.Entry.Time)}
	if e.Entry.Line != nil && e.Entry.Source != "network" {
		m.Line = *e.Entry.Line + 1
	}
	return m, true
}
