package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

const (
	maxListedPages = 10               // of a stretch of a person's input, in its record
	releaseLimit   = 10 * time.Second // for keys and buttons to be released
)

// stretch is what a person does in a session from the first input until somebody
// else has control, or the window is closed.
type stretch struct {
	box     sandbox.Box
	browser Browser
	leave   func() // frames accept a person's input until it is called

	mu     sync.Mutex
	since  time.Time
	clicks int
	keys   int
	pages  []string
	more   int // pages beyond maxListedPages
}

// Input sends a person's input (action.Picture).
func (v *picture) Input(ctx context.Context, events []action.PersonInput) error {
	ctx, leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s, err := v.drive(ctx)
	if err != nil {
		return err
	}
	if err := s.box.Input(ctx, events); err != nil {
		return err
	}
	s.count(events, v.session.now().Page)
	return nil
}

// Clipboard returns the session's clipboard (action.Picture).
func (v *picture) Clipboard(ctx context.Context) (string, error) {
	ctx, leave, err := v.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return v.session.stage().box.Clipboard(ctx, action.SelectionClipboard)
}

// SetClipboard replaces the session's clipboard (action.Picture).
func (v *picture) SetClipboard(ctx context.Context, text string) error {
	ctx, leave, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return v.session.paste(ctx, action.SelectionClipboard, text)
}

// enter admits input of the viewer who has taken the session over. Faults: those of
// mayAct and openSession.enter.
func (v *picture) enter(ctx context.Context) (inside context.Context, leave func(), err error) {
	if err := v.mayAct(); err != nil {
		return nil, nil, err
	}
	return v.session.enter(ctx, v.call)
}

// drive returns the stretch of input that goes on. The first input begins one: the
// page is told to accept input that no act announced.
func (v *picture) drive(ctx context.Context) (*stretch, error) {
	v.driving.Lock()
	defer v.driving.Unlock()
	on := v.session.stage()
	if v.stretch != nil && v.stretch.browser == on.browser {
		return v.stretch, nil
	}
	leave, err := on.browser.AdmitInput(ctx)
	if err != nil {
		return nil, err
	}
	if v.stretch == nil {
		v.stretch = &stretch{since: time.Now()}
		v.of.work.Go(v.awaitEnd)
	} else {
		v.stretch.leave() // of a browser that ended
	}
	v.stretch.box, v.stretch.browser, v.stretch.leave = on.box, on.browser, leave
	return v.stretch, nil
}

// awaitEnd ends the stretch when the viewer has control no more.
func (v *picture) awaitEnd() {
	for {
		state, changed, err := v.State()
		if err != nil || !state.Mine {
			v.endStretch()
			return
		}
		select {
		case <-changed:
		case <-v.life.Done():
		}
	}
}

// endStretch releases what is held, has the page refuse input again, and records
// what the person did: never what was typed.
func (v *picture) endStretch() {
	v.driving.Lock()
	s := v.stretch
	v.stretch = nil
	v.driving.Unlock()
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), releaseLimit)
	defer cancel()
	if err := s.box.ReleaseInput(ctx); err != nil && v.session.over() == nil {
		v.of.log.Warn("what a person held was not released", "session", v.session.id, "error", err)
	}
	s.leave()
	s.browser.ShowActive(ctx)
	v.of.control.audit.event(v.session.now(), v.call.ID, s.text(v.call.Caller.Actor))
}

// count counts the input, and notes the page that it was for.
func (s *stretch) count(events []action.PersonInput, page *action.Page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		switch e.Kind {
		case action.InputButtonDown, action.InputTouchDown:
			s.clicks++
		case action.InputKeyDown:
			s.keys++
		case action.InputText:
			s.keys += len([]rune(e.Text))
		}
	}
	switch {
	case page == nil || page.URL == "" || slices.Contains(s.pages, page.URL):
	case len(s.pages) < maxListedPages:
		s.pages = append(s.pages, page.URL)
	default:
		s.more++
	}
}

// text is the record of the stretch.
func (s *stretch) text(actor string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	where := strings.Join(s.pages, " ")
	if s.more > 0 {
		where += " and others"
	}
	return fmt.Sprintf("%s had the controls for %s: clicks %d, keys %d, on %s",
		actor, time.Since(s.since).Round(time.Second), s.clicks, s.keys, where)
}
