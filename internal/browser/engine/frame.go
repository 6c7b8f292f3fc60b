package engine

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// frame is one frame of a tab. Its fields are guarded by Browser.mu.
type frame struct {
	id        string
	parent    *frame
	children  []*frame
	target    *target // nil while the frame is between two processes
	loader    string
	url       string
	failed    bool            // it shows an error page
	events    map[string]bool // lifecycle events of the loader
	context   int64           // our isolated world; 0 when there is none
	origin    string          // of the document, as its world says
	unique    string          // its unique id, which is the identity of the document: numbers of elements belong to it
	own       string          // the unique id of the page's own world of it
	owner     owner
	placed    injected.Embedding // where it was when it was last pointed at
	painted   string             // the document that is known to have been drawn
	awaited   bool               // it was waited for once, in vain
	listeners listenerCache
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

// forget drops what belonged to the frame's document in its process.
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

// world returns our isolated world of the frame's document. b.mu is held.
func (f *frame) world() (injected.Frame, bool) {
	if f.target == nil || f.context == 0 {
		return injected.Frame{}, false
	}
	return injected.Frame{Session: f.target.session, Context: f.context, Unique: f.unique, Page: f.own}, true
}

// frame returns the frame of that id, made as a child of parent if it is new.
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

// navigated notes a commit that a target reported.
func (t *tab) navigated(from *target, info frameInfo) *frame {
	f := t.root
	if info.ID != t.root.id {
		f = t.frame(info.ID, info.Parent)
	}
	f.target = from
	t.dropChildren(f)
	f.commit(info)
	if f == t.root {
		t.crashed, t.dialogs = false, 0
		t.sent, t.method = t.method == http.MethodPost, ""
		t.title, t.file = "", nil
		clear(t.inflight) // the old document's requests are over
		clear(t.asking)
	}
	return f
}

func (t *tab) drop(f *frame) {
	t.dropChildren(f)
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

// lose notes that a target is gone, or its renderer: its frames have no world.
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

// merge fills in the frames that were there before we were told of changes.
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

// release takes a child out.
func (f *frame) release(child *frame) {
	f.children = slices.DeleteFunc(f.children, func(c *frame) bool { return c == child })
}

// place is a frame as it was when it was looked at.
type place struct {
	frame    *frame
	world    injected.Frame
	session  *cdp.Session // that of world
	document string
	url      string
}

// places returns the frames that can be read now, the main one first, in the
// order in which they were attached.
func (b *base) places(t *tab) []place {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []place
	var walk func(*frame)
	walk = func(f *frame) {
		if p, ok := f.place(); ok {
			all = append(all, p)
		}
		for _, c := range f.children {
			walk(c)
		}
	}
	walk(t.root)
	return all
}

func (f *frame) place() (place, bool) {
	w, ok := f.world()
	if !ok {
		return place{}, false
	}
	return place{frame: f, world: w, session: f.target.session, document: f.unique, url: f.url}, true
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
	err := b.await(ctx, func() bool {
		var ok bool
		p, ok = t.root.place()
		return ok
	})
	return p, err
}

// embedder returns the frame that embeds f. There is none around a main frame;
// ok is false when it cannot be read now.
func (b *base) embedder(f *frame) (parent place, main, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.parent == nil {
		return place{}, true, true
	}
	parent, ok = f.parent.place()
	return parent, false, ok
}

// ownerOf returns the number of a frame's iframe element in its parent.
func (b *base) ownerOf(ctx context.Context, f *frame, parent place) (int, error) {
	b.mu.Lock()
	known := f.owner
	b.mu.Unlock()
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
	b.mu.Lock()
	f.owner = owner{document: parent.document, number: number}
	b.mu.Unlock()
	return number, nil
}

const frameLimit = time.Second // for a frame that changes its process to come to us

// complete waits for frames that are on their way to us: the browser tells of
// one that gets a process of its own later than of its parent. Each is waited
// for once; what does not come is read without it.
func (b *base) complete(ctx context.Context, t *tab) error {
	bounded, stop := context.WithTimeout(ctx, frameLimit)
	defer stop()
	err := b.await(bounded, func() bool { return t.closed || t.crashed || t.dialog != nil || len(t.coming()) == 0 })
	if err != nil {
		b.mu.Lock()
		for _, f := range t.coming() {
			f.awaited = true
		}
		b.mu.Unlock()
	}
	return ended(ctx, err)
}

// coming returns the frames that have no world yet. b.mu is held.
func (t *tab) coming() []*frame {
	var all []*frame
	for _, f := range t.frames {
		if _, here := f.world(); !here && !f.awaited {
			all = append(all, f)
		}
	}
	return all
}
