package apptasks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

const shownLimit = 30 // seconds for a page to show what was done

// object is a JSON object.
type object = map[string]any

// codec counts tokens as o200k does.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// Agent makes calls in one application. What fails ends the task.
type Agent struct {
	t      testing.TB
	ctx    context.Context
	server *peer.Server
	origin string
	last   string // the answer before, which references are taken from
	calls  int
	tokens int // of what was answered
}

// Try makes a call and returns its answer, a fault too.
func (a *Agent) Try(tool string, args object) (string, error) {
	a.t.Helper()
	text, err := a.server.Call(a.ctx, tool, args)
	if refused := (*peer.Refusal)(nil); errors.As(err, &refused) && strings.Contains(refused.Text, "page_changed") {
		a.count(text)
		text, err = a.server.Call(a.ctx, tool, args) // as agents do, once
	}
	a.count(text)
	a.last = text
	return text, err
}

func (a *Agent) count(text string) {
	a.calls++
	if c, err := codec(); err == nil {
		n, _ := c.Count(text) // of text that was read
		a.tokens += n
	}
}

// Call makes a call that must not fail.
func (a *Agent) Call(tool string, args object) string {
	a.t.Helper()
	text, err := a.Try(tool, args)
	if err != nil {
		page, _ := a.server.Call(a.ctx, "browser_snapshot", nil)
		a.t.Fatalf("%s %v: %v\nThe page:\n%s", tool, args, err, page)
	}
	return text
}

// Open goes to a path of the application, and looks again while it is told that
// the page is still loading.
func (a *Agent) Open(path string) {
	a.t.Helper()
	a.Call("browser_navigate", object{"url": a.origin + path})
	for i := 0; i < looks && strings.Contains(a.last, "the page is still loading"); i++ {
		a.Call("browser_wait_for", object{"time": 1})
		a.Look()
	}
}

const looks = 10 // at a page that is still loading

// Look shows the page.
func (a *Agent) Look() string { a.t.Helper(); return a.Call("browser_snapshot", nil) }

// Find finds text, or elements of a role and a name.
func (a *Agent) Find(args object) { a.t.Helper(); a.Call("browser_find", args) }

// Click clicks what has a role and a name.
func (a *Agent) Click(role, name string) {
	a.t.Helper()
	a.Call("browser_click", object{"role": role, "name": name})
}

// ClickOn clicks a reference.
func (a *Agent) ClickOn(ref string) { a.t.Helper(); a.Call("browser_click", object{"target": ref}) }

// Type puts text in the place of what a field has.
func (a *Agent) Type(role, name, text string) {
	a.t.Helper()
	a.Call("browser_type", object{"role": role, "name": name, "text": text, "clear_first": true})
}

// TypeInto puts text in the place of what a reference's field has.
func (a *Agent) TypeInto(ref, text string) {
	a.t.Helper()
	a.Call("browser_type", object{"target": ref, "text": text, "clear_first": true})
}

// Fill fills fields: names and values.
func (a *Agent) Fill(pairs ...string) {
	a.t.Helper()
	var fields []object
	for i := 0; i+1 < len(pairs); i += 2 {
		fields = append(fields, object{"name": pairs[i], "value": pairs[i+1]})
	}
	a.Call("browser_fill_form", object{"fields": fields})
}

// Choose chooses an option of a list with a name.
func (a *Agent) Choose(name, option string) {
	a.t.Helper()
	a.Call("browser_select_option", object{"role": "combobox", "name": name, "values": []string{option}})
}

// Key presses a key where the focus is.
func (a *Agent) Key(key string) { a.t.Helper(); a.Call("browser_press_key", object{"key": key}) }

// Wait waits for text.
func (a *Agent) Wait(text string) {
	a.t.Helper()
	if said := a.Call("browser_wait_for", object{"text": text, "timeout": shownLimit}); !strings.Contains(said, "It came.") {
		a.t.Fatalf("%q does not come: %s\n%s", text, said, a.Look())
	}
}

// Sees wants the answer before to hold text.
func (a *Agent) Sees(texts ...string) {
	a.t.Helper()
	for _, text := range texts {
		if !strings.Contains(a.last, text) {
			a.t.Fatalf("the agent is not shown %q, but:\n%s", text, a.last)
		}
	}
}

var reference = regexp.MustCompile(`\[(e\d+)`)

// Ref is the reference on the line of the answer before that is found by going
// from line to line: each text is looked for below the one before, or on its
// line.
func (a *Agent) Ref(texts ...string) string {
	a.t.Helper()
	lines, at := strings.Split(a.last, "\n"), 0
	for _, text := range texts {
		for at < len(lines) && !strings.Contains(lines[at], text) {
			at++
		}
	}
	if at < len(lines) {
		last := texts[len(texts)-1]
		for _, part := range []string{lines[at][strings.Index(lines[at], last):], lines[at]} { // a line of text may hold several links
			if found := reference.FindStringSubmatch(part); found != nil {
				return found[1]
			}
		}
	}
	a.t.Fatalf("no reference for %q in\n%s", texts, a.last)
	return ""
}

// In is a path's address, for calls that take one.
func (a *Agent) In(path string) string { return a.origin + path }

var sessionShape = regexp.MustCompile(`Session (s[0-9a-f]+)`)

// begin starts a session and returns its id.
func begin(ctx context.Context, server *peer.Server, name string) (string, error) {
	said, err := server.Call(ctx, "browser_session", object{"action": "start", "name": name})
	if err != nil {
		return "", fmt.Errorf("no session: %w", err)
	}
	found := sessionShape.FindStringSubmatch(said)
	if found == nil {
		return "", fmt.Errorf("the answer names no session: %s", said)
	}
	return found[1], nil
}

// above is the reference on the nearest line above a text that holds what: the
// check box of a row, the entry of a name.
func (a *Agent) above(text, what string) string {
	a.t.Helper()
	lines := strings.Split(a.last, "\n")
	for at, line := range lines {
		for i := at; strings.Contains(line, text) && i >= 0; i-- {
			if found := reference.FindStringSubmatch(lines[i]); found != nil && strings.Contains(lines[i], what) {
				return found[1]
			}
		}
	}
	a.t.Fatalf("no %s above %s in\n%s", what, text, a.last)
	return ""
}
