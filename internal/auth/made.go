package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

const (
	maxInScope = 100   // tokens created in one scope
	maxCreated = 1_000 // in all scopes: a request compares all of them in less than 0.1 ms (BenchmarkIdentify)
	idPrefix   = "tok_"

	maxSessionSeconds = 3600 // lifetime of a token for one session, which is part of a URL
)

// prefixes are the beginnings of the tokens of each role, so that a token found
// in a leak shows what it is.
var prefixes = map[action.Role]string{action.Operator: "gbx_op_", action.Agent: "gbx_ag_", action.Viewer: "gbx_vw_"}

// isGatewayOperator reports whether a caller has the token in the file
// operator.token. Its owner can read the database too, so it is the only caller
// that may create and revoke tokens of other scopes.
func isGatewayOperator(c action.Caller) bool {
	return c == action.Caller{Actor: string(action.Operator), Scope: DefaultScope, Role: action.Operator}
}

// scopeOf returns the scope to act on: the named one, or the caller's own if
// named is empty.
func scopeOf(by action.Caller, named string) (string, error) {
	if named == "" || named == by.Scope {
		return by.Scope, nil
	}
	if !isGatewayOperator(by) {
		return "", fault.New(fault.DeniedByPolicy, "the scope is not the caller's own").
			Hinted("leave it out, or call with the operator.token of the gateway's state folder").With("field", "scope")
	}
	return named, nil
}

// Create makes a token, stores its hash and accepts it from now on. Faults:
// invalid_request for the name, denied_by_policy for another scope,
// already_active if the scope has a token with this name, limit_reached,
// not_active if there is no database.
func (b *TokenStore) Create(ctx context.Context, by action.Caller, a action.TokenCreate) (action.TokenMade, error) {
	scope, err := scopeOf(by, a.Scope)
	if err != nil {
		return action.TokenMade{}, err
	}
	if strings.HasPrefix(a.Name, idPrefix) {
		return action.TokenMade{}, fault.New(fault.InvalidRequest, "name would be taken for an id").
			Hinted("choose one that does not begin with %s", idPrefix).With("field", "name")
	}
	if a.Session != "" && (a.ExpiresIn <= 0 || a.ExpiresIn > maxSessionSeconds) {
		return action.TokenMade{}, fault.New(fault.InvalidRequest, "expiresIn of a token for one session must be between 1 and %d", maxSessionSeconds).
			Hinted("make another when it has expired").With("field", "expiresIn")
	}
	text := randid.Secret(prefixes[a.Role])
	k := &known{
		hash: sha256.Sum256([]byte(text)), caller: action.Caller{Actor: a.Name, Scope: scope, Role: a.Role},
		source: Created, session: a.Session, id: randid.New(idPrefix, 8), created: time.Now().UTC().Truncate(time.Second),
	}
	if a.ExpiresIn > 0 {
		k.expires = k.created.Add(time.Duration(a.ExpiresIn) * time.Second)
	}
	k.life, k.revoke = context.WithCancelCause(context.Background())
	if err := b.keep(ctx, k); err != nil {
		return action.TokenMade{}, err
	}
	return action.TokenMade{Token: k.shown(), Secret: text}, nil
}

// keep stores a created token and adds it to the known ones.
func (b *TokenStore) keep(ctx context.Context, k *known) error {
	b.change.Lock()
	defer b.change.Unlock()
	if b.db == nil {
		return fault.New(fault.NotActive, "this gateway keeps no tokens").Hinted("add them to auth.tokens of its configuration")
	}
	b.drop(time.Now())
	if b.clashes(k) {
		return fault.New(fault.AlreadyActive, "the scope has a token of that name").
			Hinted("revoke it first, or choose another name").With("field", "name")
	}
	if b.made("") >= maxCreated || b.made(k.caller.Scope) >= maxInScope {
		return fault.New(fault.LimitReached, "a scope may have %d tokens, and all scopes together %d", maxInScope, maxCreated).
			Hinted("revoke tokens that are not needed any more: glovebox token list")
	}
	if k.session == "" {
		if err := b.insert(ctx, k); err != nil {
			return err
		}
	}
	b.enter(k)
	return nil
}

// drop removes expired tokens for one session. They are not in the database.
func (b *TokenStore) drop(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known = slices.DeleteFunc(b.known, func(k *known) bool { return k.session != "" && k.over(now) })
}

// made counts the created tokens of a scope, or of all scopes if it is empty.
func (b *TokenStore) made(scope string) int {
	n := 0
	for _, k := range b.all() {
		if k.id != "" && (scope == "" || k.caller.Scope == scope) {
			n++
		}
	}
	return n
}

// List returns the tokens of the caller's scope, or of all scopes, sorted by
// scope and name. Faults: denied_by_policy.
func (b *TokenStore) List(_ context.Context, by action.Caller, a action.TokenList) (action.TokenListing, error) {
	if a.All && !isGatewayOperator(by) {
		return action.TokenListing{}, fault.New(fault.DeniedByPolicy, "other scopes are not the caller's to see").
			Hinted("leave all out, or call with the operator.token of the gateway's state folder").With("field", "all")
	}
	list := action.TokenListing{Tokens: []action.Token{}}
	for _, k := range b.all() {
		if a.All || k.caller.Scope == by.Scope {
			list.Tokens = append(list.Tokens, k.shown())
		}
	}
	slices.SortFunc(list.Tokens, func(x, y action.Token) int {
		return cmp.Or(cmp.Compare(x.Scope, y.Scope), cmp.Compare(x.Name, y.Name))
	})
	return list, nil
}

// Revoke removes a created token and closes what is open in its name. After
// Revoke has returned, not even a power failure brings the token back. Faults:
// not_found, also for a token of another scope; denied_by_policy for a token that
// was not created by a call, and, unless forced, for the last operator of its
// scope.
func (b *TokenStore) Revoke(ctx context.Context, by action.Caller, a action.TokenRevoke) (action.TokenRevoked, error) {
	scope, err := scopeOf(by, a.Scope)
	if err != nil {
		return action.TokenRevoked{}, err
	}
	b.change.Lock()
	defer b.change.Unlock()
	k := b.named(by, a.ID, scope)
	if k == nil {
		return action.TokenRevoked{}, fault.New(fault.NotFound, "there is no such token").Hinted("list those there are: glovebox token list")
	}
	if err := b.mayEnd(k, a.Force); err != nil {
		return action.TokenRevoked{}, err
	}
	if err := b.remove(ctx, k); err != nil {
		return action.TokenRevoked{}, err
	}
	b.mu.Lock()
	b.known = slices.DeleteFunc(b.known, func(other *known) bool { return other == k })
	b.mu.Unlock()
	k.revoke(over("the token was revoked"))
	return action.TokenRevoked{OK: true, ID: k.id, Name: k.caller.Actor, Scope: k.caller.Scope}, nil
}

// named returns the token with this id or, if there is none, with this name in
// the scope; nil if the caller may see neither.
func (b *TokenStore) named(by action.Caller, key, scope string) *known {
	var found *known
	for _, k := range b.all() {
		if k.id != "" && k.id == key && (isGatewayOperator(by) || k.caller.Scope == scope) {
			return k
		}
		if k.caller.Actor == key && k.caller.Scope == scope {
			found = k
		}
	}
	return found
}

// mayEnd refuses to revoke a token that is not in the database, and one without
// which its scope has no operator.
func (b *TokenStore) mayEnd(k *known, force bool) error {
	switch k.source {
	case FromFile:
		return fault.New(fault.DeniedByPolicy, "the token is in a file of the gateway's state folder").
			Hinted("delete %s there and start the gateway again: it makes a new one", k.caller.Actor+".token")
	case FromConfig:
		return fault.New(fault.DeniedByPolicy, "the token is in the gateway's configuration").
			Hinted("take it out of auth.tokens and start the gateway again")
	}
	if force || k.caller.Role != action.Operator || k.session != "" || k.over(time.Now()) {
		return nil
	}
	left := slices.ContainsFunc(b.all(), func(other *known) bool {
		return other != k && other.session == "" && other.caller.Role == action.Operator && other.caller.Scope == k.caller.Scope && !other.over(time.Now())
	})
	if left {
		return nil
	}
	return fault.New(fault.DeniedByPolicy, "it is the last operator's token of scope %s", k.caller.Scope).
		Hinted("make another first, or force it: then nobody of that scope can answer questions")
}

func (k *known) shown() action.Token {
	t := action.Token{ID: k.id, Name: k.caller.Actor, Role: k.caller.Role, Scope: k.caller.Scope, Source: string(k.source), Session: k.session}
	t.Created, t.Expires = at(k.created), at(k.expires)
	if minutes := k.used.Load(); minutes > 0 {
		t.Used = at(time.Unix(minutes*60, 0))
	}
	return t
}

// at returns a time for an answer; nil for the zero time.
func at(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Whoami describes the caller of ctx. Faults: unauthenticated.
func (b *TokenStore) Whoami(ctx context.Context, by action.Caller) (action.Whoami, error) {
	i := whole(ctx)
	if i.Caller != by {
		return action.Whoami{}, fmt.Errorf("the caller of the context is not who calls")
	}
	return action.Whoami{
		Actor: by.Actor, Scope: by.Scope, Role: by.Role, Source: string(i.Source), Expires: at(i.Expires), Rate: i.Rate(),
	}, nil
}
