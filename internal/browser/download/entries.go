package download

import (
	"context"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// The functions of this file are called with List.mu held, except await.

// await waits until holds, which is called with List.mu held, returns true.
func (l *List) await(ctx context.Context, holds func() bool) error {
	for {
		l.mu.Lock()
		ok, changed := holds(), l.changed
		l.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-l.host.Done:
			return l.host.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// change wakes all callers of await.
func (l *List) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *List) find(id string) *entry {
	at := slices.IndexFunc(l.kept, func(x *entry) bool { return x.ID == id })
	if at < 0 {
		return nil
	}
	return l.kept[at]
}

// bytesInBox returns how many bytes all downloads use in the box.
func (l *List) bytesInBox() (sum int64) {
	for _, x := range l.kept {
		if x.State == Running || x.State == done && x.Artifact == "" {
			sum += max(x.Size, x.Received)
		}
	}
	return sum
}

// makeRoom removes the oldest download that has no file in the box from a full
// list. It returns false if all have one.
func (l *List) makeRoom() bool {
	if len(l.kept) < mostListed {
		return true
	}
	at := slices.IndexFunc(l.kept, func(x *entry) bool { return x.ended && (x.State != done || x.Artifact != "") })
	if at >= 0 {
		l.kept = slices.Delete(l.kept, at, at+1)
	}
	return at >= 0
}

// tooLarge returns why a download is refused for its size; "" if it is not.
func (l *List) tooLarge(d *entry) string {
	switch {
	case d.State != Running && d.State != done:
		return ""
	case max(d.Size, d.Received) > l.settings.Most:
		return "it has more bytes than a download may have (browser.downloads.max_size)"
	case l.bytesInBox() > mostInBox:
		return "all downloads together have more bytes than may lie in the box: fetch or cancel some"
	}
	return ""
}

func (l *List) refuse(d *entry, why string) {
	d.State, d.Error = refused, why
	l.host.Note("the download %q [%s] was refused: %s", quoted(d.Name), d.ID, why)
	if d.ended {
		l.dropLater(d.ID)
		return
	}
	l.cancelInBrowser(d.ID)
}

// cancelInBrowser makes the browser cancel a download and delete its partial
// file.
func (l *List) cancelInBrowser(id string) {
	params := map[string]string{"guid": id}
	if l.settings.Context != "" {
		params["browserContextId"] = l.settings.Context
	}
	l.host.Send("Browser.cancelDownload", params)
}

// dropLater deletes a file in the box, without waiting for it.
func (l *List) dropLater(id string) {
	store, log := l.settings.Store, l.settings.Log
	if store == nil {
		return
	}
	l.host.Go(func() {
		ctx, stop := context.WithTimeout(context.Background(), cancelLimit)
		defer stop()
		if err := store.Drop(ctx, id); err != nil {
			log.Warn("cannot remove a download from its box", "download", id, "error", err)
		}
	})
}

func quoted(name string) string { return untrusted.Shorten(name, mostQuote) }
