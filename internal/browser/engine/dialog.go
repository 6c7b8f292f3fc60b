package engine

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// dialogs answers the dialogs that pages open.
type dialogs struct {
	*base
	effects *effects
}

// dialog is an open JavaScript dialog of a tab.
type dialog struct {
	action.Dialog
	target *target
	timer  *time.Timer
	kept   bool // it opened while a verb ran, whose caller is told of it and answers
}

// errDialog interrupts a verb when a dialog opens.
var errDialog = errors.New("a dialog opened")

func (d *dialog) fault() error {
	return fault.New(fault.DialogOpen, "a %s dialog is open: %q", d.Kind, d.Message).
		Hinted("answer it with page.dialog (accept true or false) before anything else").
		With("kind", d.Kind).With("message", d.Message)
}

var dialogEvents = map[string]eventHandler{
	"Page.javascriptDialogOpening": inTab(func(b *Browser, s *state, t *tab, from *target, p struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Default string `json:"defaultPrompt"`
	}) {
		if t.hidden && p.Type != "beforeunload" {
			b.work.add(func() { from.session.Send(handleDialog, map[string]bool{"accept": false}) })
			return
		}
		if p.Type == "beforeunload" {
			if !t.hidden {
				b.notes.add("the page asked to stay, since something on it may not be saved, and was left all the same")
			}
			b.work.add(func() { from.session.Send(handleDialog, map[string]bool{"accept": true}) })
			return
		}
		b.dialogs.openDialog(s, t, from, action.Dialog{Kind: p.Type, Message: pagetext.Cut(p.Message), Default: pagetext.Cut(p.Default)})
	}),
	"Page.javascriptDialogClosed": inTab(func(_ *Browser, _ *state, t *tab, _ *target, _ struct{}) { t.dropDialog() }),
}

const handleDialog = "Page.handleJavaScriptDialog"

// openDialog interrupts the tab's verbs. A dialog that nobody answers is dismissed
// after a time.
func (ds *dialogs) openDialog(s *state, t *tab, from *target, says action.Dialog) {
	t.dropDialog()
	t.dialogs++
	d := &dialog{Dialog: says, target: from, kept: len(t.running) > 0}
	d.timer = time.AfterFunc(s.options.DialogTimeout, func() { ds.state.Do(func(s *state) { ds.dismiss(s, t, d) }) })
	t.dialog = d
	t.interrupt(errDialog)
}

// dismiss dismisses a dialog that nobody answered.
func (ds *dialogs) dismiss(s *state, t *tab, d *dialog) {
	if t.dialog != d {
		return
	}
	t.dialog = nil
	log := s.options.Log
	ds.notes.add("nobody answered the %s dialog %q: it was dismissed", d.Kind, d.Message)
	ds.work.add(func() {
		d.target.session.Send(handleDialog, map[string]bool{"accept": false})
		log.Warn("dismissed a dialog nobody answered", "kind", d.Kind, "tab", t.id)
	})
	s.change()
}

// dropDialog forgets the tab's dialog.
func (t *tab) dropDialog() {
	if t.dialog != nil {
		t.dialog.timer.Stop()
		t.dialog = nil
	}
}

// modal returns the open dialog of a tab, nil for none.
func (b *base) modal(t *tab) *action.Dialog {
	return guarded.Get(b.state, func(*state) *action.Dialog {
		if t == nil || t.dialog == nil {
			return nil
		}
		says := t.dialog.Dialog
		return &says
	})
}

// printOf returns the fingerprint of a dialog, "" for none.
func printOf(d *action.Dialog) string {
	if d == nil {
		return ""
	}
	return strconv.Quote(d.Kind) + strconv.Quote(d.Message) + strconv.Quote(d.Default)
}

// answer answers the open dialog, and waits for what that sets off.
func (ds *dialogs) answer(ctx context.Context, t *tab, a *action.AnswerDialog, pin action.Pin) (any, error) {
	d := guarded.Get(ds.state, func(*state) *dialog { return t.dialog })
	if d == nil {
		return nil, fault.New(fault.InvalidRequest, "no dialog is open").Hinted("go on without page.dialog")
	}
	if printOf(&d.Dialog) != pin.Print {
		return nil, fault.New(fault.PageChanged, "another dialog is open than the one that was looked at").
			Hinted("read what it says now, and answer that")
	}
	before := ds.effects.mark(t)
	params := map[string]any{"accept": a.Accept}
	if d.Kind == "prompt" && a.Accept {
		params["promptText"] = a.Prompt
	}
	// When the page opens the next dialog, the browser has taken the answer.
	if err := d.target.session.Call(ctx, handleDialog, params, nil); err != nil && !errors.Is(context.Cause(ctx), errDialog) {
		return nil, err
	}
	ds.state.Do(func(*state) {
		if t.dialog == d {
			t.dropDialog()
		}
	})
	acted := &action.Acted{OK: true}
	var err error
	acted.NewPage, err = ds.effects.waitForNavigation(ctx, t, nil, before)
	return acted, err
}
