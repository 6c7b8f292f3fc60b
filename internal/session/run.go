package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// lookAtRun looks at the calls that start, probe and end the browser of a run.
func (r *Registry) lookAtRun(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	if call.Verb == "run.open" {
		p, grant, err := r.planForRun(ctx, call)
		return action.Facts{Destination: p.goal, Run: grant}, action.Pin{}, err
	}
	record, facts, err := r.recordOf(ctx, call)
	seen := action.Facts{Session: facts, Page: pageOf(record)}
	if args, is := call.Args.(*action.RunAllow); is && err == nil {
		seen.Destination = &action.Destination{URL: args.URL, Host: r.RequestableHost(record.ID, args.URL)}
	}
	return seen, action.Pin{Session: record.ID}, err
}

// allowRun adds the host of an address to what a run may open: a person decided
// it.
func (r *Registry) allowRun(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.RunAllow](call)
	if err != nil {
		return action.Result{}, err
	}
	host := r.RequestableHost(call.Session, args.URL)
	if host == "" {
		return action.Result{}, fault.New(fault.BlockedDomain, "no host would let the run go there")
	}
	call.Args = &action.AllowHost{Host: host, For: "page"}
	return r.allow(ctx, call)
}

// planForRun is a session that may open all hosts of a run, and which of them
// nobody has approved: those are for the gate to judge. Private places are
// opened by the configuration, or by an operator; a question cannot. Faults:
// blocked_domain, and those of session.start.
func (r *Registry) planForRun(ctx context.Context, call action.Call) (plan, *action.RunGrant, error) {
	args, err := argsOf[action.RunOpen](call)
	if err != nil {
		return plan{}, nil, err
	}
	grant := &action.RunGrant{Hosts: args.Hosts}
	for _, host := range args.Hosts {
		if !within(*r.network.Load(), fold(host)) {
			grant.Unknown = append(grant.Unknown, host)
		}
	}
	if at := slices.IndexFunc(grant.Unknown, isPrivate); at >= 0 && call.Caller.Role != action.Operator {
		return plan{}, grant, fault.New(fault.BlockedDomain, "%s is no place that a run may ask for", quoted(grant.Unknown[at])).
			Hinted("let an operator add it to security.network.allow_private").With("hosts", grant.Unknown)
	}
	start := call
	start.Args = &action.SessionStart{Name: args.Run, URL: args.URL, Allow: args.Hosts, Effects: args.Effects}
	start.Caller.Role = action.Operator // the hosts are approved, or the gate will not have it done
	p, err := r.planFor(ctx, start)
	p.args.URL, p.run = "", args.Run // its first page is an action of the run
	return p, grant, err
}

// openRun starts the browser of a run.
func (r *Registry) openRun(ctx context.Context, call action.Call) (action.Result, error) {
	p, _, err := r.planForRun(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	l, err := r.reserve(ctx, call, p)
	if err != nil {
		return action.Result{}, err
	}
	if err := r.launch(ctx, call, l, p.shape); err != nil {
		return action.Result{}, err
	}
	record := l.now()
	return action.Result{Session: l.id, Data: &record}, nil
}

// probeRun finds out, by trying, whether what a run needs is there.
func (r *Registry) probeRun(ctx context.Context, call action.Call) (action.Result, error) {
	args, err := argsOf[action.RunProbe](call)
	if err != nil {
		return action.Result{}, err
	}
	l, err := r.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	ctx, leave, err := l.enter(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	defer leave()
	box := l.stage().box
	checks := []action.RunCheck{r.probeBox(ctx, box.Info().ID), probeDisplay(ctx, box), r.probeRules(box.Info().ID, args.URL)}
	return action.Result{Session: l.id, Data: &action.RunChecks{Checks: checks}}, nil
}

// probeBox asks the engine whether a box runs.
func (r *Registry) probeBox(ctx context.Context, id string) action.RunCheck {
	check := action.RunCheck{Name: action.BoxActive, Detail: "the engine does not know the container"}
	ctx, cancel := context.WithTimeout(ctx, proofLimit)
	defer cancel()
	infos, err := r.driver.List(ctx)
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

// probeRules has the door judge the first page of a run, and a host that
// nobody has: no list names it, since .invalid never resolves (RFC 2606).
func (r *Registry) probeRules(box, url string) action.RunCheck {
	canary := "https://canary-" + strings.TrimPrefix(newID(), "s") + ".invalid/"
	first, other := r.door.Judge(box, url), r.door.Judge(box, canary)
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

// endRun ends the browser of a run.
func (r *Registry) endRun(ctx context.Context, call action.Call) (action.Result, error) {
	_, err := r.close(ctx, call)
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
