package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/storagestate"
)

// maxImported is how many cookies one import accepts. Each may be a secret, which
// the redaction searches in every answer of the profile's sessions.
const maxImported = 1000

// importPlan is what an import puts into a browser.
type importPlan struct {
	cookies []action.NewCookie
	origins []action.OriginState
	hosts   []string // of cookies and origins, sorted
}

// importLogin puts the login state of a file into an unused profile. It omits
// hosts that the caller's sessions may not open. If anything fails, nothing is
// imported. Faults: invalid_request with the place of a bad entry, not_found,
// already_active, blocked_domain if nothing remains, those of session.start, and
// those of the page engine.
func (v *profileVerbs) importLogin(ctx context.Context, call action.Call, args *action.ProfileImport) (action.Result, error) {
	p, err := v.unused(ctx, call.Caller.Scope, args.ID)
	if err != nil {
		return action.Result{}, err
	}
	state, err := storagestate.Parse(args.Format, args.File, time.Now())
	if err != nil {
		return action.Result{}, err
	}
	plan, err := v.planForCall(ctx, call, p, args.Allow)
	if err != nil {
		return action.Result{}, err
	}
	take, err := v.takeFrom(&state, plan.network)
	if err != nil {
		return action.Result{}, err
	}
	session, err := v.importWith(ctx, call, plan, p, take)
	if err != nil {
		return action.Result{Session: session}, err
	}
	done := &action.ProfileImported{OK: true, ID: p.ID, Format: state.Format, Cookies: len(take.cookies), Hosts: take.hosts, Left: state.Left}
	done.Origins = len(take.origins)
	for _, o := range take.origins {
		done.LocalStorage += len(o.LocalStorage)
	}
	return action.Result{Session: session, Data: done}, nil
}

// takeFrom selects what is for hosts that a network allows. Everything is
// validated first.
func (v *profileVerbs) takeFrom(state *storagestate.State, n action.Network) (importPlan, error) {
	hosts := make([]string, len(state.Cookies))
	for i, c := range state.Cookies {
		var err error
		if hosts[i], err = engine.CheckCookie(c.NewCookie, c.Place); err != nil {
			return importPlan{}, err
		}
	}
	key := "probe-" + newID()
	if err := v.networks.egress.Open(key, n); err != nil {
		return importPlan{}, err
	}
	defer v.networks.egress.Close(key)
	judged := map[string]action.Destination{}
	opens := func(host string) bool {
		if _, known := judged[host]; !known {
			judged[host] = v.networks.opens(key, n, host)
		}
		return judged[host].Allowed
	}
	var take importPlan
	all := map[string]bool{}
	for i, c := range state.Cookies {
		if !opens(hosts[i]) {
			state.Left = action.LeaveOut(state.Left, action.LeftOut{Host: hosts[i], Why: notOpened, Cookies: 1})
			continue
		}
		take.cookies, all[hosts[i]] = append(take.cookies, c.NewCookie), true
	}
	for _, o := range state.Origins {
		host := hostOfOrigin(o.Origin)
		if !opens(host) {
			state.Left = action.LeaveOut(state.Left, action.LeftOut{Host: host, Why: notOpened, LocalStorage: len(o.LocalStorage)})
			continue
		}
		take.origins, all[host] = append(take.origins, o.OriginState), true
	}
	take.hosts = slices.Sorted(maps.Keys(all))
	return take, take.check(state.Left)
}

const notOpened = "a session may not open it"

func (t importPlan) check(left []action.LeftOut) error {
	switch {
	case len(t.cookies) > maxImported:
		return fault.New(fault.LimitReached, "the file has %d cookies of hosts that may be opened, and one import takes %d", len(t.cookies), maxImported).
			Hinted("name the hosts to take with allow (--allow)").With("max", maxImported)
	case len(t.hosts) > 0:
		return nil
	}
	var hosts []string
	for _, l := range left {
		if l.Why == notOpened && !slices.Contains(hosts, l.Host) {
			hosts = append(hosts, l.Host)
		}
	}
	if len(hosts) == 0 {
		return fault.New(fault.InvalidRequest, "nothing in the file can be imported: %s", reasons(left)).
			Hinted("log in again where the file was made, and export anew").With("field", "file")
	}
	shown := strings.Join(hosts[:min(len(hosts), maxOthers)], ", ")
	return fault.New(fault.BlockedDomain, "nothing was imported: the file is for hosts that a session may not open: %s", shown).
		Hinted("name the hosts with allow (--allow), or add them to %s", navigationKey).With("hosts", hosts)
}

// reasons returns the reasons for which entries were omitted, in order.
func reasons(left []action.LeftOut) string {
	all := map[string]bool{}
	for _, l := range left {
		all[l.Why] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(all)), "; ")
}

// importWith imports through a session that it starts. If it fails, the profile
// is not changed.
func (v *profileVerbs) importWith(ctx context.Context, call action.Call, plan plan, p action.Profile, take importPlan) (session string, err error) {
	sess, err := v.startForCall(ctx, call, plan)
	if err != nil {
		return "", err
	}
	began := time.Now()
	err = v.restoreIn(ctx, sess, call, p, take)
	why := "a login was imported into its profile"
	if err != nil {
		why = "nothing was imported into its profile"
	}
	v.finishForCall(ctx, sess, call, why, err != nil)
	late := context.WithoutCancel(ctx)
	if err == nil {
		saved, unknown := v.savedSince(late, p.ID, began)
		if unknown != nil {
			return sess.id, unknown
		}
		if !saved {
			err = fault.New(fault.StartFailed, "the browser's profile was not saved: nothing was imported").
				Hinted("try again; the record of session %s says why", sess.id)
		}
	}
	if err != nil {
		tryLater(late, v.log, v.keeper.profiles.Imports(late, p.ID, p.Imported))
	}
	return sess.id, err
}

// restoreIn puts the login into the session's browser. Before that, it stores
// that the profile has it, and makes the secrets known to the redaction.
func (v *profileVerbs) restoreIn(ctx context.Context, sess *openSession, call action.Call, p action.Profile, take importPlan) error {
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return err
	}
	defer leave()
	browser, err := sess.openBrowser()
	if err != nil {
		return err
	}
	hosts := slices.Concat(p.Imported, take.hosts)
	slices.Sort(hosts)
	hosts = slices.Compact(hosts)
	if err := v.keeper.profiles.Imports(ctx, p.ID, hosts); err != nil {
		return err
	}
	v.creds.known.Learn(sess.id, take.secrets()...)
	if err := v.saver.changeTerms(ctx, sess, func(t *terms) { t.Imported = hosts }); err != nil {
		return err
	}
	if err := sess.markCredentialed(ctx); err != nil {
		return err
	}
	if err := browser.Restore(ctx, take.cookies, take.origins); err != nil {
		return err
	}
	origins := make([]string, len(take.origins))
	for i, o := range take.origins {
		origins[i] = o.Origin
	}
	return v.keeper.profiles.Visited(ctx, p.ID, origins)
}

// secrets returns the values that look like secrets.
func (t importPlan) secrets() []credentials.Secret {
	cookies := make([]action.Cookie, len(t.cookies))
	for i, c := range t.cookies {
		cookies[i] = action.Cookie{Value: *c.Value, HTTPOnly: c.HTTPOnly}
	}
	return secretsOf(cookies, t.origins)
}
