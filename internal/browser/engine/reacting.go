package engine

import "context"

// reacting is what a click or drop on an element is for: the link or button
// inside that reacts to it, where there is one. It is then what is judged, pinned and
// pressed; a script that listens on the element hears of the click, too.
func reacting(ctx context.Context, h hit) (hit, error) {
	if h.facts.Frame || nativeTags[h.facts.Tag] {
		return h, nil
	}
	inner, err := h.place.world.Reacting(ctx, h.node)
	if err != nil || inner.Node == 0 || inner.Facts == nil {
		return h, err
	}
	scripted := h.facts.Scripted
	h.node, h.facts = inner.Node, *inner.Facts
	h.facts.Scripted = h.facts.Scripted || scripted
	return h, nil
}

// nativeTags are those of elements that react themselves.
var nativeTags = map[string]bool{"a": true, "area": true, "button": true, "input": true, "select": true, "textarea": true, "option": true, "summary": true, "label": true}
