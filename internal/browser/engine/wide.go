package engine

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// wideOf makes a verb of a function of the whole browser. It works beside an
// open dialog, a crashed page, and where there is no tab.
func wideOf[A any](do func(*Browser, context.Context, *A) (any, error)) verb {
	v := verbOf[A](nil, nil)
	v.wide = func(b *Browser, ctx context.Context, args any) (any, error) {
		a, ok := args.(*A)
		if !ok || a == nil {
			return nil, fault.New(fault.InvalidRequest, "the arguments are of the wrong kind").
				Hinted("use the argument type of the verb's row")
		}
		return do(b, ctx, a)
	}
	return v
}

// lookWide returns the facts of a verb of the whole browser: the page is that
// of the tab it names, or else the active one's.
func (b *Browser) lookWide(args any) (action.Facts, action.Pin, error) {
	b.mu.Lock()
	t := b.activeLocked()
	if named, ok := args.(*action.ByID); ok && named != nil && b.tabs[named.ID] != nil {
		t = b.tabs[named.ID]
	}
	var facts action.Facts
	var pin action.Pin
	if t != nil {
		facts.Page = action.Page{URL: t.root.url, Title: t.title}
		pin.Tab = t.id
	}
	b.mu.Unlock()
	if o, ok := args.(*action.OpenTab); ok && o != nil && o.URL != "" {
		address, err := Address(o.URL)
		if err != nil {
			return facts, pin, err
		}
		facts.Destination = &action.Destination{URL: address}
	}
	return facts, pin, nil
}

func (b *Browser) doWide(ctx context.Context, name string, v verb, args any) (action.Result, error) {
	limit := b.within(v.limit(args))
	ctx, stop := context.WithTimeoutCause(ctx, limit, errLimit)
	defer stop()
	var data any
	err := b.conn.Err()
	if err == nil {
		data, err = v.wide(b, ctx, args)
	}
	if err != nil {
		err = b.trouble(ctx, name, limit, err)
	}
	return b.outcome(data, err)
}
