// Package download keeps the list of the files that pages of one browser
// downloaded, bounds them, and takes them out of the box for callers.
package download

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// DefaultMost is the maximum size of a download in bytes if Settings do not set
// one.
const DefaultMost = 32 << 20

const (
	mostInBox   = 64 << 20        // bytes of all downloads in the box; its folder for them is a third larger
	mostListed  = 100             // downloads that are remembered
	mostQuote   = 80              // characters of a file name in a note
	cancelLimit = 5 * time.Second // for the browser to cancel one, and for the box to remove a file
)

// The states of a download.
const (
	Running   = "running"
	done      = "done"
	failed    = "failed"
	cancelled = "cancelled"
	refused   = "refused"
)

// Store takes downloads out of the box. It must be safe for concurrent use.
type Store interface {
	// Keep moves a finished download out of the box and stores it as an
	// artifact. If it is stored already, Keep loads it. Faults: not_found,
	// limit_reached.
	Keep(ctx context.Context, d action.Download) (action.File, error)
	// Drop removes a download from the box.
	Drop(ctx context.Context, id string) error
}

// Settings say what may be downloaded. The zero Settings refuse every download.
type Settings struct {
	Enabled bool
	Context string // browser context of the pages; empty for the browser's own
	Most    int64  // bytes of one download
	Store   Store  // nil leaves downloads in the box
	Log     *slog.Logger
}

// Host are the functions of the browser that a List needs. Send, Go and Note
// must not call the List.
type Host struct {
	Send func(method string, params any)      // sends a call to the browser later, and drops its answer
	Go   func(task func())                    // runs a task that the browser waits for when it closes
	Note func(format string, args ...any)     // adds a note to the next result
	Done <-chan struct{}                      // closed when the browser is gone
	Err  func() error                         // why it is gone
	Name func(suggested string) (safe string) // makes a safe file name
}

// List has the downloads of one browser, of all tabs. It is safe for concurrent
// use.
type List struct {
	host     Host
	fetching chan struct{} // holds a token while a caller takes a file out of the box

	mu       sync.Mutex
	settings Settings
	kept     []*entry      // oldest first
	changed  chan struct{} // closed and replaced at each change
}

// entry is one download. Its fields are guarded by List.mu.
type entry struct {
	action.Download
	ended bool // the browser no longer writes to it
}

// Event holds the fields of the browser's events of downloads.
type Event struct {
	ID       string  `json:"guid"`
	Frame    string  `json:"frameId"`
	URL      string  `json:"url"`
	Name     string  `json:"suggestedFilename"`
	Total    float64 `json:"totalBytes"`
	Received float64 `json:"receivedBytes"`
	State    string  `json:"state"`
}

// New makes an empty list that refuses every download until it is configured.
func New(h Host) *List {
	return &List{host: h, fetching: make(chan struct{}, 1), changed: make(chan struct{})}
}

// Configure replaces the settings.
func (l *List) Configure(s Settings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settings = s
}

// Begin handles Browser.downloadWillBegin. An unwanted download is cancelled
// and not listed. It reports whether the download is new on the list.
func (l *List) Begin(e Event, unwanted bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.settings.Enabled || l.find(e.ID) != nil:
		return false
	case unwanted:
		l.cancelInBrowser(e.ID)
		return false
	case !l.makeRoom():
		l.cancelInBrowser(e.ID)
		l.host.Note("a download was refused: %d of them wait in the box to be fetched or cancelled", mostListed)
		return false
	}
	d := &entry{Download: action.Download{
		ID: e.ID, URL: pagetext.MaskURL(e.URL), Name: l.host.Name(e.Name), State: Running, Timestamp: time.Now().UTC().Truncate(time.Millisecond),
	}}
	l.kept = append(l.kept, d)
	l.host.Note("a download began: %q [%s]", quoted(d.Name), d.ID)
	l.change()
	return true
}

// Progress handles Browser.downloadProgress. A download that is too large is
// refused.
func (l *List) Progress(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.find(e.ID)
	if d == nil && e.State == "completed" {
		l.dropLater(e.ID) // it is not listed, and was whole before it could be cancelled
	}
	if d == nil || d.ended {
		return
	}
	d.Size, d.Received = int64(max(e.Total, 0)), int64(max(e.Received, 0))
	switch e.State {
	case "completed":
		d.ended = true
		if d.State == Running {
			d.State, d.Size = done, d.Received
		} else {
			l.dropLater(d.ID) // it was whole before it could be cancelled
		}
	case "canceled":
		d.ended = true
		if d.State == Running {
			d.State, d.Error = failed, "the browser could not finish it: the connection broke, or there was no room"
		}
	}
	if why := l.tooLarge(d); why != "" {
		l.refuse(d, why)
	}
	l.change()
}

// Busy reports whether a download is running.
func (l *List) Busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running()
}

func (l *List) running() bool {
	return slices.ContainsFunc(l.kept, func(d *entry) bool { return d.State == Running })
}

// Ended waits until a download has ended, and returns it. ok is false if there
// is none with that id, or ctx ends before.
func (l *List) Ended(ctx context.Context, id string) (d action.Download, ok bool) {
	var found *entry
	err := l.await(ctx, func() bool {
		found = l.find(id)
		return found == nil || found.ended || found.State != Running
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || found == nil {
		return d, false
	}
	return found.Download, true
}

// List lists the downloads of all tabs. It waits until running downloads have
// ended, or until the wait is over.
func (l *List) List(ctx context.Context, a *action.DownloadList) (*action.DownloadListing, error) {
	waiting, stop := context.WithTimeout(ctx, time.Duration(a.Wait)*time.Millisecond)
	defer stop()
	if err := l.await(waiting, func() bool { return !l.running() }); err != nil && waiting.Err() == nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	list := &action.DownloadListing{Downloads: make([]action.Download, len(l.kept))}
	for i, d := range l.kept {
		list.Downloads[i] = d.Download
	}
	return list, nil
}

// Get moves a finished download out of the box. Faults: not_found,
// not_actionable while it runs, limit_reached.
func (l *List) Get(ctx context.Context, id string) (*action.File, error) {
	select { // one at a time: a file is taken out once
	case l.fetching <- struct{}{}:
		defer func() { <-l.fetching }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	d, store, err := l.finished(id)
	if err != nil {
		return nil, err
	}
	file, err := store.Keep(ctx, d)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if kept := l.find(id); kept != nil {
		kept.Artifact = file.ID
	}
	l.change()
	return &file, nil
}

// finished returns a download whose file is complete.
func (l *List) finished(id string) (action.Download, Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.find(id)
	switch {
	case d == nil || l.settings.Store == nil:
		return action.Download{}, nil, notFound()
	case d.State == Running:
		return action.Download{}, nil, fault.New(fault.NotActionable, "the download has %d bytes so far", d.Received).
			Hinted("wait for it: list downloads with wait").With("reason", Running)
	case d.State != done:
		f := fault.New(fault.NotFound, "the download is %s", d.State).Hinted("have the page offer it again").With("state", d.State)
		if d.Error != "" {
			f = f.With("error", d.Error)
		}
		return action.Download{}, nil, f
	}
	return d.Download, l.settings.Store, nil
}

// Cancel ends a download that is running, and removes the file of one that is
// done. Faults: not_found.
func (l *List) Cancel(ctx context.Context, id string) error {
	l.mu.Lock()
	d := l.find(id)
	if d == nil {
		l.mu.Unlock()
		return notFound()
	}
	before, store := d.Download, l.settings.Store
	if before.State == Running || before.State == done {
		d.State, d.Error = cancelled, ""
	}
	if before.State == Running {
		l.cancelInBrowser(d.ID)
	}
	l.change()
	l.mu.Unlock()
	switch {
	case before.State == Running:
		bounded, stop := context.WithTimeout(ctx, cancelLimit)
		defer stop()
		return l.await(bounded, func() bool { return d.ended })
	case before.State == done && before.Artifact == "" && store != nil:
		return store.Drop(ctx, id)
	}
	return nil
}

func notFound() *fault.Fault {
	return fault.New(fault.NotFound, "no download has that id").Hinted("list the downloads there are with download.list")
}
