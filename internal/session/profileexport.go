package session

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// fromVault is the reason for omitting a host from an export.
const fromVault = "its credentials come from the vault, and stay there"

// export returns the login state of a profile. It is read in the session that
// uses the profile, or in one that is started for it and does not change the
// profile. Faults: not_found, those of session.start, and those of the page
// engine.
func (v *profileVerbs) export(ctx context.Context, call action.Call, args *action.ByID) (result action.Result, err error) {
	p, err := v.keeper.profiles.Find(ctx, call.Caller.Scope, args.ID)
	if err != nil {
		return action.Result{}, err
	}
	sess, started, err := v.sessionFor(ctx, call, p)
	if err != nil {
		return action.Result{}, err
	}
	state, err := v.stateIn(ctx, sess, call, p)
	if started {
		v.finishForCall(ctx, sess, call, "its profile was exported", true)
	}
	if err != nil {
		return action.Result{Session: sess.id}, err
	}
	return action.Result{Session: sess.id, Data: &state}, nil
}

// sessionFor returns the open session that uses a profile, or starts one.
func (v *profileVerbs) sessionFor(ctx context.Context, call action.Call, p action.Profile) (sess *openSession, started bool, err error) {
	if user, used := v.sessions.userOf(p.ID); used {
		call.Session = user.ID
		sess, err = v.sessions.admit(ctx, call)
		return sess, false, err
	}
	plan, err := v.planForCall(ctx, call, p, nil)
	if err != nil {
		return nil, false, err
	}
	sess, err = v.startForCall(ctx, call, plan)
	return sess, true, err
}

// planForCall plans a session that a call starts for itself, with a profile.
func (v *profileVerbs) planForCall(ctx context.Context, call action.Call, p action.Profile, allow []string) (plan, error) {
	call.Verb, call.Args = action.VerbSessionStart.Name, &action.SessionStart{Profile: p.ID, Headless: true, Allow: allow}
	made, err := v.plans.plan(ctx, call)
	made.run = call.ID // calls must name it
	return made, err
}

func (v *profileVerbs) startForCall(ctx context.Context, call action.Call, p plan) (*openSession, error) {
	sess, err := v.life.reserve(ctx, call, p)
	if err != nil {
		return nil, err
	}
	return sess, v.life.launch(ctx, call, sess, p.shape)
}

// finishForCall ends a session that a call has started for itself, and waits for it.
func (v *profileVerbs) finishForCall(ctx context.Context, sess *openSession, call action.Call, why string, discard bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), purgeLimit+profileLimit+stopLimit)
	defer cancel()
	tryLater(ctx, v.log, v.life.finish(ctx, sess, ending{state: closed, reason: why, discard: discard, call: call.ID, by: call.Caller.Actor}))
}

// stateIn reads the login state of a session's browser, without credentials of
// the vault.
func (v *profileVerbs) stateIn(ctx context.Context, sess *openSession, call action.Call, p action.Profile) (action.StorageState, error) {
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return action.StorageState{}, err
	}
	defer leave()
	browser, err := sess.openBrowser()
	if err != nil {
		return action.StorageState{}, err
	}
	origins, err := v.keeper.profiles.Origins(ctx, p.ID)
	if err != nil {
		return action.StorageState{}, err
	}
	origins = append(origins, browser.Origins()...)
	slices.Sort(origins)
	state, err := browser.StorageState(ctx, slices.Compact(origins))
	if err != nil {
		return action.StorageState{}, err
	}
	at := sess.snapshot()
	held := append(at.terms.domains(), p.Credentialed...)
	return withheld(state, held), nil
}

// withheld returns a state without the hosts of domains whose credentials come
// from the vault. A cookie without SameSite becomes Lax, as browsers treat it,
// because Playwright requires a value.
func withheld(state action.StorageState, domains []string) action.StorageState {
	out := action.StorageState{Cookies: []action.Cookie{}, Origins: []action.OriginState{}, Left: state.Left}
	for _, c := range state.Cookies {
		if reachesAny(c.Domain, domains) {
			out.Left = action.LeaveOut(out.Left, action.LeftOut{Host: strings.TrimPrefix(c.Domain, "."), Why: fromVault, Cookies: 1})
			continue
		}
		c.SameSite = cmp.Or(c.SameSite, "Lax")
		out.Cookies = append(out.Cookies, c)
	}
	for _, o := range state.Origins {
		if host := hostOfOrigin(o.Origin); reachesAny(host, domains) {
			out.Left = action.LeaveOut(out.Left, action.LeftOut{Host: host, Why: fromVault, LocalStorage: len(o.LocalStorage)})
			continue
		}
		out.Origins = append(out.Origins, o)
	}
	return out
}

// reachesAny reports whether a cookie's domain, or a host, is one of hosts or
// below one, or whether one of hosts also gets the cookie.
func reachesAny(domain string, hosts []string) bool {
	name, wide := strings.CutPrefix(domain, ".")
	return slices.ContainsFunc(hosts, func(h string) bool {
		return credentials.Within(name, h) || wide && credentials.Within(h, name)
	})
}

func hostOfOrigin(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// secretsOf returns the values of a login state that look like secrets.
func secretsOf(cookies []action.Cookie, origins []action.OriginState) (all []credentials.Secret) {
	var set credentials.Set
	for _, c := range cookies {
		set.Cookies = append(set.Cookies, credentials.Cookie{Value: credentials.Keep(c.Value), HTTPOnly: c.HTTPOnly})
	}
	all = redact.Secrets(set)
	for _, o := range origins {
		set = credentials.Set{LocalStorage: map[string]credentials.Secret{}}
		for _, item := range o.LocalStorage {
			set.LocalStorage[item.Name] = credentials.Keep(item.Value)
		}
		all = append(all, redact.Secrets(set)...)
	}
	return all
}

// learnImported makes the login that was imported into a session's profile known
// to the redaction, with its current values, before any call. Faults:
// redaction_failed if the login cannot be read.
func (ca *credentialAccess) learnImported(ctx context.Context, e entry, browser Browser) error {
	hosts := e.terms.Imported
	if len(hosts) == 0 {
		return nil
	}
	origins, err := ca.keeper.profiles.Origins(ctx, e.terms.Profile)
	if err != nil {
		return err
	}
	origins = slices.DeleteFunc(origins, func(o string) bool { return !reachesAny(hostOfOrigin(o), hosts) })
	state, err := browser.StorageState(ctx, origins)
	unread := slices.IndexFunc(state.Left, func(l action.LeftOut) bool { return l.Why == engine.Unshown })
	if err == nil && unread < 0 {
		cookies := slices.DeleteFunc(state.Cookies, func(c action.Cookie) bool { return !reachesAny(c.Domain, hosts) })
		ca.known.Learn(e.ID, secretsOf(cookies, state.Origins)...)
		return nil
	}
	what := "what was imported into the profile could not be read"
	if unread >= 0 {
		what += ": that of " + state.Left[unread].Host
	}
	return fault.New(fault.RedactionFailed, "%s, so that its secrets are not known", what).
		Hinted("start the session again; if this stays so, delete the profile and import anew").Because(err)
}

// savedSince reports whether a profile was saved since a time.
func (v *profileVerbs) savedSince(ctx context.Context, id string, since time.Time) (bool, error) {
	p, err := v.keeper.profiles.ByID(ctx, id)
	return err == nil && p.Saved != nil && !p.Saved.Before(since), err
}
