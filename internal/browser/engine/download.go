package engine

import (
	"context"
	"slices"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	defaultDownload = 32 << 20        // bytes of one download
	mostQuarantined = 64 << 20        // bytes of all that lie in the box; its place for them is a third larger
	mostDownloads   = 100             // that are remembered
	downloadLimit   = 2 * time.Second // for the browser to tell of a download that it said began
	cancelLimit     = 5 * time.Second // for the browser to cancel one
	cancelMethod    = "Browser.cancelDownload"
)

// The states of a download.
const (
	stateRunning   = "running"
	stateDone      = "done"
	stateFailed    = "failed"
	stateCancelled = "cancelled"
	stateRefused   = "refused"
)

// download is a file that the browser was given. Its fields are guarded by
// Browser.mu.
type download struct {
	action.Download
	ended bool // the browser is through with it
}

// downloads are those of all tabs.
type downloads struct {
	kept     []*download   // oldest first
	fetching chan struct{} // holds a token while nobody fetches
}

func (d *downloads) find(id string) *download {
	at := slices.IndexFunc(d.kept, func(x *download) bool { return x.ID == id })
	if at < 0 {
		return nil
	}
	return d.kept[at]
}

// weight is how many bytes all downloads have in the box.
func (d *downloads) weight() (sum int64) {
	for _, x := range d.kept {
		if x.State == stateRunning || x.State == stateDone && x.Artifact == "" {
			sum += max(x.Size, x.Received)
		}
	}
	return sum
}

// room forgets the oldest download of which nothing lies in the box, when
// there are too many; false when all of them have something there.
func (d *downloads) room() bool {
	if len(d.kept) < mostDownloads {
		return true
	}
	at := slices.IndexFunc(d.kept, func(x *download) bool { return x.ended && (x.State != stateDone || x.Artifact != "") })
	if at >= 0 {
		d.kept = slices.Delete(d.kept, at, at+1)
	}
	return at >= 0
}

// behaviour is how the browser treats downloads (Browser.setDownloadBehavior):
// each under a name of its own in the folder, or none at all.
func (b *Browser) behaviour() map[string]any {
	params := map[string]any{"behavior": "deny", "eventsEnabled": true}
	if b.options.Downloads != "" {
		params["behavior"], params["downloadPath"] = "allowAndName", b.options.Downloads
	}
	if b.context != "" {
		params["browserContextId"] = b.context
	}
	return params
}

type byDownload struct {
	ID       string  `json:"guid"`
	Frame    string  `json:"frameId"`
	URL      string  `json:"url"`
	Name     string  `json:"suggestedFilename"`
	Total    float64 `json:"totalBytes"`
	Received float64 `json:"receivedBytes"`
	State    string  `json:"state"`
}

var downloadEvents = map[string]taker{
	"Browser.downloadWillBegin": on(func(b *Browser, _ string, p byDownload) { b.downloadBegan(p) }),
	"Browser.downloadProgress":  on(func(b *Browser, _ string, p byDownload) { b.downloadMoved(p) }),
}

// downloadBegan notes a download, and which tab it is of. b.mu is held.
func (b *Browser) downloadBegan(p byDownload) {
	if b.options.Downloads == "" || b.downloads.find(p.ID) != nil {
		return
	}
	if b.isOfCrawl(p.Frame) {
		b.cancel(p.ID)
		return
	}
	if !b.downloads.room() {
		b.cancel(p.ID)
		b.notes.add("a download was refused: %d of them wait in the box to be fetched or cancelled", mostDownloads)
		return
	}
	d := &download{Download: action.Download{
		ID: p.ID, URL: pagetext.MaskURL(p.URL), Name: FileName(p.Name), State: stateRunning, Timestamp: time.Now().UTC().Truncate(time.Millisecond),
	}}
	b.downloads.kept = append(b.downloads.kept, d)
	b.notes.add("a download began: %q [%s]", pagetext.Shorten(d.Name, mostQuote), d.ID)
	for _, t := range b.tabs {
		if t.frames[p.Frame] != nil {
			t.moves.downloads++
			t.downloaded = d.ID
		}
	}
	b.change()
}

// isOfCrawl reports whether a frame is of a tab that nobody sees.
func (b *Browser) isOfCrawl(frame string) bool {
	for _, t := range b.tabs {
		if t.hidden && t.frames[frame] != nil {
			return true
		}
	}
	return false
}

// downloadMoved notes how far a download has come, and ends one that has more
// than it may. b.mu is held.
func (b *Browser) downloadMoved(p byDownload) {
	d := b.downloads.find(p.ID)
	if d == nil && p.State == "completed" {
		b.dropLater(p.ID) // nobody is to have it: it was whole before it could be cancelled
	}
	if d == nil || d.ended {
		return
	}
	d.Size, d.Received = int64(max(p.Total, 0)), int64(max(p.Received, 0))
	switch p.State {
	case "completed":
		d.ended = true
		if d.State == stateRunning {
			d.State, d.Size = stateDone, d.Received
		} else {
			b.dropLater(d.ID) // it was whole before it could be cancelled
		}
	case "canceled":
		d.ended = true
		if d.State == stateRunning {
			d.State, d.Error = stateFailed, "the browser could not finish it: the connection broke, or there was no room"
		}
	}
	if why := b.overweight(d); why != "" {
		b.refuseDownload(d, why)
	}
	b.change()
}

// overweight says why a download is too much, nothing when it is not.
func (b *Browser) overweight(d *download) string {
	switch {
	case d.State != stateRunning && d.State != stateDone:
		return ""
	case max(d.Size, d.Received) > b.options.MostDownload:
		return "it has more bytes than a download may have (browser.downloads.max_size)"
	case b.downloads.weight() > mostQuarantined:
		return "all downloads together have more bytes than may lie in the box: fetch or cancel some"
	}
	return ""
}

func (b *Browser) refuseDownload(d *download, why string) {
	d.State, d.Error = stateRefused, why
	b.notes.add("the download %q [%s] was refused: %s", pagetext.Shorten(d.Name, mostQuote), d.ID, why)
	if d.ended {
		b.dropLater(d.ID)
		return
	}
	b.cancel(d.ID)
}

// cancel has the browser cancel a download; it removes what there is of it.
func (b *Browser) cancel(id string) {
	params := map[string]string{"guid": id}
	if b.context != "" {
		params["browserContextId"] = b.context
	}
	b.work.add(func() { b.root.Send(cancelMethod, params) })
}

// dropLater removes a file from the box, away from the goroutine that reads
// events.
func (b *Browser) dropLater(id string) {
	files, log := b.options.Files, b.options.Log
	if files == nil {
		return
	}
	b.own.Go(func() {
		ctx, stop := context.WithTimeout(context.Background(), cancelLimit)
		defer stop()
		if err := files.Drop(ctx, id); err != nil {
			log.Warn("cannot remove a download from its box", "download", id, "error", err)
		}
	})
}

// listDownloads lists the downloads of all tabs, after those that run have
// ended, or the wait is over.
func (b *Browser) listDownloads(ctx context.Context, a *action.DownloadList) (any, error) {
	waiting, stop := context.WithTimeout(ctx, time.Duration(a.Wait)*time.Millisecond)
	defer stop()
	quiet := func() bool {
		return !slices.ContainsFunc(b.downloads.kept, func(d *download) bool { return d.State == stateRunning })
	}
	if err := b.await(waiting, quiet); err != nil && waiting.Err() == nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	list := &action.DownloadListing{Downloads: make([]action.Download, len(b.downloads.kept))}
	for i, d := range b.downloads.kept {
		list.Downloads[i] = d.Download
	}
	return list, nil
}

// getDownload takes a finished download out of the box. Faults: not_found,
// not_actionable while it runs, limit_reached.
func (b *Browser) getDownload(ctx context.Context, a *action.ByID) (any, error) {
	select { // one at a time: a file is taken out once
	case b.downloads.fetching <- struct{}{}:
		defer func() { <-b.downloads.fetching }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	d, files, err := b.finished(a.ID)
	if err != nil {
		return nil, err
	}
	file, err := files.Keep(ctx, d)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if kept := b.downloads.find(a.ID); kept != nil {
		kept.Artifact = file.ID
	}
	b.change()
	return &file, nil
}

// finished returns a download whose file is whole.
func (b *Browser) finished(id string) (action.Download, Files, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.downloads.find(id)
	switch {
	case d == nil || b.options.Files == nil:
		return action.Download{}, nil, noSuchDownload()
	case d.State == stateRunning:
		return action.Download{}, nil, fault.New(fault.NotActionable, "the download has %d bytes so far", d.Received).
			Hinted("wait for it: list downloads with wait").With("reason", stateRunning)
	case d.State != stateDone:
		f := fault.New(fault.NotFound, "the download is %s", d.State).Hinted("have the page offer it again").With("state", d.State)
		if d.Error != "" {
			f = f.With("error", d.Error)
		}
		return action.Download{}, nil, f
	}
	return d.Download, b.options.Files, nil
}

func noSuchDownload() *fault.Fault {
	return fault.New(fault.NotFound, "no download has that id").Hinted("list the downloads there are with download.list")
}

// cancelDownload ends a download that runs, and removes the file of one that
// is done. Faults: not_found.
func (b *Browser) cancelDownload(ctx context.Context, a *action.ByID) (any, error) {
	b.mu.Lock()
	d := b.downloads.find(a.ID)
	if d == nil {
		b.mu.Unlock()
		return nil, noSuchDownload()
	}
	before, files := d.Download, b.options.Files
	if before.State == stateRunning || before.State == stateDone {
		d.State, d.Error = stateCancelled, ""
	}
	if before.State == stateRunning {
		b.cancel(d.ID)
	}
	b.change()
	b.mu.Unlock()
	switch {
	case before.State == stateRunning:
		bounded, stop := context.WithTimeout(ctx, cancelLimit)
		defer stop()
		if err := b.await(bounded, func() bool { return d.ended }); err != nil {
			return nil, err
		}
	case before.State == stateDone && before.Artifact == "" && files != nil:
		if err := files.Drop(ctx, a.ID); err != nil {
			return nil, err
		}
	}
	return &action.Closed{OK: true}, nil
}
