package tasks

import (
	"errors"
	"fmt"
	"time"
)

// errCannot is what a server has no tool for.
var errCannot = errors.New("cannot")

// cannot says what a server has no tool for.
func cannot(what string) error { return fmt.Errorf("%w: %s", errCannot, what) }

// Entry is one field of a form and what goes into it.
type Entry struct {
	Node  Node
	Value string // text, an option's label, or true and false for what is checked
	Pick  bool   // whether it is a select
}

// kind is what form tools call such a field.
func (e Entry) kind() string {
	switch {
	case e.Node.Role == "checkbox" || e.Node.Role == "radio":
		return e.Node.Role
	case e.Pick:
		return "combobox"
	}
	return "textbox"
}

// hands are what a server lets an agent do. Each names its tools in its own
// way; a page is what its own answers said.
type hands interface {
	open(url string) error
	look() (Page, error)                // the page as it is now: a call only where the last answer does not tell
	find(words string) (Page, error)    // the parts of the page with these words
	click(n Node, how string) error     // how: "", "double" or "right"
	form(entries []Entry) error         // as few calls as the server has for it
	choose(n Node, option string) error // of a select
	write(n Node, text string) error    // in the place of what is in it
	typed(n Node, text string) error    // key by key, after what is in it
	key(n Node, key string) error       // n: the zero node for where the focus is
	hover(n Node) error                 //
	drag(from, to Node) error           //
	scroll(n Node, down int) error      // pixels, of what n is or is in
	upload(n Node, name, text string) error
	wait(words string, limit time.Duration) error
	dialog(accept bool, text string) error
	tab(title string) error // the one with that title; the first for an empty one
	said() string           // the last answer, as it was read
	think() error           // lets time pass, after which the page is not known any more
	reset() error           // one empty tab
}

// Agent does one task with a server's hands. After the first thing that fails
// nothing more is done, so that scripts need not ask after each step.
type Agent struct {
	hands
	told   map[string]string
	base   string // address of the site
	answer string
	err    error
}

const late = 10 * time.Second // for what a page shows afterwards

// Told is a word of the goal.
func (a *Agent) Told(name string) string { return a.told[name] }

// Open goes to a page of the site.
func (a *Agent) Open(path string) { a.do(func() error { return a.open(a.base + path) }) }

// Look is the page as it is now.
func (a *Agent) Look() Page {
	var page Page
	a.do(func() (err error) { page, err = a.look(); return err })
	return page
}

// Seek is Look where the words are on a page that may be too large to be
// shown whole.
func (a *Agent) Seek(words string) Page {
	page := a.Look()
	if a.err != nil || page.Has(words) {
		return page
	}
	a.do(func() (err error) { page, err = a.find(words); return err })
	return page
}

// Click presses a node; Double does so twice, and Context with the right button.
func (a *Agent) Click(n Node) { a.on(n, func() error { return a.click(n, "") }) }

// Double is a double click.
func (a *Agent) Double(n Node) { a.on(n, func() error { return a.click(n, "double") }) }

// Context is a click with the right button.
func (a *Agent) Context(n Node) { a.on(n, func() error { return a.click(n, "right") }) }

// Fill puts values into fields.
func (a *Agent) Fill(entries ...Entry) {
	for _, e := range entries {
		a.on(e.Node, func() error { return nil })
	}
	a.do(func() error { return a.form(entries) })
}

// Choose chooses an option of a select.
func (a *Agent) Choose(n Node, option string) {
	a.on(n, func() error { return a.choose(n, option) })
}

// Write puts text into a field, in the place of what is there.
func (a *Agent) Write(n Node, text string) { a.on(n, func() error { return a.write(n, text) }) }

// Type types text as keys, where the focus is in a node.
func (a *Agent) Type(n Node, text string) { a.on(n, func() error { return a.typed(n, text) }) }

// Key presses a key: on a node, or for the zero node where the focus is.
func (a *Agent) Key(n Node, key string) { a.on(n, func() error { return a.key(n, key) }) }

// Hover points at a node.
func (a *Agent) Hover(n Node) { a.on(n, func() error { return a.hover(n) }) }

// Drag drags one node onto another.
func (a *Agent) Drag(from, to Node) {
	a.on(from, func() error { return nil })
	a.on(to, func() error { return a.drag(from, to) })
}

// Scroll scrolls what a node is or is in.
func (a *Agent) Scroll(n Node, down int) { a.on(n, func() error { return a.scroll(n, down) }) }

// Upload gives a file to a field.
func (a *Agent) Upload(n Node, name, text string) {
	a.on(n, func() error { return a.upload(n, name, text) })
}

// Wait looks, and waits for words where the page does not show them yet.
func (a *Agent) Wait(words string) Page {
	page := a.Look()
	if a.err != nil || page.Has(words) {
		return page
	}
	a.do(func() error { return a.wait(words, late) })
	return a.Look()
}

// Until looks again and again until the page is as a script needs it, for what
// no words tell. Between two looks it lets pass what a model takes at least.
func (a *Agent) Until(ready func(Page) bool) Page {
	for begin := time.Now(); ; {
		page := a.Look()
		if a.err != nil || ready(page) || time.Since(begin) > late {
			return page
		}
		a.do(a.think)
	}
}

// Dialog answers a dialog of the browser.
func (a *Agent) Dialog(accept bool, text string) {
	a.do(func() error { return a.dialog(accept, text) })
}

// Tab goes to the tab with that title; to the first for an empty one.
func (a *Agent) Tab(title string) { a.do(func() error { return a.tab(title) }) }

// Said is the last answer.
func (a *Agent) Said() string { return a.said() }

// Answer is what the goal asked for.
func (a *Agent) Answer(text string) { a.answer = text }

// Going reports whether nothing has failed yet.
func (a *Agent) Going() bool { return a.err == nil }

func (a *Agent) do(step func() error) {
	if a.err == nil {
		a.err = step()
	}
}

// on is do for a node that must have been found.
func (a *Agent) on(n Node, step func() error) {
	if n.want != "" && a.err == nil {
		a.err = fmt.Errorf("the page shows no %s", n.want)
	}
	a.do(step)
}
