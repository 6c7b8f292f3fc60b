package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// browserVerbs does the verbs that start, stop and describe a session by its
// browser.
type browserVerbs struct {
	sessions *directory
	boxes    *boxes
	keeper   *profileKeeper
	life     *lifecycle
}

// boxLog is shown as the path of a process's log: a box has no log file, and the
// status contains the last lines.
const boxLog = "#/log"

// lookAt looks at the calls that start, stop and describe a browser.
func (b *browserVerbs) lookAt(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	record, open, err := b.browserOf(ctx, call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	if open {
		facts := action.SessionFacts{ID: record.ID, Box: record.Box, State: record.State, Actions: record.Actions, Credentialed: len(record.Credentialed) > 0}
		return action.Facts{Session: facts, Page: pageOf(record), Destination: destination(record, call)}, action.Pin{Session: record.ID}, nil
	}
	if call.Verb != action.VerbBrowserStart.Name {
		return action.Facts{}, action.Pin{}, nil
	}
	as, err := asSession(call)
	if err != nil {
		return action.Facts{}, action.Pin{}, err
	}
	return b.life.lookAtStart(ctx, as)
}

// destination returns the current page for a start whose browser is already open,
// since such a start does not navigate.
func destination(record action.Session, call action.Call) *action.Destination {
	if call.Verb != action.VerbBrowserStart.Name {
		return nil
	}
	return &action.Destination{URL: "about:blank", Allowed: true}
}

// browserOf returns the session whose browser a call is about. A named session
// must exist, open or not; without a name there may be none.
func (b *browserVerbs) browserOf(ctx context.Context, call action.Call) (record action.Session, open bool, err error) {
	if sess := b.sessions.find(call); sess != nil {
		return sess.now(), true, nil
	}
	if call.Session == "" {
		return action.Session{}, false, nil
	}
	record, err = b.sessions.ended(ctx, call)
	if err == nil && call.Verb == action.VerbBrowserStart.Name {
		err = notOpenFault(record)
	}
	return record, false, err
}

// asSession converts a start of a browser to a start of a session. Faults:
// invalid_request.
func asSession(call action.Call) (action.Call, error) {
	args, err := argsOf[action.BrowserStart](call)
	if err != nil {
		return call, err
	}
	start := action.SessionStart{URL: args.URL, Width: args.Width, Height: args.Height, DPI: args.DPI, Profile: args.Context}
	start.Headless = args.Headless != nil && *args.Headless
	call.Verb, call.Args = action.VerbSessionStart.Name, &start
	return call, nil
}

// start starts a session, or shows the one that is open when it is what
// was asked for. Faults: already_active when it is not, and those of
// session.start.
func (b *browserVerbs) start(ctx context.Context, call action.Call, args *action.BrowserStart) (action.Result, error) {
	record, open, err := b.browserOf(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	as, err := asSession(call)
	if err != nil {
		return action.Result{}, err
	}
	var result action.Result
	if open {
		if err := b.checkSame(ctx, record, *args); err != nil {
			return action.Result{Session: record.ID}, err
		}
	} else {
		if result, err = b.life.start(ctx, as); err != nil {
			return result, err
		}
		record = *result.Data.(*action.Session) //nolint:errcheck // start made it
	}
	result.Session, result.Data = record.ID, b.statusOf(ctx, record, call.Caller.Role)
	if args.Streams() {
		result.Notes = append(result.Notes, "there is no streaming and no recording yet: what was asked of them has no effect")
	}
	return result, nil
}

// checkSame refuses a start that asks for other settings than the open session
// has. Fields that the call omits are not compared.
func (b *browserVerbs) checkSame(ctx context.Context, have action.Session, args action.BrowserStart) error {
	profile, err := b.keeper.idOf(ctx, have.Scope, args.Context)
	if err != nil {
		return err
	}
	url := args.URL
	if url != "" {
		if url, err = engine.Address(url); err != nil {
			return err
		}
	}
	var differs []string
	for name, other := range map[string]bool{
		"width":     args.Width != 0 && args.Width != have.Width,
		"height":    args.Height != 0 && args.Height != have.Height,
		"dpi":       args.DPI != 0 && args.DPI != have.DPI,
		"headless":  args.Headless != nil && *args.Headless != have.Headless,
		"contextId": profile != "" && profile != have.Profile,
		"url":       url != "" && url != pageOf(have).URL,
	} {
		if other {
			differs = append(differs, name)
		}
	}
	if len(differs) == 0 {
		return nil
	}
	slices.Sort(differs)
	return fault.New(fault.AlreadyActive, "the browser of session %s runs with another %s", label(have), strings.Join(differs, ", ")).
		Hinted("stop it first, navigate it with page.goto, or start another session with session.start").
		With("session", have.ID).With("differs", differs)
}

// stop closes the session, if there is one.
func (b *browserVerbs) stop(ctx context.Context, call action.Call) (action.Result, error) {
	result := action.Result{Data: &action.BrowserStatus{
		State: action.BrowserInactive, Missing: []string{}, Processes: []action.BrowserProcess{},
	}}
	record, open, err := b.browserOf(ctx, call)
	if err != nil || !open {
		return result, err
	}
	call.Session, result.Session = record.ID, record.ID
	_, err = b.life.close(ctx, call)
	return result, err
}

func (b *browserVerbs) show(ctx context.Context, call action.Call) (action.Result, error) {
	record, _, err := b.browserOf(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	result := action.Result{Session: record.ID, Data: b.statusOf(ctx, record, call.Caller.Role)}
	if hold := record.Hold; hold != nil {
		result.Notes = append(result.Notes, fmt.Sprintf("the session is %s by %s: %s", strings.ReplaceAll(record.State, "_", " "), hold.By, hold.Why))
	}
	return result, nil
}

// states maps the states of a session to those of a browser. A browser that was
// not started is inactive.
var states = map[string]string{
	starting: action.BrowserStarting, open: action.BrowserActive, paused: action.BrowserActive, takenOver: action.BrowserActive, closing: action.BrowserStopping, failed: action.BrowserFailed,
}

// statusOf describes the browser of a session; for the zero session, that there
// is none.
func (b *browserVerbs) statusOf(ctx context.Context, record action.Session, role action.Role) *action.BrowserStatus {
	s := &action.BrowserStatus{
		State: states[record.State], Frozen: record.Frozen, Session: record.ID, Context: record.Profile, URL: pageOf(record).URL,
		Missing: []string{}, Processes: []action.BrowserProcess{},
	}
	if s.State == "" {
		s.State = action.BrowserInactive
	}
	if s.State == action.BrowserFailed {
		s.LastError = &action.ErrorNote{Code: string(fault.StartFailed), Message: record.Reason}
	}
	if s.State != action.BrowserActive {
		b.boxes.addMissing(ctx, s)
		return s
	}
	s.Resolution = &action.Resolution{Width: record.Width, Height: record.Height, DPI: record.DPI}
	created := record.Created
	s.StartedAt = &created
	s.CDPURL = fmt.Sprintf("/v1/sessions/%s/browser/cdp", record.ID)
	b.addHealth(ctx, s, role)
	return s
}

// missing returns what this machine lacks to start a browser. It asks the container engine.
func (bs *boxes) missing(ctx context.Context) []sandbox.MissingDependency {
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	checker, can := bs.driver.(sandbox.Checker)
	if !can {
		return nil
	}
	return checker.Missing(ctx)
}

// Missing names what this machine lacks to start a browser.
func (r *Registry) Missing(ctx context.Context) []string {
	var names []string
	for _, m := range r.browsers.boxes.missing(ctx) {
		names = append(names, m.Name)
	}
	return names
}

// addMissing adds what is missing to start a browser.
func (bs *boxes) addMissing(ctx context.Context, s *action.BrowserStatus) {
	if s.State == action.BrowserStarting || s.State == action.BrowserStopping {
		return
	}
	for _, m := range bs.missing(ctx) {
		s.State = action.BrowserInstallRequired
		s.Missing = append(s.Missing, m.Name)
		if s.InstallCommand == "" {
			s.InstallCommand = m.Repair
		}
	}
}

// addHealth asks the box.
func (b *browserVerbs) addHealth(ctx context.Context, s *action.BrowserStatus, role action.Role) {
	sess := b.sessions.withID(s.Session)
	if sess == nil {
		return
	}
	at := sess.snapshot()
	box, headless := at.box, at.record.Headless
	if box == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	health, err := box.Health(ctx)
	if err != nil {
		f := fault.From(err)
		s.LastError = &action.ErrorNote{Code: string(f.Code), Message: f.Message}
		return
	}
	s.Processes = append(s.Processes, process("chromium", health.Browser))
	if !headless {
		s.Display = health.Screen
		s.Processes = append(s.Processes, process("xvfb", health.Display))
	}
	if role == action.Operator { // pages can write to the log
		s.Log = health.Log
	}
}

func process(name string, p sandbox.Process) action.BrowserProcess {
	return action.BrowserProcess{Name: name, PID: p.PID, Running: p.Running, Log: boxLog}
}
