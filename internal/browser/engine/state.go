package engine

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
)

// state is what the browser reports of itself, and how it is set up. Its tabs, frames
// and targets belong to it: those of their fields that may change are used only by
// functions that were handed the state, so that they run while its lock is held
// (base.state). TestStateIsUsedUnderItsLock checks that.
type state struct {
	options  Options
	version  version // of the browser, set before there is a tab
	context  string  // browser context of the session's tabs; empty for the browser's own profile
	home     string  // browser context of the first tab, named there too
	sessions map[string]*target
	tabs     map[string]*tab
	order    []*tab        // by their last activation; the last one is active
	changed  chan struct{} // closed and replaced at each change of state
	made     int           // tabs so far
	making   int           // tabs that the engine is opening
	hiding   int           // tabs of a crawl that are being opened

	cast   chan<- castFrame // gets the pictures of a screencast; nil while none runs
	castOn string           // protocol session that the pictures come from
}

func newState(o Options) state {
	return state{options: o, sessions: make(map[string]*target), tabs: make(map[string]*tab), changed: make(chan struct{})}
}

// change wakes everybody in base.await.
func (s *state) change() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// active returns the active tab, nil for none.
func (s *state) active() *tab {
	if len(s.order) == 0 {
		return nil
	}
	return s.order[len(s.order)-1]
}

// tabInfo describes a tab for callers.
func (s *state) tabInfo(t *tab) action.Tab {
	return action.Tab{ID: t.id, URL: t.root.url, Title: t.title, Active: s.active() == t}
}

// tabOfTarget returns the tab that a target is, or is a frame of.
func (s *state) tabOfTarget(id string) *tab {
	if t := s.tabs[id]; t != nil {
		return t
	}
	for _, t := range s.sessions {
		if t.id == id {
			return t.tab
		}
	}
	return nil
}

// tabWithFrame returns the tab of a frame, nil for a frame that is not known yet.
func (s *state) tabWithFrame(frame string) *tab {
	for _, t := range s.tabs {
		if t.frames[frame] != nil {
			return t
		}
	}
	return nil
}

// documentAround returns the http address of the document in a frame, otherwise of
// the nearest document around it, otherwise of the tab's opener.
func (s *state) documentAround(t *tab, f *frame) string {
	if f == nil {
		f = t.root
	}
	for ; f != nil; f = f.parent {
		if strings.HasPrefix(f.url, "http") {
			return f.url
		}
	}
	if opener := s.tabs[t.opener]; opener != nil {
		return opener.root.url
	}
	return ""
}

// show makes a tab that newHiddenTab kept back the active one, unless it is hidden.
func (s *state) show(t *tab) {
	if !t.hidden && !slices.Contains(s.order, t) {
		s.order = append(s.order, t)
		s.change()
	}
}

// unwanted reports whether a new page was opened by a hidden tab. Such a page is
// closed before it runs. A page that does not name its opener is taken for one while
// a hidden tab waits for a page that it opened.
func (s *state) unwanted(opener string) bool {
	if o := s.tabs[opener]; o != nil {
		return o.hidden
	}
	for _, t := range s.tabs {
		if t.hidden && t.popups.asked > t.popups.done && s.making+s.hiding == 0 {
			t.popups.done++
			return true
		}
	}
	return false
}

// isOfCrawl reports whether a frame is of a tab of a crawl.
func (s *state) isOfCrawl(frame string) bool {
	t := s.tabWithFrame(frame)
	return t != nil && t.hidden
}

// inContext adds the browser context of the session's tabs to the parameters of a
// call.
func (s *state) inContext(params map[string]any) map[string]any {
	if s.context != "" {
		params["browserContextId"] = s.context
	}
	return params
}

// downloadBehaviour returns the parameters of Browser.setDownloadBehavior: each
// download gets a name of its own in the folder, or none is made.
func (s *state) downloadBehaviour() map[string]any {
	params := map[string]any{"behavior": "deny", "eventsEnabled": true}
	if s.options.Downloads != "" {
		params["behavior"], params["downloadPath"] = "allowAndName", s.options.Downloads
	}
	return s.inContext(params)
}

// downloadSettings returns those of the present options.
func (s *state) downloadSettings() download.Settings {
	return download.Settings{
		Enabled: s.options.Downloads != "", Context: s.context, Most: s.options.MostDownload, Store: s.options.Files, Log: s.options.Log,
	}
}
