package engine

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// reader reads the frames of a tab.
type reader struct {
	*base
	effects *effects
}

const childLimit = 3 * time.Second // to read a child frame, which is left out after it

// snapshot shows the page, or the content of one element.
func (ob *observer) snapshot(ctx context.Context, t *tab, a *action.TakeSnapshot, _ action.Pin) (any, error) {
	if a.Format == "markdown" {
		return ob.markdownPart(ctx, t, a)
	}
	if d := ob.fileOf(t); d != nil && a.Format != "tree" && a.Ref == "" {
		return d.part(ob.reader.partOptions(a), a.Format), nil
	}
	top, walk, err := ob.reader.start(ctx, t)
	if err != nil {
		return nil, err
	}
	showOptions(&walk, a)
	if a.Ref != "" {
		h, err := ob.elements.byRef(ctx, t, a.Ref)
		if err != nil {
			return nil, err
		}
		top, walk.Root = h.place, h.node
	}
	merged, err := ob.readAndShow(ctx, t, top, walk, a)
	if err != nil {
		return nil, err
	}
	d, err := ob.reader.documentOf(ctx, t, merged.Type)
	if err != nil {
		return nil, err
	}
	if d != nil && a.Format != "tree" && a.Ref == "" {
		return d.part(ob.reader.partOptions(a), a.Format), nil
	}
	here := ob.facts(t)
	out := &action.Snapshot{URL: here.URL, Title: here.Title, Hidden: merged.Hidden, Document: d.shows()}
	if a.Format != "tree" {
		part := merged.Part(ob.reader.partOptions(a))
		out.Text, out.Tokens, out.NextOffset, out.MoreTokens = part.Text, part.Tokens, part.Next, part.More
		return out, nil
	}
	depth := a.Depth
	if depth <= 0 {
		depth = ob.options().MaxDepth
	}
	out.Tree = merged.Tree(depth)
	return out, nil
}

// showOptions sets how a call wants to see the page.
func showOptions(walk *injected.SnapshotOptions, a *action.TakeSnapshot) {
	walk.NoURLs, walk.Shown = a.Format != "tree" && !a.URLs, true
	walk.Viewport = a.Viewport
	walk.Fold = a.Format != "tree" && a.Ref == "" && !a.Viewport
}

// usualTokens is the length of a snapshot if the call names none. A longer page is
// condensed as docs/snapshot.md says.
const usualTokens = 2700

// partOptions returns how much of a page a call gets, and from where on.
func (rd *reader) partOptions(a *action.TakeSnapshot) snapshot.Options {
	o := snapshot.Options{
		URLs: a.URLs, Depth: a.Depth, Unfold: a.Ref != "", Interactive: a.Interactive,
		MaxTokens: a.MaxTokens, Offset: a.Offset,
	}
	if o.MaxTokens == 0 {
		o.MaxTokens, o.Aim = rd.options().MaxTokens, usualTokens
	}
	return o
}

// start returns the main frame and how the session's options say that it is read.
func (rd *reader) start(ctx context.Context, t *tab) (place, injected.SnapshotOptions, error) {
	top, err := rd.main(ctx, t)
	return top, rd.snapshotOptions(), err
}

// snapshotOptions returns how a frame is read, from the session's options.
func (rd *reader) snapshotOptions() injected.SnapshotOptions {
	o := rd.options()
	return injected.SnapshotOptions{IncludeHidden: o.IncludeHidden, ExcludePasswords: o.ExcludePasswordFields}
}

// readPage reads a frame and the frames in it as one page with references, and with
// them the tab's title.
func (rd *reader) readPage(ctx context.Context, t *tab, top place, walk injected.SnapshotOptions) (*snapshot.Page, error) {
	root, err := rd.readFrames(ctx, t, top, walk)
	if err != nil {
		return nil, err
	}
	return rd.mergeFrames(ctx, t, top, root)
}

// mergeFrames makes one page of frames that were read.
func (rd *reader) mergeFrames(ctx context.Context, t *tab, top place, root *snapshot.Frame) (*snapshot.Page, error) {
	if err := rd.takeTitle(ctx, t, top, root.Tree.Title); err != nil {
		return nil, err
	}
	merged := snapshot.Merge(root, &rd.refs)
	if rd.credentialed() {
		merged.Conceal(rd.concealer())
	}
	return merged, nil
}

// reading is one frame of a snapshot being taken.
type reading struct {
	place place
	frame snapshot.Frame
	owner int // number of its iframe element in the parent; 0 if not known
	err   error
}

// readFrames reads top and every frame in it, and joins them.
func (rd *reader) readFrames(ctx context.Context, t *tab, top place, walk injected.SnapshotOptions) (*snapshot.Frame, error) {
	all, err := rd.readEach(ctx, t, top, walk)
	if err != nil {
		return nil, err
	}
	root := all[top.frame]
	rd.joinFrames(t, all, root)
	return &root.frame, nil
}

// readEach reads top and every frame in it at the same time. For a child frame that
// could not be read, it returns the error.
func (rd *reader) readEach(ctx context.Context, t *tab, top place, walk injected.SnapshotOptions) (map[*frame]*reading, error) {
	if err := rd.complete(ctx, t); err != nil {
		return nil, err
	}
	for _, f := range rd.keptBack(t) {
		rd.notes.add("a frame of %s cannot be read until a person has answered, and is left out", host(guarded.Get(rd.state, func(*state) string { return f.url })))
	}
	all := map[*frame]*reading{}
	var readers sync.WaitGroup
	for _, p := range rd.places(t) {
		if !guarded.Get(rd.state, func(*state) bool { return p.frame.isIn(top.frame) }) {
			continue
		}
		r := &reading{place: p, frame: snapshot.Frame{Document: p.document}}
		all[p.frame] = r
		if p.frame == top.frame {
			r.place = top
			continue
		}
		q := walk
		q.Root, q.Depth = 0, 0
		readers.Go(func() { rd.readOne(ctx, r, q, true) })
	}
	if r := all[top.frame]; r != nil {
		rd.readOne(ctx, r, walk, false)
	}
	readers.Wait()
	root := all[top.frame]
	if root == nil {
		return nil, errMoved
	}
	if root.err != nil {
		return nil, root.err
	}
	if root.frame.Tree.Gone {
		return nil, errChanged
	}
	return all, nil
}

// isIn reports whether the frame is top or in top.
func (f *frame) isIn(top *frame) bool {
	for ; f != nil; f = f.parent {
		if f == top {
			return true
		}
	}
	return false
}

func (rd *reader) readOne(ctx context.Context, r *reading, q injected.SnapshotOptions, child bool) {
	if child {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, childLimit)
		defer stop()
		if parent, main, ok := rd.embedder(r.place.frame); ok && !main {
			if r.owner, r.err = rd.ownerOf(ctx, r.place.frame, parent); r.err != nil {
				return
			}
		}
	}
	q.Hosts = injected.HostLimit(r.place.world)
	if r.frame.Tree, r.err = rd.snapshotFrame(ctx, r.place, q); r.err != nil {
		return
	}
	news, err := r.place.world.PierceHosts(ctx, r.frame.Tree.Hosts)
	if r.err = err; err == nil && news > 0 { // closed shadow roots that were not known: once for each document
		r.frame.Tree, r.err = r.place.world.Snapshot(ctx, q)
	}
}

// snapshotFrame reads a frame with the listeners of its scripts. If the listeners
// are known from before, seldom there are new ones: then both are read at once.
func (rd *reader) snapshotFrame(ctx context.Context, p place, q injected.SnapshotOptions) (tree *injected.Tree, err error) {
	if !knowsListeners(p) {
		if _, err := rd.syncListeners(ctx, p); err != nil {
			return nil, err
		}
		return p.world.Snapshot(ctx, q)
	}
	var asking sync.WaitGroup
	var news injected.NewListeners
	var listenErr error
	asking.Go(func() { news, listenErr = rd.syncListeners(ctx, p) })
	tree, err = p.world.Snapshot(ctx, q)
	asking.Wait()
	if err = cmp.Or(err, listenErr); err == nil && news.Controls > 0 {
		return p.world.Snapshot(ctx, q)
	}
	return tree, err
}

// takeTitle sets the tab's title to that of its own document, which it reads if only
// another frame was read.
func (rd *reader) takeTitle(ctx context.Context, t *tab, top place, title string) error {
	if top.frame != t.root {
		return rd.effects.refreshTitle(ctx, t)
	}
	rd.setTitle(t, top, title)
	return nil
}

// joinFrames adds child frames to their parents.
func (rd *reader) joinFrames(t *tab, all map[*frame]*reading, root *reading) {
	for f, r := range all {
		parent := all[r.place.parent]
		if r == root || parent == nil {
			continue
		}
		if r.err != nil {
			if guarded.Get(rd.state, func(*state) bool { return t.frames[f.id] != nil }) {
				rd.notes.add("a frame of %s could not be read and is left out", host(r.place.url))
			}
			continue
		}
		if parent.frame.Children == nil {
			parent.frame.Children = map[int]*snapshot.Frame{}
		}
		parent.frame.Children[r.owner] = &r.frame
	}
}

// markdownPart returns as much of the markdown of the page as the call asks for.
func (ob *observer) markdownPart(ctx context.Context, t *tab, a *action.TakeSnapshot) (any, error) {
	got, _, err := ob.reader.marked(ctx, t, &action.Markdown{}, true)
	if err != nil {
		return nil, err
	}
	part := snapshot.Prose(got.Markdown, got.Title, got.URL, ob.reader.partOptions(a))
	return &action.Snapshot{
		Text: part.Text, URL: got.URL, Title: got.Title, Hidden: got.Hidden,
		Tokens: part.Tokens, NextOffset: part.Next, MoreTokens: part.More, Document: got.Document,
	}, nil
}
