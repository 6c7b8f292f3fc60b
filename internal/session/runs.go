package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// runVerbs carries out the verbs with which a contract run uses its browser.
type runVerbs struct {
	sessions *directory
	networks *networks
	boxes    *boxes
	plans    *planner
	life     *lifecycle
}

// lookAt looks at the calls that start, check and end the browser of a run.
func (v *runVerbs) lookAt(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if call.Verb == action.VerbRunOpen.Name {
		p, grant, err := v.plans.planForRun(ctx, call)
		return action.Facts{Destination: p.destination, Run: grant}, action.Pin{}, err
	}
	record, facts, err := v.sessions.recordOf(ctx, call)
	seen := action.Facts{Session: facts, Page: pageOf(record)}
	if args, is := call.Args.(*action.RunAllow); is && err == nil {
		seen.Destination = &action.Destination{URL: args.URL, Host: v.networks.requestableHost(record.ID, args.URL)}
	}
	return seen, action.Pin{Session: record.ID}, err
}

// allow adds the host of an address to a run's network: a person decided it.
func (v *runVerbs) allow(ctx context.Context, call action.Call, args *action.RunAllow) (action.Result, error) {
	host := v.networks.requestableHost(call.Session, args.URL)
	if host == "" {
		return action.Result{}, fault.New(fault.BlockedDomain, "no host would let the run go there")
	}
	more := &action.AllowHost{Host: host, For: "page"}
	call.Args = more
	return v.networks.allow(ctx, call, more)
}

// open starts the browser of a run.
func (v *runVerbs) open(ctx context.Context, call action.Call) (action.Result, error) {
	p, _, err := v.plans.planForRun(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	sess, err := v.life.reserve(ctx, call, p)
	if err != nil {
		return action.Result{}, err
	}
	if err := v.life.launch(ctx, call, sess, p.shape); err != nil {
		return action.Result{}, err
	}
	record := sess.now()
	return action.Result{Session: sess.id, Data: &record}, nil
}

// probe checks whether what a run needs is available.
func (v *runVerbs) probe(ctx context.Context, call action.Call, args *action.RunProbe) (action.Result, error) {
	sess, err := v.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	defer leave()
	box := sess.stage().box
	checks := []action.RunCheck{v.boxes.probeBox(ctx, box.Info().ID), probeDisplay(ctx, box), v.probeRules(box.Info().ID, args.URL)}
	return action.Result{Session: sess.id, Data: &action.RunChecks{Checks: checks}}, nil
}

// probeBox asks the engine whether a box runs.
func (bs *boxes) probeBox(ctx context.Context, id string) action.RunCheck {
	check := action.RunCheck{Name: action.BoxActive, Detail: "the engine does not know the container"}
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	infos, err := bs.driver.List(ctx)
	if err != nil {
		check.Detail = "the engine does not answer: " + fault.From(err).Message
		return check
	}
	for _, info := range infos {
		if info.ID == id {
			check.OK, check.Detail = info.State == "running", fmt.Sprintf("the engine says that %s is %s", info.Name, info.State)
		}
	}
	return check
}

// probeRules lets the egress proxy judge the first page of a run, and a host that
// must be refused: .invalid never resolves (RFC 2606), so no list contains it.
func (v *runVerbs) probeRules(box, url string) action.RunCheck {
	canary := "https://canary-" + strings.TrimPrefix(newID(), "s") + ".invalid/"
	first, other := v.networks.egress.Judge(box, url), v.networks.egress.Judge(box, canary)
	check := action.RunCheck{Name: action.AllowlistLoaded, OK: first.Allowed && !other.Allowed}
	switch {
	case !first.Allowed:
		check.Detail = "the way out refuses " + first.Host + ": " + first.Reason
	case other.Allowed:
		check.Detail = "the way out lets a host through that is on no list"
	default:
		check.Detail = "the way out lets " + first.Host + " through, and refuses " + other.Host + ": " + other.Reason
	}
	return check
}

// end ends the browser of a run.
func (v *runVerbs) end(ctx context.Context, call action.Call) (action.Result, error) {
	_, err := v.life.close(ctx, call)
	return action.Result{Session: call.Session}, err
}

// probeDisplay asks the guest whether the display answers.
func probeDisplay(ctx context.Context, box sandbox.Box) action.RunCheck {
	check := action.RunCheck{Name: action.DisplayReady}
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	health, err := box.Health(ctx)
	switch {
	case err != nil:
		check.Detail = "the box does not answer: " + fault.From(err).Message
	case !health.Display.Running || health.Screen == "":
		check.Detail = "the box has no display"
	default:
		check.OK, check.Detail = true, "display "+health.Screen+" answers"
	}
	return check
}
