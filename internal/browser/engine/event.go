package engine

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// event handles an event of the browser. It runs on the goroutine that reads the
// connection: it only changes state, and leaves everything else to the queue.
func (b *Browser) event(e cdp.Event) {
	take, known := events[e.Method]
	if !known {
		return
	}
	b.state.Do(func(s *state) { take(b, s, e.Session, s.sessions[e.Session], e.Params) })
}

type eventHandler func(b *Browser, s *state, session string, from *target, params json.RawMessage)

// on decodes an event of any target.
func on[P any](do func(b *Browser, s *state, session string, p P)) eventHandler {
	return func(b *Browser, s *state, session string, _ *target, params json.RawMessage) {
		var p P
		if json.Unmarshal(params, &p) == nil {
			do(b, s, session, p)
		}
	}
}

// inTab decodes an event of a tab or of a frame in one.
func inTab[P any](do func(b *Browser, s *state, t *tab, from *target, p P)) eventHandler {
	return func(b *Browser, s *state, _ string, from *target, params json.RawMessage) {
		var p P
		if from == nil || from.tab == nil || json.Unmarshal(params, &p) != nil {
			return
		}
		do(b, s, from.tab, from, p)
		s.change()
	}
}

type byFrame struct {
	Frame       string `json:"frameId"`
	Parent      string `json:"parentFrameId"`
	Loader      string `json:"loaderId"`
	Name        string `json:"name"`
	URL         string `json:"url"`
	Reason      string `json:"reason"`
	Disposition string `json:"disposition"`
	Type        string `json:"navigationType"`
}

var events = joined(targetEvents, frameEvents, worldEvents, networkEvents, dialogEvents, consoleEvents, dragEvents, downloadEvents, chooserEvents, storageEvents, certificateEvents, authEvents, castEvents)

func joined(parts ...map[string]eventHandler) map[string]eventHandler {
	all := make(map[string]eventHandler)
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

var targetEvents = map[string]eventHandler{
	"Target.attachedToTarget": on(func(b *Browser, s *state, session string, p attached) {
		b.targets.attach(s, session, p)
		if t := s.tabs[p.Info.ID]; t != nil {
			b.outgoing.extendReach(s, t)
		}
	}),
	"Target.detachedFromTarget": on(func(b *Browser, s *state, _ string, p struct {
		Session string `json:"sessionId"`
	}) {
		b.outgoing.channels.drop(func(of, _ string) bool { return of == p.Session })
		if closed := b.targets.detach(s, p.Session); closed != nil {
			b.work.add(func() {
				b.observer.viewers.Forget(closed.id)
				b.injection.forget(closed)
			})
		}
	}),
	"Target.targetInfoChanged": on(func(b *Browser, s *state, _ string, p struct {
		Info targetInfo `json:"targetInfo"`
	}) {
		// The browser names a page without a title after its URL.
		if t := s.tabs[p.Info.ID]; t != nil && p.Info.URL == t.root.url && !strings.Contains(p.Info.URL, p.Info.Title) {
			t.title = untrusted.Title(p.Info.Title)
		}
	}),
	"Inspector.targetCrashed": func(b *Browser, s *state, _ string, from *target, _ json.RawMessage) { b.targets.crash(s, from) },
}

var frameEvents = map[string]eventHandler{
	"Page.frameAttached": inTab(func(b *Browser, s *state, t *tab, from *target, p byFrame) {
		f := t.frame(p.Frame, p.Parent)
		if f.target == nil {
			f.target = from
		}
		from.console.FrameChanged(f.id == from.id)
	}),
	"Page.frameDetached": inTab(func(_ *Browser, _ *state, t *tab, from *target, p byFrame) {
		f := t.frames[p.Frame]
		switch {
		case f == nil || f == t.root:
		case p.Reason != "swap":
			t.drop(f)
		case f.target == from:
			f.target = nil // the browser reports the target of its new process next
			t.forget(f)
		}
	}),
	"Page.frameNavigated": inTab(func(b *Browser, s *state, t *tab, from *target, p struct {
		Frame frameInfo `json:"frame"`
	}) {
		f := t.navigated(from, p.Frame)
		if f == t.root {
			b.outgoing.channels.drop(func(_, tab string) bool { return tab == t.id })
		}
		b.outgoing.extendReach(s, t)
		if !t.offline {
			b.siteData.visited.add(f.url)
		}
		if from.console.Muted() {
			t.forget(f) // nobody told of the end of its world
		}
		from.console.FrameChanged(f.id == from.id)
	}),
	"Page.navigatedWithinDocument": inTab(func(_ *Browser, _ *state, t *tab, _ *target, p byFrame) {
		if f := t.frames[p.Frame]; f != nil {
			f.url = p.URL
			if f == t.root {
				t.moves.within++
			}
		}
	}),
	"Page.lifecycleEvent": inTab(func(_ *Browser, _ *state, t *tab, _ *target, p byFrame) {
		if f := t.frames[p.Frame]; f != nil {
			f.lifecycle(p.Loader, p.Name)
		}
	}),
	"Page.frameRequestedNavigation": inTab(func(b *Browser, s *state, t *tab, _ *target, p byFrame) {
		switch {
		case p.Disposition == "newTab" || p.Disposition == "newWindow":
			t.popups.asked++
		case p.Frame == t.root.id && p.Disposition == "currentTab":
			t.moves.asked++
		case p.Disposition == "download" && s.options.Downloads == "" && !t.hidden:
			b.notes.add(downloadRefused)
		case p.Disposition == "download" && p.Frame == t.root.id:
			t.moves.asked++ // it ends when the download begins or fails
		}
	}),
	"Page.frameScheduledNavigation": inTab(func(b *Browser, _ *state, t *tab, _ *target, p byFrame) {
		switch {
		case strings.HasPrefix(p.URL, "javascript:"):
			t.moves.scripts++
		case injected.LeavesBrowser(p.URL) && !t.hidden:
			b.notes.add(leavesBrowser, untrusted.Shorten(p.URL, mostQuote))
		}
	}),
	"Page.windowOpen": inTab(func(_ *Browser, _ *state, t *tab, _ *target, p byFrame) {
		t.popups.asked++
		t.opened = p.URL
	}),
	"Page.frameStartedNavigating": inTab(func(b *Browser, s *state, t *tab, _ *target, p byFrame) {
		if p.Frame == t.root.id && p.Type != "sameDocument" && p.Type != "historySameDocument" {
			t.moves.asked++
			if t.opener != "" && !leadsSomewhere(t.root.url) && injected.LeavesBrowser(p.URL) {
				b.targets.closeStranded(s, t, p.URL)
			}
		}
	}),
	"Page.frameStoppedLoading": inTab(func(_ *Browser, _ *state, t *tab, _ *target, p byFrame) {
		if p.Frame == t.root.id {
			t.moves.stopped++
		}
	}),
	"Page.downloadWillBegin": inTab(func(b *Browser, s *state, t *tab, _ *target, _ byFrame) {
		if s.options.Downloads == "" || t.hidden { // otherwise Browser.downloadWillBegin counts it
			t.moves.downloads++
		}
		if s.options.Downloads == "" && !t.hidden {
			b.notes.add(downloadRefused)
		}
	}),
}

const (
	downloadRefused = "a download was refused: downloads are off"
	leavesBrowser   = "%q is opened by another program, and there is none here: the page stays as it is"
)

type world struct {
	Context struct {
		ID     int64  `json:"id"`
		Origin string `json:"origin"`
		Unique string `json:"uniqueId"`
		Name   string `json:"name"`
		Aux    struct {
			Frame string `json:"frameId"`
			Own   bool   `json:"isDefault"` // the page's own
		} `json:"auxData"`
	} `json:"context"`
}

var worldEvents = map[string]eventHandler{
	"Runtime.executionContextCreated": inTab(func(_ *Browser, _ *state, t *tab, from *target, p world) {
		if p.Context.Name != injected.World && !p.Context.Aux.Own || p.Context.Aux.Frame == "" {
			return
		}
		f := t.frames[p.Context.Aux.Frame]
		if f == nil && !from.settled { // it existed before the engine attached
			f = t.frame(p.Context.Aux.Frame, "")
			f.target = from
		}
		switch {
		case f == nil || f.target != from:
		case p.Context.Aux.Own:
			f.own = p.Context.Unique
		default:
			if f.unique != p.Context.Unique {
				t.forget(f)
			}
			f.context, f.unique, f.origin = p.Context.ID, p.Context.Unique, p.Context.Origin
		}
	}),
	"Runtime.executionContextDestroyed": inTab(func(_ *Browser, _ *state, t *tab, _ *target, p struct {
		Unique string `json:"executionContextUniqueId"`
	}) {
		for _, f := range t.frames {
			if f.unique == p.Unique {
				t.forget(f)
			}
		}
	}),
	"Runtime.executionContextsCleared": inTab(func(_ *Browser, _ *state, t *tab, from *target, _ struct{}) {
		for _, f := range t.frames {
			if f.target == from {
				t.forget(f)
			}
		}
	}),
}
