package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// plan is a checked request for a session.
type plan struct {
	args        action.SessionStart
	provider    string
	shape       shape
	network     action.Network
	domains     []string            // domains whose credentials it asks for
	sending     action.Sending      // how requests that may change something are treated
	destination *action.Destination // where to go first
	run         string              // id of the run it is for, if it is for one
}

// planner checks requests for sessions before anything is started.
type planner struct {
	config   Config
	networks *networks
	keeper   *profileKeeper
}

// plan checks a request as far as it can without starting anything.
func (pl *planner) plan(ctx context.Context, call action.Call) (plan, error) {
	args, err := argsOf[action.SessionStart](call)
	if err != nil {
		return plan{}, err
	}
	p := plan{args: *args, shape: pl.shapeOf(*args)}
	if p.provider, err = pl.providerOf(args.Provider); err != nil {
		return plan{}, err
	}
	if !pl.config.Enabled {
		return plan{}, fault.New(fault.BrowserDisabled, "browsers are switched off by browser.enabled").
			Hinted("do not retry; an operator can set browser.enabled to true")
	}
	if idPattern.MatchString(args.Name) {
		return plan{}, fault.New(fault.InvalidRequest, "name: %s looks like a session id", untrusted.Quoted(args.Name)).
			Hinted("choose another name")
	}
	if p.shape.profile, err = pl.keeper.idOf(ctx, call.Caller.Scope, args.Profile); err != nil {
		return plan{}, err
	}
	if err := pl.checkIdle(args.Timeout); err != nil {
		return plan{}, err
	}
	if p.network, err = narrowedNetwork(*pl.networks.network.Load(), call.Caller, args.Allow); err != nil {
		return plan{}, err
	}
	if p.network.Proxy, err = pl.proxyOf(call.Caller, args.Proxy); err != nil {
		return plan{}, err
	}
	if p.sending, err = pl.sendingOf(call.Caller, args.Effects); err != nil {
		return plan{}, err
	}
	if p.domains, err = pl.networks.domains(call.Caller, p.network, args.Credentials); err != nil {
		return plan{}, err
	}
	p.destination, err = pl.networks.try(p.network, args.URL)
	return p, err
}

// planForRun plans a session that may open all hosts of a run, and returns which of
// them nobody has approved: the gate judges those. Private addresses are allowed by
// the configuration or by an operator only, never by an answer to a question. Faults:
// blocked_domain, and those of session.start.
func (pl *planner) planForRun(ctx context.Context, call action.Call) (plan, *action.RunGrant, error) {
	args, err := argsOf[action.RunOpen](call)
	if err != nil {
		return plan{}, nil, err
	}
	grant := &action.RunGrant{Hosts: args.Hosts}
	for _, host := range args.Hosts {
		if !allows(*pl.networks.network.Load(), normalizeHost(host)) {
			grant.Unknown = append(grant.Unknown, host)
		}
	}
	if at := slices.IndexFunc(grant.Unknown, isPrivate); at >= 0 && call.Caller.Role != action.Operator {
		return plan{}, grant, fault.New(fault.BlockedDomain, "%s is no place that a run may ask for", untrusted.Quoted(grant.Unknown[at])).
			Hinted("let an operator add it to security.network.allow_private").With("hosts", grant.Unknown)
	}
	start := call
	start.Args = &action.SessionStart{Name: args.Run, URL: args.URL, Allow: args.Hosts, Effects: args.Effects}
	start.Caller.Role = action.Operator // the hosts are approved, or the gate refuses the call
	p, err := pl.plan(ctx, start)
	p.args.URL, p.run = "", args.Run // its first page is an action of the run
	return p, grant, err
}

func (pl *planner) providerOf(asked string) (string, error) {
	if asked == "" {
		asked = pl.config.Provider
	}
	switch asked {
	case providerSandbox:
		return asked, nil
	case "kernel":
		return "", fault.New(fault.ProviderNotSupported, "provider kernel is not supported yet").
			Hinted("use provider sandbox")
	default:
		return "", fault.New(fault.InvalidProvider, "%s is no provider", untrusted.Quoted(asked)).Hinted("use provider sandbox")
	}
}

// sendingOf is how a session treats requests that may change something. An agent
// can choose only what is at least as strict as the configuration. Faults: invalid_request,
// denied_by_policy.
func (pl *planner) sendingOf(caller action.Caller, asked string) (action.Sending, error) {
	configured := cmp.Or(pl.config.Sending, action.SendAsked)
	strictness := map[action.Sending]int{action.SendNone: 2, action.SendAsked: 1, action.SendFree: 0}
	wanted := cmp.Or(action.Sending(asked), configured)
	if caller.Role != action.Operator && strictness[wanted] < strictness[configured] {
		return "", fault.New(fault.DeniedByPolicy, "sessions of agents treat effects as %s, or stricter", configured).
			Hinted("leave effects out; an operator can set security.effects.default").With("field", "effects")
	}
	return wanted, nil
}

// leastIdle is the shortest time without a call that a session may ask for.
const leastIdle = 5 * time.Second

// checkIdle refuses a time without a call, in milliseconds, that is longer than
// the configuration's or shorter than an agent needs between two calls.
func (pl *planner) checkIdle(ms int) error {
	most, asked := pl.config.IdleTimeout, time.Duration(ms)*time.Millisecond
	switch {
	case ms == 0:
		return nil
	case most > 0 && asked > most:
		return fault.New(fault.InvalidRequest, "timeout is longer than the gateway lets a session be idle, %s", most).
			Hinted("ask for at most %d ms, or leave it out; an operator can raise security.session_timeout", most.Milliseconds()).With("field", "timeout").With("max", most.Milliseconds())
	case asked < leastIdle:
		return fault.New(fault.InvalidRequest, "timeout is too short: a session needs %s between two calls", leastIdle).
			Hinted("ask for at least %d ms", leastIdle.Milliseconds()).With("field", "timeout")
	}
	return nil
}

func (pl *planner) shapeOf(args action.SessionStart) shape {
	device := action.Devices[args.Emulate.Value().Device]
	return shape{
		width: cmp.Or(args.Width, device.Width, pl.config.Width), height: cmp.Or(args.Height, device.Height, pl.config.Height),
		dpi: cmp.Or(args.DPI, device.DPI, pl.config.DPI), headless: args.Headless,
	}
}

// proxyOf is the name of the upstream proxy that a session uses: the one that is
// asked for, or else the first of its scope, or else the gateway's, for which it is
// empty. A proxy of another scope is unknown. Where a scope has proxies of its own,
// its agents use these only. Faults: invalid_request.
func (pl *planner) proxyOf(caller action.Caller, asked string) (string, error) {
	var own, everyones []string
	for _, p := range pl.config.Proxies {
		switch {
		case slices.Contains(p.Scopes, caller.Scope):
			own = append(own, p.Name)
		case len(p.Scopes) == 0:
			everyones = append(everyones, p.Name)
		}
	}
	if asked == "" {
		return append(own, "")[0], nil
	}
	offered := own
	if len(own) == 0 || caller.Role == action.Operator {
		offered = slices.Concat(own, everyones, []string{action.DefaultProxy})
	}
	if caller.Role == action.Operator {
		offered = append(offered, action.DirectProxy)
	}
	switch {
	case !slices.Contains(offered, asked):
		return "", fault.New(fault.InvalidRequest, "there is no upstream proxy %s for this session", untrusted.Quoted(asked)).
			Hinted("leave proxy out, or name one of %s", strings.Join(offered, ", ")).With("field", "proxy").With("proxies", offered)
	case asked == action.DefaultProxy:
		return "", nil
	}
	return asked, nil
}
