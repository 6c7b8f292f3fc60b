package engine

import "context"

// Viewer is who a page is shown to, for telling it later what changed: a party
// and the surface it comes by.
type Viewer struct{ Actor, Surface string }

type viewing struct{}

// viewed is who sees what a call answers, and whether it wants to be told what
// the call changed.
type viewed struct {
	by     Viewer
	report bool
}

// Viewing marks what is done with a context as seen by a viewer. With report
// Do's result says what is otherwise on the page than the viewer was last shown.
func Viewing(ctx context.Context, by Viewer, report bool) context.Context {
	return context.WithValue(ctx, viewing{}, viewed{by, report})
}

func viewedBy(ctx context.Context) viewed {
	v, _ := ctx.Value(viewing{}).(viewed)
	return v
}
