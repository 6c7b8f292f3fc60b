package engine

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// frame is one frame of a tab.
type frame struct {
	id        string
	parent    *frame
	children  []*frame
	target    *target // nil while the frame is between two processes
	loader    string
	url       string
	failed    bool            // it shows an error page
	events    map[string]bool // lifecycle events of the loader
	context   int64           // our isolated world; 0 for none
	origin    string          // of the document, as its world says
	unique    string          // the world's unique id, which identifies the document to which numbers of elements belong
	own       string          // the unique id of the page's own world of it
	owner     owner
	placed    injected.Embedding // its position at the last input
	painted   string             // the document that is known to be painted
	awaited   bool               // complete has waited for it once
	listeners guarded.Value[listeners]
}

// owner is the number of a frame's iframe element in its parent's document.
type owner struct {
	document string
	number   int
}

type frameInfo struct {
	ID          string `json:"id"`
	Parent      string `json:"parentId"`
	Loader      string `json:"loaderId"`
	URL         string `json:"url"`
	Fragment    string `json:"urlFragment"`
	Unreachable string `json:"unreachableUrl"`
}

type frameTree struct {
	Frame    frameInfo   `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

// forget drops the world of the frame's document and the references to its elements.
func (t *tab) forget(f *frame) {
	if f.unique != "" {
		t.refs.Forget(f.unique)
	}
	f.context, f.unique = 0, ""
}

// commit notes that the frame shows a new document.
func (f *frame) commit(info frameInfo) {
	if f.loader != info.Loader {
		f.loader, f.events = info.Loader, nil
	}
	f.url = info.URL + info.Fragment
	f.failed = info.Unreachable != ""
	f.owner = owner{}
}

func (f *frame) lifecycle(loader, name string) {
	if f.loader != loader || name == "init" {
		f.loader, f.events = loader, nil
	}
	if f.events == nil {
		f.events = make(map[string]bool)
	}
	f.events[name] = true
}

// world returns our isolated world of the frame's document.
func (f *frame) world() (injected.Frame, bool) {
	if f.target == nil || f.context == 0 {
		return injected.Frame{}, false
	}
	w := injected.Frame{Session: f.target.session, Context: f.context, Unique: f.unique, Page: f.own}
	if t := f.target.tab; t.relay != nil && f.target == t.main {
		if f != t.root {
			return injected.Frame{}, false
		}
		w.Session = &t.relay.Relay
	}
	return w, true
}

// frame returns the frame with an id. A new one is added as a child of parent.
func (t *tab) frame(id, parent string) *frame {
	if f := t.frames[id]; f != nil {
		return f
	}
	f := &frame{id: id, parent: t.frames[parent]}
	if f.parent == nil {
		f.parent = t.root
	}
	f.parent.children = append(f.parent.children, f)
	t.frames[id] = f
	return f
}

// navigated notes that a frame shows a new document, as a target reported.
func (t *tab) navigated(from *target, info frameInfo) *frame {
	f := t.root
	if info.ID != t.root.id {
		f = t.frame(info.ID, info.Parent)
	}
	f.target = from
	t.dropChildren(f)
	t.keepSite(f)
	f.commit(info)
	if f == t.root {
		clear(t.past)
		t.crashed, t.dialogs = false, 0
		if leadsSomewhere(info.URL) {
			t.leavePage() // a document that was held is replaced, or this is it
		}
		t.posted, t.method = t.method == http.MethodPost, ""
		t.title, t.file = "", nil
		clear(t.inflight) // the old document's requests are over
		clear(t.asking)
	}
	return f
}

func (t *tab) drop(f *frame) {
	t.dropChildren(f)
	t.keepSite(f)
	t.forget(f)
	delete(t.frames, f.id)
	if f.parent != nil {
		f.parent.release(f)
	}
}

func (t *tab) dropChildren(f *frame) {
	children := f.children
	f.children = nil
	for _, c := range children {
		t.drop(c)
	}
}

// lose notes that a target or its renderer is gone: its frames have no world.
func (t *tab) lose(gone *target) {
	for _, f := range t.frames {
		if f.target != gone {
			continue
		}
		t.forget(f)
		if gone != t.main {
			f.target = nil
		}
	}
}

// merge adds the frames that existed before the browser reported changes.
func (t *tab) merge(from *target, tree frameTree, parent *frame) {
	f := t.root
	if tree.Frame.ID != t.root.id {
		f = t.frame(tree.Frame.ID, tree.Frame.Parent)
		if parent != nil && f.parent != parent {
			f.parent.release(f)
			f.parent, parent.children = parent, append(parent.children, f)
		}
	}
	if f.target == nil {
		f.target = from
	}
	if f.target == from && (f.loader == "" || f.loader == tree.Frame.Loader) {
		f.loader = tree.Frame.Loader
		f.url = tree.Frame.URL + tree.Frame.Fragment
	}
	for _, c := range tree.Children {
		t.merge(from, c, f)
	}
}

// release removes a child.
func (f *frame) release(child *frame) {
	f.children = slices.DeleteFunc(f.children, func(c *frame) bool { return c == child })
}

// place is a frame with the document that it showed at some time.
type place struct {
	frame    *frame
	parent   *frame // nil for the main frame
	world    injected.Frame
	session  *cdp.Session // that of world
	document string
	url      string
}

// places returns the frames that can be read now, parents before children, in the
// order in which they were attached.
func (b *base) places(t *tab) []place {
	return guarded.Get(b.state, func(*state) []place { return t.root.places(nil) })
}

// places adds the frame and those in it, as far as they can be read now.
func (f *frame) places(to []place) []place {
	if p, ok := f.place(); ok {
		to = append(to, p)
	}
	for _, c := range f.children {
		to = c.places(to)
	}
	return to
}

func (f *frame) place() (place, bool) {
	w, ok := f.world()
	if !ok {
		return place{}, false
	}
	return place{frame: f, parent: f.parent, world: w, session: f.target.session, document: f.unique, url: f.url}, true
}

// placeOf returns the frame that shows a document.
func (b *base) placeOf(t *tab, document string) (place, bool) {
	for _, p := range b.places(t) {
		if document != "" && p.document == document {
			return p, true
		}
	}
	return place{}, false
}

// main waits until the main frame can be read.
func (b *base) main(ctx context.Context, t *tab) (place, error) {
	var p place
	err := b.await(ctx, func(*state) bool {
		var ok bool
		p, ok = t.root.place()
		return ok
	})
	return p, err
}

// embedder returns the parent of a frame. main reports that f is a main frame, which
// has none; ok is false if the parent cannot be read now.
func (b *base) embedder(f *frame) (parent place, main, ok bool) {
	b.state.Do(func(*state) {
		if main = f.parent == nil; main {
			ok = true
			return
		}
		parent, ok = f.parent.place()
	})
	return parent, main, ok
}

// ownerOf returns the number of a frame's iframe element in its parent.
func (b *base) ownerOf(ctx context.Context, f *frame, parent place) (int, error) {
	known := guarded.Get(b.state, func(*state) owner { return f.owner })
	if known.document == parent.document && known.number != 0 {
		return known.number, nil
	}
	var answer struct {
		Backend int64 `json:"backendNodeId"`
	}
	if err := parent.world.Session.Call(ctx, "DOM.getFrameOwner", map[string]string{"frameId": f.id}, &answer); err != nil {
		return 0, err
	}
	number, err := parent.world.Adopt(ctx, answer.Backend)
	if err != nil {
		return 0, err
	}
	b.state.Do(func(*state) { f.owner = owner{document: parent.document, number: number} })
	return number, nil
}

const frameLimit = time.Second // for the browser to report a frame that changes its process

// complete waits for frames that cannot be read yet: the browser reports a frame
// with a process of its own later than its parent. It waits once for each frame.
func (b *base) complete(ctx context.Context, t *tab) error {
	bounded, stop := context.WithTimeout(ctx, frameLimit)
	defer stop()
	err := b.await(bounded, func(*state) bool { return t.closed || t.crashed || t.dialog != nil || len(t.coming()) == 0 })
	if err != nil {
		b.state.Do(func(*state) {
			for _, f := range t.coming() {
				f.awaited = true
			}
		})
	}
	return ended(ctx, err)
}

// isKeptBack reports whether the browser passes no messages to the frame since the next
// document of its tab is held, and no relay does.
func (f *frame) isKeptBack() bool {
	return f.target != nil && f.target.tab.relay != nil && f.target == f.target.tab.main && f.parent != nil
}

// keptBack returns the frames of a tab to which the browser passes no messages.
func (b *base) keptBack(t *tab) []*frame {
	return guarded.Get(b.state, func(*state) []*frame {
		var all []*frame
		for _, f := range t.frames {
			if f.isKeptBack() {
				all = append(all, f)
			}
		}
		return all
	})
}

// coming returns the frames that have no world yet.
func (t *tab) coming() []*frame {
	var all []*frame
	for _, f := range t.frames {
		if _, here := f.world(); !here && !f.awaited && !f.isKeptBack() {
			all = append(all, f)
		}
	}
	return all
}
