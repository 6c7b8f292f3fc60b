package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// fresh is how a document that has just loaded is waited for.
func fresh() injected.Calm { return injected.Calm{Most: inMS(landLimit), Fresh: true} }

// rendered waits until a document that a verb led to has drawn what it fetches
// and renders by script, and reports whether it still loads. A document without
// scripts and requests costs one round trip. It waits once for each document.
func (ob *observer) rendered(ctx context.Context, t *tab, r *report) (late bool) {
	ctx, stop := context.WithTimeout(ctx, drawLimit+calmLimit)
	defer stop()
	p, err := ob.main(ctx, t)
	if err != nil {
		return false
	}
	if r.rendered == p.document {
		return r.unfinished
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	if r.report {
		asking.Go(func() { _, _ = ob.reader.heed(ctx, p) }) // whoever reads the page asks once more
	}
	r.askNew(p)
	defer tellWorld(p, "passed", struct{}{})
	waited, late := ob.awaitContent(ctx, t, p, r)
	if waited {
		_ = ob.effects.titled(context.WithValue(ctx, reporting{}, nil), t)
	}
	r.rendered, r.unfinished = p.document, late
	return late
}

// awaitContent waits for the requests and the first content of a document.
// waited is false where there was nothing to wait for.
func (ob *observer) awaitContent(ctx context.Context, t *tab, p place, r *report) (waited, late bool) {
	began := time.Now()
	c, err := r.calmed(ctx, p, fresh())
	for since := (&report{}); err == nil; waited = true {
		pending, limit := ob.pending(t, since), landLimit
		if c.Unfinished {
			limit = drawLimit
		}
		left := limit - time.Since(began)
		switch {
		case !pending && !c.Unfinished:
			return waited || c.Stirred, c.Busy
		case left <= 0:
			return true, true
		}
		q := fresh()
		q.Late = inMS(left) // for the first change: there is no request to wait for
		if pending {
			bounded, stop := context.WithTimeout(ctx, left)
			if ob.answered(bounded, t, since) != nil {
				stop()
				continue
			}
			stop()
			q.Late = inMS(afterAnswer)
		}
		c, err = r.calmed(ctx, p, q)
	}
	return false, errors.Is(ctx.Err(), context.DeadlineExceeded) // or the document is gone
}
