package engine

import (
	"context"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/selector"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// trusted is the key of contexts whose caller is an operator.
type trusted struct{}

// Trusted marks the calls with a context as calls of an operator. Others are an
// agent's. In a session with credentials, an agent's look-ups find only what a
// person could see, without known secrets, and its selectors may only name
// structure.
func Trusted(ctx context.Context) context.Context { return context.WithValue(ctx, trusted{}, true) }

// restricted reports whether these limits hold for the look-ups of a call.
func (b *base) restricted(ctx context.Context) bool {
	return ctx.Value(trusted{}) != true && b.credentialed()
}

func (b *base) credentialed() bool {
	holds := b.options().Credentialed
	return holds != nil && holds()
}

// secrets returns where known secrets are in a text.
func (b *base) secrets(text string) [][2]int {
	find := b.options().Secrets
	if find == nil || text == "" {
		return nil
	}
	return find(text)
}

// concealer takes known secrets out of texts, so that a look-up never searches in
// one.
func (b *base) concealer() snapshot.Concealer {
	return snapshot.Concealer{Find: b.secrets, Mark: "[redacted]"} // as redact.Mark
}

// allowedSelector returns the selector that the page may be asked. Faults: invalid_selector.
func (b *base) allowedSelector(ctx context.Context, text string) (string, error) {
	if text == "" || !b.restricted(ctx) {
		return text, nil
	}
	read, err := selector.Read(text)
	if err != nil {
		return "", fault.New(fault.InvalidSelector, "the session holds credentials, and this selector could ask for more than structure: %s", err).
			Hinted("name tags, ids, classes, order and state, or [attribute] and [attribute=value] of role, type, name, href and the like; " +
				"or find the element by ref, by role and name, or by text")
	}
	return read, nil
}

// allowedItem returns the part of a scrape that the page may be asked. Faults:
// invalid_selector, denied_by_policy.
func (b *base) allowedItem(ctx context.Context, list string, w injected.ScrapeItem) (injected.ScrapeItem, error) {
	if w.Seen = b.restricted(ctx); !w.Seen {
		return w, nil
	}
	var err error
	if w.Selector, err = b.allowedSelector(ctx, w.Selector); err != nil {
		return w, fault.From(err).With("field", "selectors").With("list", list)
	}
	if w.Attribute != "" && !selector.Harmless(strings.ToLower(w.Attribute)) {
		return w, fault.New(fault.DeniedByPolicy, "the session holds credentials, and attributes other than those that say what an element is for may hold some").
			Hinted("read the text of elements, or href, src, alt, title and the like").With("field", "selectors").With("rule", action.WithheldRule)
	}
	return w, nil
}

// allowedQuery returns the query that the page may be asked. Faults: invalid_selector.
func (b *base) allowedQuery(ctx context.Context, q injected.Query) (injected.Query, error) {
	var err error
	q.Seen = b.restricted(ctx)
	q.Selector, err = b.allowedSelector(ctx, q.Selector)
	return q, err
}

// filterByText keeps the elements whose text contains the wanted text outside of
// known secrets. Without it, an agent could find out a secret letter by letter.
func (es *elements) filterByText(ctx context.Context, p place, q injected.Query, found injected.Found) (injected.Found, error) {
	goal := q.Text
	if q.Role != "" {
		goal = q.Name
	}
	if !q.Seen || q.Selector != "" || goal == "" || len(found.Nodes) == 0 {
		return found, nil
	}
	words, err := p.world.Texts(ctx, injected.TextQuery{Nodes: found.Nodes, Names: q.Role != ""})
	if err != nil {
		return injected.Found{}, err
	}
	kept := injected.Found{}
	for i, node := range found.Nodes {
		if i < len(words) && es.containsVisibly(words[i], goal) {
			kept.Nodes = append(kept.Nodes, node)
		}
	}
	return es.countKept(ctx, p, q, kept)
}

// containsVisibly reports whether a text contains another one outside of known secrets.
func (b *base) containsVisibly(words, goal string) bool {
	plain := b.concealer().Text(words)
	return plain == words || strings.Contains(folded(plain), folded(goal))
}

func folded(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// countKept counts the elements that are left, and reads the facts of the one that
// the query names.
func (es *elements) countKept(ctx context.Context, p place, q injected.Query, kept injected.Found) (injected.Found, error) {
	kept.Matches, kept.Visible = len(kept.Nodes), len(kept.Nodes)
	if q.Strict && q.Index == nil {
		kept.Distinct = kept.Nodes
	}
	at := 0
	if q.Index != nil {
		at = *q.Index
	}
	if at < 0 || at >= len(kept.Nodes) {
		return kept, nil
	}
	facts, err := p.world.Facts(ctx, kept.Nodes[at])
	if err != nil || facts.Gone {
		return kept, err
	}
	kept.Node, kept.Facts = kept.Nodes[at], &facts
	return kept, nil
}
