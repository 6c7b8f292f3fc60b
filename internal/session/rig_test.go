package session_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/session"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	alice = action.Caller{Actor: "agent-a", Scope: "alice", Role: action.Agent}
	bob   = action.Caller{Actor: "agent-b", Scope: "bob", Role: action.Agent}
	admin = action.Caller{Actor: "ann", Scope: "alice", Role: action.Operator}
)

// rig is a registry with its surroundings. The parts that survive a restart are
// on disk and in the engine.
type rig struct {
	*session.Registry
	t       testing.TB
	engine  *sandboxtest.Engine
	driver  *driver
	db      *store.DB
	files   *artifact.Store
	kept    *profile.Store
	proxy   *egress.Proxy
	state   string
	options session.Options

	mu                     sync.Mutex
	pages                  map[string]*tab // the last page of each box
	opens                  int
	ended                  bool
	fail                   error               // of opening a page
	answers                action.StorageState // of pages that are opened from now on
	unreadable, unrestored error               // likewise
	whileRestoring         func()              // likewise
	leaves                 []byte              // the profile of browsers that start from now on; a tar if nil

	events []action.Record
	news   chan struct{} // receives a value after each event
}

func config() session.Config {
	return session.Config{
		Enabled: true, Provider: "sandbox", Width: 1280, Height: 720, DPI: 96,
		Network:     action.Network{Navigation: []string{"app.example", "*.wide.example"}, Subresources: "same-site", AllowPrivate: []string{"localhost:3000"}},
		IdleTimeout: 300 * time.Second, MaxAge: 20 * time.Minute, HolderGone: time.Minute,
		MaxActions: 100, MaxFailures: 3, MaxConcurrent: 5, MaxSessions: 20, Retention: 7 * 24 * time.Hour,
	}
}

type tweak func(*rig)

func with(change func(*session.Config)) tweak { return func(r *rig) { change(&r.options.Config) } }

// newRig makes a gateway on a new machine and calls Recover.
func newRig(t testing.TB, tweaks ...tweak) *rig {
	t.Helper()
	return boot(t, t.TempDir(), sandboxtest.NewEngine(), tweaks...)
}

func boot(t testing.TB, state string, engine *sandboxtest.Engine, tweaks ...tweak) *rig {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := store.Open(t.Context(), filepath.Join(state, "state.db"))
	must(t, err)
	files, err := artifact.Open(t.Context(), filepath.Join(state, "artifacts"), db, artifact.Limits{Scope: 100}, log)
	must(t, err)
	key, err := profile.Key("", state)
	must(t, err)
	kept, err := profile.Open(t.Context(), filepath.Join(state, "profiles"), db, key, log)
	must(t, err)
	r := &rig{
		kept: kept,
		t:    t, engine: engine, driver: &driver{Driver: engine.Driver("gw")}, db: db, files: files, state: state,
		pages: map[string]*tab{}, news: make(chan struct{}, 1),
	}
	r.proxy = egress.New(egress.Options{OnRefused: func(box string, refusal action.Refusal) { r.Refused(box, refusal) }})
	r.options = session.Options{
		DB: db, Artifacts: files, Profiles: kept, Driver: r.driver, Egress: r.proxy, Open: r.openPage, Record: r.record, Config: config(), Log: log,
	}
	t.Cleanup(r.end) // a change may skip the test
	for _, change := range tweaks {
		change(r)
	}
	r.Registry, err = session.New(t.Context(), r.options)
	must(t, err)
	must(t, r.Recover(t.Context()))
	return r
}

// end shuts the gateway down.
func (r *rig) end() {
	r.mu.Lock()
	over := r.ended
	r.ended = true
	r.mu.Unlock()
	if over {
		return
	}
	if r.Registry != nil {
		if err := r.Close(context.Background()); err != nil {
			r.t.Error(err)
		}
		r.Registry = nil
	}
	must(r.t, errors.Join(r.proxy.Shutdown(context.Background()), r.files.Close(), r.db.Close()))
}

// again starts the gateway again.
func (r *rig) again(tweaks ...tweak) *rig {
	r.t.Helper()
	r.end()
	return boot(r.t, r.state, r.engine, tweaks...)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) record(event action.Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// told reports whether an event of this type was recorded whose result or detail
// contains text.
func (r *rig) told(kind, text string) bool { return r.count(kind, text) > 0 }

func (r *rig) count(kind, text string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.EventType == kind && (strings.Contains(e.Result, text) || strings.Contains(e.Detail, text)) {
			n++
		}
	}
	return n
}

// call makes a call as the gate does: look, then do.
func (r *rig) call(ctx context.Context, who action.Caller, verb, key string, args any) (action.Result, error) {
	c := action.Call{ID: "c1", Verb: verb, Caller: who, Session: key, Args: args}
	_, pin, err := r.Look(ctx, c)
	if err != nil {
		return action.Result{}, err
	}
	return r.Do(ctx, c, pin)
}

// start starts a session that must start.
func (r *rig) start(who action.Caller, args action.SessionStart) action.Session {
	r.t.Helper()
	result, err := r.call(r.t.Context(), who, "session.start", "", &args)
	must(r.t, err)
	return *result.Data.(*action.Session)
}

func (r *rig) show(who action.Caller, key string) action.Session {
	r.t.Helper()
	result, err := r.call(r.t.Context(), who, "session.show", key, nil)
	must(r.t, err)
	return *result.Data.(*action.Session)
}

// opened returns how many pages were opened.
func (r *rig) opened() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opens
}

func wants(t testing.TB, code fault.Code, err error, words ...string) {
	t.Helper()
	f := fault.From(err)
	if fault.CodeOf(err) != code || f.Hint == "" {
		t.Fatalf("error %v with hint %q, want %s", err, hintOf(f), code)
	}
	for _, word := range words {
		if !strings.Contains(f.Message+" "+f.Hint, word) {
			t.Errorf("%q does not say %q", f.Message, word)
		}
	}
}

func hintOf(f *fault.Fault) string {
	if f == nil {
		return ""
	}
	return f.Hint
}

// boxes returns the ids of all boxes on the machine.
func (r *rig) boxes() []string {
	var ids []string
	for _, info := range r.engine.Boxes() {
		ids = append(ids, info.ID)
	}
	return ids
}

func (r *rig) page(box string) *tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pages[box]
}

func (r *rig) openPage(ctx context.Context, box sandbox.Box, o engine.Options) (session.Browser, error) {
	stream, err := box.CDP(ctx)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opens++
	if r.fail != nil {
		return (*tab)(nil), errors.Join(r.fail, stream.Close()) // a nil pointer in the interface
	}
	t := &tab{options: o, stream: stream, done: make(chan struct{}), at: action.Page{URL: "about:blank"}}
	t.holds, t.unreadable, t.unrestored, t.whileRestoring = r.answers, r.unreadable, r.unrestored, r.whileRestoring
	if r.leaves != nil {
		r.engine.SetProfile(box.Info().ID, r.leaves)
	}
	t.reader.Go(t.read)
	r.pages[box.Info().ID] = t
	return t, nil
}

// driver wraps a driver; tests make parts of it fail.
type driver struct {
	sandbox.Driver
	mu        sync.Mutex
	weak      bool
	mute      error // of every Health
	again     int   // how often every box has restarted its browser
	stops     error
	lists     error
	ways      map[string]sandboxEgress // egress handlers of boxes
	once      error                    // the error of the next Assign
	hold      chan struct{}            // Stop waits until it is closed
	freezeErr error                    // the error of Freeze
	onFreeze  func()                   // called when a box was frozen, before Freeze returns
}

func (d *driver) set(change func(*driver)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

func (d *driver) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Box, error) {
	d.set(func(d *driver) {
		if d.ways == nil {
			d.ways = map[string]sandboxEgress{}
		}
		d.ways[spec.ID] = spec.Egress
	})
	b, err := d.Driver.Start(ctx, spec)
	return wrap(d, b), err
}

func (d *driver) Attach(ctx context.Context, id string, egress sandboxEgress) (sandbox.Box, error) {
	b, err := d.Driver.Attach(ctx, id, egress)
	return wrap(d, b), err
}

func (d *driver) List(ctx context.Context) ([]sandbox.Info, error) {
	d.mu.Lock()
	err := d.lists
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return d.Driver.List(ctx)
}

func (d *driver) Stop(ctx context.Context, id string) error {
	d.mu.Lock()
	err, hold := d.stops, d.hold
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return d.Driver.Stop(ctx, id)
}

type box struct {
	sandbox.Box
	driver *driver
}

func wrap(d *driver, b sandbox.Box) sandbox.Box {
	if b == nil {
		return nil
	}
	return &box{Box: b, driver: d}
}

func (b *box) Assign(ctx context.Context, scope, session string) error {
	b.driver.mu.Lock()
	err := b.driver.once
	b.driver.once = nil
	b.driver.mu.Unlock()
	if err != nil {
		return err
	}
	return b.Box.Assign(ctx, scope, session)
}

func (b *box) Freeze(ctx context.Context) (<-chan struct{}, error) {
	b.driver.mu.Lock()
	failed, then := b.driver.freezeErr, b.driver.onFreeze
	b.driver.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	thawed, err := b.Box.Freeze(ctx)
	if then != nil {
		then()
	}
	return thawed, err
}

func (b *box) Health(ctx context.Context) (sandbox.Health, error) {
	health, err := b.Box.Health(ctx)
	b.driver.mu.Lock()
	defer b.driver.mu.Unlock()
	if b.driver.mute != nil {
		return sandbox.Health{}, b.driver.mute
	}
	if b.driver.weak && err == nil {
		health.Renderers[0].SeccompFilters = 1
	}
	health.Restarts += b.driver.again
	return health, err
}
