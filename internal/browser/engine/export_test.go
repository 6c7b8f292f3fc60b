package engine

import (
	"context"
	"time"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/guarded"
)

// Kill crashes the renderer of a tab, without waiting for an answer.
func Kill(b *Browser, tab string) error {
	guarded.Get(b.state, func(s *state) *cdp.Session { return s.tabs[tab].main.session }).Send("Page.crash", nil)
	return b.untilCrashed(tab)
}

func (b *Browser) untilCrashed(tab string) error {
	return b.await(context.Background(), func(s *state) bool { return s.tabs[tab].crashed })
}

// Sought takes a selector of a scrape apart.
func Sought(selector string) (css, attribute string) {
	w := sought("name", selector)
	return w.Selector, w.Attribute
}

// End ends the browser in order, as the guest does, and waits until it is gone.
func End(b *Browser) {
	b.root.Send("Browser.close", nil)
	<-b.conn.Done()
}

// HeardBy are the events that pages may answer late, by verb.
var HeardBy = lateEvents

// LimitRequests sets how long the requests of an act are waited for.
func LimitRequests(o *Options, limit time.Duration) { o.requestLimit = limit }

// BePatient waits 20 times as long for effects of acts, on pages that have some.
func BePatient(o *Options) { o.patience = 20 }

// Within is the limit of a call.
func Within(b *Browser, own time.Duration) time.Duration { return b.within(own) }

// Claimed is what is believed of a document that a request without a tab names.
func (b *Browser) Claimed(address string) string {
	return guarded.Get(b.state, func(s *state) string { return s.claimed(address) })
}
