package snapshot

import "github.com/gloveboxhq/glovebox/internal/action"

// Edit is a change as removed and added lines.
type Edit struct{ Went, Came string }

// Edits returns the changes one by one and complete.
func Edits(before, after *Page) []Edit {
	d := &differ{after: after}
	d.siblings(before.diffNodes(), after.diffNodes(), nil)
	var all []Edit
	for _, e := range d.edits {
		if e.moved > 0 || e.reordered != nil {
			continue
		}
		var one Edit
		switch {
		case e.before == nil:
			one.Came = wholly(after, e.after)
		case e.after == nil:
			one.Went = wholly(before, e.before)
		default:
			one.Went, one.Came = alone(before, e.before), alone(after, e.after)
		}
		all = append(all, one)
	}
	return all
}

func wholly(p *Page, n *action.Node) string {
	w := &writer{page: p, options: Options{Unfold: true}}
	w.siblings([]*action.Node{n}, 0, nil)
	return w.String()
}

func alone(p *Page, n *action.Node) string {
	w := &writer{page: p}
	return w.describe(n) + "\n"
}

// Densities is the number of densities. An offset contains one.
const Densities = levels
