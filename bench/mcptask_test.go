package bench

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

// step is one act of the task, what a person would say of it: which element,
// what with it, and what must be seen then.
type step struct {
	act        string // open, click, fill or choose
	role, name string
	with       string
	loads      bool   // another document is shown after it
	sees       string // what the agent must have read before it goes on
}

// task is twenty steps of work as people do it in such applications.
var task = []step{
	{act: "open", with: "jobs", loads: true, sees: "Jobs found: 25"},
	{act: "fill", role: "textbox", name: "Search jobs", with: "Grace"},
	{act: "click", role: "button", name: "Search", loads: true, sees: "Jobs found: 12"},
	{act: "click", role: "link", name: "Job 1041", loads: true, sees: "Job 1041 for Grace Hopper"},
	{act: "click", role: "button", name: "Edit", sees: "Quantity"},
	{act: "fill", role: "textbox", name: "Quantity", with: "7"},
	{act: "fill", role: "textbox", name: "Note", with: "Leave at the side door"},
	{act: "choose", role: "combobox", name: "Status", with: "In progress"},
	{act: "click", role: "checkbox", name: "Express"},
	{act: "click", role: "button", name: "Save", loads: true, sees: "Changes saved"},
	{act: "click", role: "button", name: "Add comment", sees: "Keep comment"},
	{act: "fill", role: "textbox", name: "Comment", with: "Called the customer"},
	{act: "click", role: "button", name: "Keep comment", sees: "Kept: Called the customer"},
	{act: "click", role: "tab", name: "History", sees: "Quantity is now 7"},
	{act: "click", role: "link", name: "Back to jobs", loads: true, sees: "Jobs found: 25"},
	{act: "click", role: "button", name: "Next page", sees: "Job 1026"},
	{act: "click", role: "checkbox", name: "Select 1030"},
	{act: "click", role: "button", name: "Mark as packed", sees: "Packed 1 job"},
	{act: "click", role: "button", name: "Show totals", sees: "125 pieces"},
	{act: "click", role: "link", name: "Reports", loads: true, sees: "Jobs packed so far: 1"},
}

// mind is an agent without a model: it acts on what it has read since the
// document was loaded, newest first, and looks again when what it needs is not
// in it. It counts what a model would have had to read.
type mind struct {
	hand
	texts  []string
	calls  int
	tokens int
}

func (m *mind) read(text string) {
	m.calls++
	m.tokens += tokens(text)
	m.texts = append(m.texts, text)
}

// again looks at the page. What was read before it is old.
func (m *mind) again() error {
	text, err := m.look()
	if err == nil {
		m.texts = nil
		m.read(text)
	}
	return err
}

// known is the newest reference to an element, looked for if need be.
func (m *mind) known(role, name string) (string, error) {
	for range 2 {
		for i := len(m.texts) - 1; i >= 0; i-- {
			if ref := m.ref(m.texts[i], role, name); ref != "" {
				return ref, nil
			}
		}
		if err := m.again(); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("there is no %s %q in\n%s", role, name, m.texts[0])
}

// sees makes sure that a text was read: by looking, and else by waiting for it.
func (m *mind) sees(text string) error {
	last := func() bool { return strings.Contains(m.texts[len(m.texts)-1], text) }
	if text == "" || last() {
		return nil
	}
	if err := m.again(); err != nil || last() {
		return err
	}
	waited, err := m.await(text)
	if err != nil {
		return err
	}
	m.read(waited)
	if err := m.again(); err != nil || last() {
		return err
	}
	return fmt.Errorf("%q is not in\n%s", text, m.texts[0])
}

// do does one step, a second time when the reference was refused.
func (m *mind) do(base string, s step) error {
	text, err := m.act(base, s)
	var refused *peer.Refusal
	if errors.As(err, &refused) {
		m.read(text)
		if err := m.again(); err != nil {
			return err
		}
		text, err = m.act(base, s)
	}
	if err != nil {
		return fmt.Errorf("%s %s %q: %w", s.act, s.role, s.name, err)
	}
	if s.loads {
		m.texts = nil
	}
	m.read(text)
	return m.sees(s.sees)
}

func (m *mind) act(base string, s step) (string, error) {
	if s.act == "open" {
		return m.open(base + s.with)
	}
	ref, err := m.known(s.role, s.name)
	if err != nil {
		return "", err
	}
	switch s.act {
	case "fill":
		return m.fill(ref, s.with)
	case "choose":
		return m.choose(ref, s.with)
	}
	return m.click(ref, s.loads)
}

// work does the whole task in a workshop of its own, and asks the site whether
// it was done.
func work(h hand, site *mcpSite, run string) (*mind, error) {
	m := &mind{hand: h}
	for i, s := range task {
		if err := m.do(site.own+"/work/"+run+"/", s); err != nil {
			return m, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return m, site.work.done(run)
}
