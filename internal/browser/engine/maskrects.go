package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/capture"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

const (
	// mostTries is how often a picture is taken again because the areas to cover
	// moved while it was taken.
	mostTries = 5
	// margin is how far letters are covered beyond their box, in CSS pixels: bold
	// and slanted ones extend over it.
	margin = 2
)

// secretAreas finds the areas of a page that no picture may show.
type secretAreas struct {
	*base
	geometry *geometry
}

// maskRects returns the areas to cover, in the tab's viewport: fields whose values
// are secrets, and, in a session with credentials, known secrets that the page
// shows. A frame that does not answer is covered as a whole.
func (sa *secretAreas) maskRects(ctx context.Context, t *tab) ([]injected.Rect, error) {
	var all []injected.Rect
	for _, p := range sa.places(t) {
		found, err := sa.fieldsIn(ctx, t, p)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	covered, err := sa.keptBackFrames(ctx, t)
	if err != nil {
		return nil, err
	}
	all = append(all, covered...)
	if sa.credentialed() {
		shown, err := sa.shownSecrets(ctx, t)
		if err != nil {
			return nil, err
		}
		all = append(all, shown...)
	}
	return normalized(all), nil
}

// keptBackFrames returns where frames are shown that cannot be read: see frame.isKeptBack.
func (sa *secretAreas) keptBackFrames(ctx context.Context, t *tab) ([]injected.Rect, error) {
	var all []injected.Rect
	for _, f := range sa.keptBack(t) {
		found, err := sa.geometry.windowOf(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// normalized rounds areas to whole pixels and sorts them, so that two lists can be
// compared.
func normalized(all []injected.Rect) []injected.Rect {
	for i, r := range all {
		x, y := math.Floor(r.X)-margin, math.Floor(r.Y)-margin
		all[i] = injected.Rect{X: x, Y: y, Width: math.Ceil(r.X+r.Width) + margin - x, Height: math.Ceil(r.Y+r.Height) + margin - y}
	}
	slices.SortFunc(all, func(a, b injected.Rect) int {
		return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X), cmp.Compare(a.Height, b.Height), cmp.Compare(a.Width, b.Width))
	})
	return slices.Compact(all)
}

// fieldsIn returns the fields of a frame whose values are secrets; all of a child
// frame that does not answer.
func (sa *secretAreas) fieldsIn(ctx context.Context, t *tab, p place) ([]injected.Rect, error) {
	if p.frame == t.root {
		return sa.fieldsOf(ctx, p)
	}
	inner, stop := context.WithTimeout(ctx, childLimit)
	defer stop()
	found, err := sa.fieldsOf(inner, p)
	if err != nil && ctx.Err() == nil {
		return sa.geometry.windowOf(ctx, p.frame)
	}
	return found, err
}

func (sa *secretAreas) fieldsOf(ctx context.Context, p place) ([]injected.Rect, error) {
	nodes, err := p.world.SecretFields(ctx, sa.credentialed())
	if err != nil {
		return nil, err
	}
	boxes, err := sa.geometry.boxes(ctx, p, nodes, false)
	return rects(boxes), err
}

func rects(boxes []injected.Box) []injected.Rect {
	var all []injected.Rect
	for _, box := range boxes {
		all = append(all, box.Rect)
	}
	return all
}

// windowOf returns where a frame is shown; nothing where it is gone.
func (g *geometry) windowOf(ctx context.Context, f *frame) ([]injected.Rect, error) {
	parent, main, ok := g.embedder(f)
	if main || !ok {
		return nil, nil
	}
	number, err := g.ownerOf(ctx, f, parent)
	if err == nil {
		var boxes []injected.Box
		boxes, err = g.boxes(ctx, parent, []int{number}, false)
		return rects(boxes), err
	}
	if moved(err) {
		return nil, nil
	}
	return nil, err
}

func errMaskMoved() error {
	return fault.New(fault.PageChanged, "what no picture may show moved while it was taken, %d times", mostTries).
		Hinted("wait until the page rests, and take it again; or read it with page.snapshot")
}

// layoutOf reads the layout of a target.
func layoutOf(ctx context.Context, s *cdp.Session) (l capture.Layout, err error) {
	err = s.Call(ctx, "DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}, &l)
	return l, err
}

// topFrames returns the targets of a tab that can be read, each with the topmost of
// its frames.
func (sa *secretAreas) topFrames(t *tab) map[*cdp.Session]*frame {
	all := map[*cdp.Session]*frame{t.main.session: t.root}
	sa.state.Do(func(*state) { t.root.addTopFrames(all) })
	return all
}

// addTopFrames adds the targets of the frame and of those in it.
func (f *frame) addTopFrames(all map[*cdp.Session]*frame) {
	if f.target != nil && all[f.target.session] == nil {
		all[f.target.session] = f
	}
	for _, c := range f.children {
		c.addTopFrames(all)
	}
}

// shownSecrets returns where known secrets are drawn on the page, in the tab's
// viewport. A frame of a process that does not answer is covered as a whole.
func (sa *secretAreas) shownSecrets(ctx context.Context, t *tab) ([]injected.Rect, error) {
	if sa.isHeld(t) {
		return nil, injected.ErrNoMessages
	}
	var all []injected.Rect
	for session, top := range sa.topFrames(t) {
		found, err := sa.secretsIn(ctx, t, session)
		if err != nil && top != t.root && ctx.Err() == nil {
			found, err = sa.geometry.windowOf(ctx, top)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// secretsIn returns where known secrets are drawn in the documents of a target.
func (sa *secretAreas) secretsIn(ctx context.Context, t *tab, s *cdp.Session) ([]injected.Rect, error) {
	if s != t.main.session {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, childLimit)
		defer stop()
	}
	l, err := layoutOf(ctx, s)
	if err != nil {
		return nil, err
	}
	var all []injected.Rect
	for _, doc := range l.Documents {
		found := l.Secrets(doc, sa.secrets)
		if len(found) == 0 {
			continue
		}
		f := guarded.Get(sa.state, func(*state) *frame { return t.frames[l.Text(doc.Frame)] })
		if f == nil {
			return nil, errMoved
		}
		boxes, err := sa.geometry.toTab(ctx, f, found)
		if err != nil {
			return nil, err
		}
		all = append(all, rects(boxes)...)
	}
	return all, nil
}

// refuseSecrets refuses a page that has a known secret in a text, a value or an
// attribute, drawn or not. Faults: denied_by_policy.
func (sa *secretAreas) refuseSecrets(ctx context.Context, t *tab) error {
	if !sa.credentialed() {
		return nil
	}
	for session := range sa.topFrames(t) {
		l, err := layoutOf(ctx, session)
		if err != nil {
			return err
		}
		if l.Holds(sa.secrets) {
			return fault.New(fault.DeniedByPolicy, "the page holds a secret of the session, and it cannot be covered on paper").
				Hinted("read the page with page.snapshot or page.markdown, or take a screenshot").With("rule", action.WithheldRule)
		}
	}
	return nil
}
