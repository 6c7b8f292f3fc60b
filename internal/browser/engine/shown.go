package engine

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// byShown is byRef for what acts. A reference stands for a node, and lists give
// the same node to another entry: one that has become something else than a
// snapshot showed is refused once, with what it is now. Faults: stale_ref,
// page_changed.
func (es *elements) byShown(ctx context.Context, t *tab, ref string) (hit, error) {
	h, err := es.referred(ctx, t, ref, injected.Frame.FactsShown)
	if err == nil && h.facts.Was != nil {
		err = becameOther(es.refs.Ref(snapshot.Place{Document: h.place.document, Node: h.node}), h.facts)
	}
	return h, err
}

func becameOther(ref string, f injected.Facts) error {
	now, was := fmt.Sprintf("%s %.80q", f.Role, f.Name), f.Was.Item
	if f.Was.Name != "" && f.Was.Name != f.Name {
		was = f.Was.Name
	}
	return fault.New(fault.PageChanged, "reference %s is now %s; when it was shown it was that of %.80q", ref, now, was).
		Hinted("if this is what you mean, do it again with the same reference; otherwise take a new snapshot").With("ref", ref)
}
