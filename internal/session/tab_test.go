package session_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

type sandboxEgress = func(net.Conn)

// tab is a simple page engine: it navigates if its guard allows it, and has no
// elements. It lives as long as its connection to the box.
type tab struct {
	stream sandbox.Stream
	done   chan struct{}
	reader sync.WaitGroup

	mu       sync.Mutex
	options  engine.Options
	at       action.Page
	fail     error
	refuses  error         // the error of Inject
	hold     chan struct{} // verbs wait until it is closed
	deaf     bool          // waiting verbs ignore the end of the connection
	busy     bool
	running  int
	most     int // maximum of concurrent verbs
	acted    int // verbs that were done
	tabs     []action.Tab
	sets     []credentials.Set // injected sets
	adopted  []credentials.Set
	fresh    []credentials.Secret // the result of Fresh
	purged   []string
	began    chan struct{}   // receives a value for each served client
	admitted int             // by AdmitInput and not left
	admits   int             // calls of AdmitInput
	shown    int             // calls of ShowActive
	strokes  []string        // of SendStroke, with ! where pages refuse them
	focused  string          // reference of the field with the focus
	below    string          // node that is looked at
	state    credentials.Set // the result of Capture

	holds    action.StorageState // the result of StorageState, in addition to restored state
	asked    []string            // requested origins
	visited  []string            // origins of documents
	restored taken

	unreadable, unrestored error  // errors of StorageState and Restore
	whileRestoring         func() // called by Restore
}

// taken is the argument of Restore.
type taken struct {
	cookies []action.NewCookie
	origins []action.OriginState
}

func (t *tab) Origins() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.visited
}

func (t *tab) StorageState(_ context.Context, origins []string) (action.StorageState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = origins
	return t.holds, t.unreadable
}

func (t *tab) Restore(_ context.Context, cookies []action.NewCookie, origins []action.OriginState) error {
	if t.whileRestoring != nil {
		t.whileRestoring()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.restored = taken{cookies, origins}
	return t.unrestored
}

func (t *tab) read() {
	defer close(t.done)
	for {
		if _, err := t.stream.Read(); err != nil {
			return
		}
	}
}

func (t *tab) set(change func(*tab)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(t)
}

func (t *tab) Configure(o engine.Options) { t.set(func(t *tab) { t.options = o }) }

func (t *tab) Look(_ context.Context, _ string, args any) (action.Facts, action.Pin, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	facts := action.Facts{Page: t.at}
	if g, ok := args.(*action.Goto); ok {
		facts.Destination = &action.Destination{URL: g.URL}
	}
	pin := action.Pin{Tab: "t1", Document: "d1"}
	switch args.(type) {
	case *action.Click, *action.Press:
		if pin.Node = t.below; pin.Node != "" {
			facts.Element = &action.Element{Name: pin.Node, LinkURL: "https://elsewhere.example/"}
			facts.Destination = &action.Destination{URL: facts.Element.LinkURL}
		}
	}
	return facts, pin, t.fail
}

func (t *tab) Do(ctx context.Context, verb string, args any, _ action.Pin) (action.Result, error) {
	t.mu.Lock()
	t.running++
	t.most = max(t.most, t.running)
	hold, done := t.hold, t.done
	if t.deaf {
		done = nil
	}
	t.mu.Unlock()
	defer t.set(func(t *tab) { t.running-- })
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return action.Result{}, ctx.Err()
		case <-done:
			return action.Result{}, errors.New("connection closed")
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fail != nil {
		return action.Result{}, t.fail
	}
	return t.act(verb, args)
}

func (t *tab) act(verb string, args any) (action.Result, error) {
	switch verb {
	case "tab.list":
		return action.Result{Data: &action.TabListing{Tabs: t.tabs}}, nil
	}
	t.acted++
	switch verb {
	case "page.goto":
		to := args.(*action.Goto).URL
		if err := t.options.Guard(to); err != nil {
			t.options.Refused(action.Refusal{Host: "evil.example", URL: to, Reason: "not allowed", Page: true})
			return action.Result{}, err
		}
		if err := t.prepare(to); err != nil {
			return action.Result{}, err
		}
		t.at = action.Page{URL: to, Title: "Title"}
		return action.Result{Page: &t.at, Data: &action.Navigated{URL: to, Title: "Title", Status: 200}}, nil
	case "page.pdf":
		return action.Result{Page: &t.at, Data: &action.PDF{Bytes: make([]byte, 60)}}, nil
	case "page.screenshot":
		return action.Result{Page: &t.at, Data: &action.Screenshot{Format: "png", Bytes: make([]byte, 60)}}, nil
	}
	return action.Result{Page: &t.at, Data: &action.Acted{OK: true}}, nil
}

// prepare must be called with mu held, which it releases meanwhile.
func (t *tab) prepare(to string) error {
	prepare := t.options.Prepare
	if prepare == nil {
		return nil
	}
	t.mu.Unlock()
	defer t.mu.Lock()
	return prepare(context.Background(), to)
}

func (t *tab) Inject(_ context.Context, set credentials.Set) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sets = append(t.sets, set)
	return t.refuses
}

func (t *tab) Adopt(_ context.Context, set credentials.Set) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.adopted = append(t.adopted, set)
	return nil
}

func (t *tab) Fresh(context.Context, []string) ([]credentials.Secret, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fresh, nil
}

func (t *tab) Purge(_ context.Context, domains []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.purged = domains
	return t.refuses
}

func (t *tab) Initiator(context.Context, string) string { return "https://asker.example/page?secret=1" }

func (t *tab) Acting() []string { return nil }

func (t *tab) Busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.busy
}

func (t *tab) Page() action.Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at
}

func (t *tab) Done() <-chan struct{} { return t.done }

func (t *tab) Err() error {
	select {
	case <-t.done:
		return errors.New("connection closed")
	default:
		return nil
	}
}

func (t *tab) Close() error {
	err := t.stream.Close()
	t.reader.Wait()
	return err
}

func (t *tab) TargetScreenshot(_ context.Context, pin action.Pin) ([]byte, error) {
	return []byte("\xff\xd8\xff picture of " + pin.Node), nil
}

// PagePoint shows the page below 87 pixels of the display.
func (t *tab) PagePoint(_ context.Context, p image.Point) (x, y float64, inside bool, err error) {
	return float64(p.X), float64(p.Y - 87), p.Y >= 87, nil
}

func (t *tab) RefuseInput(context.Context) func() {
	t.set(func(t *tab) { t.admitted-- })
	return func() { t.set(func(t *tab) { t.admitted++ }) }
}

func (t *tab) FocusedField(context.Context) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.focused, nil
}

func (t *tab) SendStroke(_ context.Context, tab string, s engine.Stroke) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	refused := ""
	if t.admitted == 0 {
		refused = "!"
	}
	what := fmt.Sprintf("%s at %g, %g", s.Button, s.X, s.Y)
	if s.Key != "" {
		what = s.Key
	}
	t.strokes = append(t.strokes, fmt.Sprintf("%s%s %s %s %v", refused, tab, what, map[bool]string{true: "down", false: "up"}[s.Down], s.Held))
	return nil
}

func (t *tab) ShowActive(context.Context) { t.set(func(t *tab) { t.shown++ }) }

func (t *tab) Painted(context.Context) error { return nil }

// Crawl returns a crawler that reads nothing: crawls are tested with a real browser.
func (t *tab) Crawl(engine.CrawlOptions) engine.Crawler { return nobody{} }

type nobody struct{}

func (nobody) Visit(context.Context, string, time.Duration) (*action.CrawlVisit, error) {
	return nil, errors.New("there is no browser")
}

func (nobody) Close(context.Context) error { return nil }
