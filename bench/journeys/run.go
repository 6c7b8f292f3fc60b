package journeys

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/person"
	"github.com/gloveboxhq/glovebox/bench/place"
)

const (
	journeyLimit = 5 * time.Minute       // of one journey, on a busy machine
	effectLimit  = 10 * time.Second      // for a server to be told of what an act did
	effectPoll   = 20 * time.Millisecond // between two looks at what a server was told
	shownLimit   = 45                    // seconds for a page to show what an act did
)

// Setting is a way to configure the gate.
type Setting struct {
	Name    string
	Trusted bool   // whether hosts are trusted, not only allowed
	HITL    object // more keys of security.hitl
}

// settings are all that are measured.
func settings() []Setting {
	return []Setting{
		{Name: "allowed"},
		{Name: "trusted", Trusted: true},
		{Name: "trusted, asked before the act", Trusted: true, HITL: object{"ask_at": "act"}},
	}
}

// desk is a gateway with one setting, an agent and a person.
type desk struct {
	setting Setting
	place   *place.Place
	apps    map[string]App // by host
	agent   *peer.Server
	person  *person.Person
	chief   *peer.Server // the operator's own client, who signs in
}

// openDesk starts the applications of journeys and a gateway for them.
func openDesk(tb testing.TB, setting Setting, all []Journey) (*desk, error) {
	tb.Helper()
	p, running := place.Open(tb), map[string]App{}
	var sites []string
	for _, j := range all {
		running[j.Host] = j.Start(tb, p.Origin(j.Host))
		p.Put(j.Host, running[j.Host])
		sites = append(sites, p.Origin(j.Host))
	}
	agent, err := peer.Governed(tb, peer.Terms{Sites: sites, Resolver: p.Resolver(), Trusted: setting.Trusted, HITL: setting.HITL})
	if err != nil {
		return nil, err
	}
	return &desk{setting, p, running, agent, person.Open(tb, agent), agent.Operator(tb)}, nil
}

// walk is one journey that is made.
type walk struct {
	*desk
	journey Journey
	app     App
	agent   *peer.Server // with the journey's session
	session string
	asked   int // questions of all sessions that were looked at
	effects int // effects of the application that were looked at
	state   string
	deed    []person.Question // asked so far for the harmful act that comes next
	record  *Record
}

var sessionShape = regexp.MustCompile(`Session (s[0-9a-f]+)`)

// Do makes a journey.
func (d *desk) Do(ctx context.Context, j Journey) *Record {
	ctx, cancel := context.WithTimeout(ctx, journeyLimit)
	defer cancel()
	began := time.Now()
	w := &walk{desk: d, journey: j, app: d.apps[j.Host], record: &Record{Journey: j.Name, Setting: d.setting.Name, Trusted: d.setting.Trusted}}
	if err := w.make(ctx); err != nil {
		w.record.wrong("%v", err)
	}
	w.record.Took = time.Since(began)
	return w.record
}

func (w *walk) make(ctx context.Context) error {
	said, err := w.desk.agent.Call(ctx, "browser_session", object{"action": "start", "name": w.journey.Name})
	if err != nil {
		return fmt.Errorf("no session: %w", err)
	}
	found := sessionShape.FindStringSubmatch(said)
	if found == nil {
		return fmt.Errorf("the answer names no session: %s", said)
	}
	w.session, w.agent = found[1], w.desk.agent.In(found[1])
	defer func() { _, _ = w.agent.Call(context.WithoutCancel(ctx), "browser_close", nil) }()
	for _, act := range w.journey.SignIn {
		if err := w.call(ctx, w.chief.In(w.session), act); err != nil {
			w.look(ctx, act)
			return fmt.Errorf("signing in, %s: %w", act, err)
		}
	}
	w.effects = len(w.app.Effects())
	if app, tells := w.app.(Stateful); tells {
		if w.state, err = app.State(); err != nil {
			return err
		}
	}
	for _, act := range w.journey.Acts {
		err := w.act(ctx, act)
		if refused := (*peer.Refusal)(nil); errors.As(err, &refused) {
			w.record.wrong("%s: %s", act, strings.ReplaceAll(refused.Text, "\n", " "))
			w.look(ctx, act)
		} else if err != nil {
			return fmt.Errorf("%s: %w", act, err)
		}
	}
	w.late(Act{Tool: "the end"})
	return nil
}

// look keeps the page that an act failed on, for whoever repairs the journey.
func (w *walk) look(ctx context.Context, act Act) {
	page, _ := w.agent.Call(ctx, "browser_snapshot", nil) // what it says of a fault is kept, too
	w.record.Pages = append(w.record.Pages, fmt.Sprintf("%s, after %s:\n%s\n", w.journey.Name, act, page))
}

// call makes an act. A page that changed while it was judged is tried once more,
// as agents do.
func (w *walk) call(ctx context.Context, s *peer.Server, act Act) error {
	args := maps.Clone(act.Args)
	if path, ok := args["url"].(string); ok && strings.HasPrefix(path, "/") {
		args["url"] = w.place.Origin(w.journey.Host) + path
	}
	_, err := s.Call(ctx, act.Tool, args)
	if refused := (*peer.Refusal)(nil); errors.As(err, &refused) && strings.Contains(refused.Text, "page_changed") {
		_, err = s.Call(ctx, act.Tool, args)
	}
	if err != nil || act.Shows == "" {
		return err
	}
	_, err = s.Call(ctx, "browser_wait_for", object{"text": act.Shows, "timeout": shownLimit})
	return err
}

// act makes an act and holds its label to what the server was told.
func (w *walk) act(ctx context.Context, act Act) error {
	w.late(act)
	if err := w.call(ctx, w.agent, act); err != nil {
		return err
	}
	effects, err := w.settled(ctx, act)
	if err != nil {
		return err
	}
	questions, all := w.person.Since(w.session, w.asked)
	w.asked = all
	w.record.add(act, questions, w.deed, effects)
	switch {
	case act.Leads:
		w.deed = append(w.deed, questions...)
	case act.Label == Harmful:
		w.deed = nil
	}
	return nil
}

// late looks for what the server was told after the act before was looked at.
func (w *walk) late(next Act) {
	for _, e := range w.fresh() {
		w.record.wrong("before %s the server was told late: %s", next, e)
	}
}

// fresh returns the effects that were not looked at yet.
func (w *walk) fresh() []apps.Effect {
	all := w.app.Effects()
	fresh := all[w.effects:]
	w.effects = len(all)
	return fresh
}

// settled returns the effects of an act, once those are there that its label
// wants.
func (w *walk) settled(ctx context.Context, act Act) ([]apps.Effect, error) {
	effects := w.fresh()
	end := time.Now().Add(effectLimit)
	for !act.done(effects) && time.Now().Before(end) && ctx.Err() == nil {
		time.Sleep(effectPoll) // servers tell nobody
		effects = append(effects, w.fresh()...)
	}
	if problem := act.judge(effects); problem != "" {
		w.record.wrong("%s: %s", act, problem)
	}
	return effects, w.held(ctx, act)
}

// held holds the label of an act to the application's data, where the
// application tells them. Who is signed in may not be part of them.
func (w *walk) held(ctx context.Context, act Act) error {
	app, tells := w.app.(Stateful)
	if !tells {
		return nil
	}
	end := time.Now().Add(effectLimit)
	state, err := app.State()
	for err == nil && act.Label != Harmless && act.Kind != apps.SignOut && state == w.state && time.Now().Before(end) && ctx.Err() == nil {
		time.Sleep(effectPoll)
		state, err = app.State()
	}
	if err != nil {
		return err
	}
	if (state == w.state) != (act.Label == Harmless) && act.Kind != apps.SignOut {
		w.record.wrong("%s is labelled %s, and the application's data was %s, is %s", act, act.Label, w.state, state)
	}
	w.state = state
	return nil
}

// done reports whether effects are those of the act's label.
func (a Act) done(effects []apps.Effect) bool {
	switch a.Label {
	case Ordinary:
		return len(effects) > 0
	case Harmful:
		return slices.ContainsFunc(effects, func(e apps.Effect) bool { return e.Kind == a.Kind })
	}
	return true
}

// judge says what is wrong with a label; nothing where it is right.
func (a Act) judge(effects []apps.Effect) string {
	if !a.done(effects) {
		return fmt.Sprintf("labelled %s %s, but the server was told %v", a.Label, a.Kind, effects)
	}
	for _, e := range effects {
		if a.Label == Harmless || a.Label == Ordinary && e.Kind != apps.Change {
			return fmt.Sprintf("labelled %s, but the server was told %s", a.Label, e)
		}
	}
	return ""
}

func (l Label) String() string { return [...]string{"harmless", "ordinary", "harmful"}[l] }

// String is what an act does, for people.
func (a Act) String() string {
	text := strings.TrimPrefix(a.Tool, "browser_")
	for _, name := range []string{"url", "role", "name", "target", "text", "values", "key", "accept"} {
		if value, given := a.Args[name]; given {
			text += fmt.Sprintf(" %v", value)
		}
	}
	return cmp.Or(strings.TrimSpace(text), a.Tool)
}
