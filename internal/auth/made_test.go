package auth_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	gatewayOperator = action.Caller{Actor: "operator", Scope: "default", Role: action.Operator} // of the file operator.token
	ann             = action.Caller{Actor: "ann", Scope: "team", Role: action.Operator}
)

// kept is a token store with a database in a state directory. It is closed at the
// end of the test.
func kept(t *testing.T, dir string, entries ...auth.Entry) *auth.TokenStore {
	t.Helper()
	tokenStore, err := auth.Open(dir, entries...)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(dir, "glovebox.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := tokenStore.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tokenStore.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return tokenStore
}

func create(t *testing.T, tokenStore *auth.TokenStore, by action.Caller, a action.TokenCreate) action.TokenMade {
	t.Helper()
	made, err := tokenStore.Create(t.Context(), by, a)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestACreatedTokenIsAcceptedAtOnceAndAfterARestart(t *testing.T) {
	dir := t.TempDir()
	tokenStore := kept(t, dir)
	made := create(t, tokenStore, gatewayOperator, action.TokenCreate{Name: "ci", Role: action.Viewer, Scope: "team", ExpiresIn: 3600})
	if !strings.HasPrefix(made.Secret, "gbx_vw_") || len(made.Secret) != 59 || made.Expires == nil || made.Source != "created" {
		t.Errorf("made %+v", made.Token)
	}
	want := action.Caller{Actor: "ci", Scope: "team", Role: action.Viewer}
	for range 2 {
		who, err := tokenStore.Identify(t.Context(), made.Secret)
		if err != nil || who.Caller != want || !who.Expires.Equal(*made.Expires) || who.Source != auth.Created {
			t.Errorf("got %+v, %v", who, err)
		}
		tokenStore = kept(t, dir)
	}
	if _, err := tokenStore.Revoke(t.Context(), gatewayOperator, action.TokenRevoke{ID: "ci", Scope: "team"}); err != nil {
		t.Fatal(err)
	}
	if _, err := kept(t, dir).Identify(t.Context(), made.Secret); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("the revoked token: %v", err)
	}
}

func TestNoFileContainsACreatedToken(t *testing.T) {
	dir := t.TempDir()
	made := create(t, kept(t, dir), gatewayOperator, action.TokenCreate{Name: "ci", Role: action.Agent})
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%v %v", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(made.Secret[7:])) {
			t.Errorf("%s holds the token", file)
		}
	}
}

func TestRevokingATokenEndsItsContexts(t *testing.T) {
	tokenStore := kept(t, t.TempDir())
	made := create(t, tokenStore, gatewayOperator, action.TokenCreate{Name: "ci", Role: action.Agent})
	other := create(t, tokenStore, gatewayOperator, action.TokenCreate{Name: "other", Role: action.Agent})
	contexts := map[string]context.Context{}
	for _, text := range []string{made.Secret, other.Secret} {
		who, err := tokenStore.Identify(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		bound, release := who.Bind(t.Context())
		defer release()
		contexts[who.Caller.Actor] = bound
	}
	if caller, _ := auth.From(contexts["ci"]); caller.Actor != "ci" {
		t.Errorf("the context carries %+v", caller)
	}
	late, err := tokenStore.Identify(t.Context(), made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokenStore.Revoke(t.Context(), gatewayOperator, action.TokenRevoke{ID: made.ID}); err != nil {
		t.Fatal(err)
	}
	<-contexts["ci"].Done()
	if cause := context.Cause(contexts["ci"]); fault.CodeOf(cause) != fault.Unauthenticated {
		t.Errorf("it ended by %v", cause)
	}
	if contexts["other"].Err() != nil {
		t.Error("the context of the other token ended too")
	}
	bound, release := late.Bind(t.Context()) // of a request that was accepted before
	defer release()
	<-bound.Done()
}

func TestContextsEndWhenTheirTokenExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokenStore, err := auth.New(auth.Entry{Name: "a", Role: action.Agent, Scope: "s", SHA256: hash("t"), Expires: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		who, err := tokenStore.Identify(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		bound, release := who.Bind(t.Context())
		defer release()
		time.Sleep(time.Hour - time.Second) // synthetic clock
		synctest.Wait()
		if bound.Err() != nil {
			t.Error("the context ended early")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if cause := context.Cause(bound); fault.CodeOf(cause) != fault.Unauthenticated {
			t.Errorf("it ended by %v", cause)
		}
	})
}

func TestOnlyTheGatewaysOperatorManagesTokensOfOtherScopes(t *testing.T) {
	tokenStore := kept(t, t.TempDir())
	theirs := create(t, tokenStore, gatewayOperator, action.TokenCreate{Name: "ci", Role: action.Agent, Scope: "other"})
	stray := action.Caller{Actor: "ann", Scope: "default", Role: action.Operator} // an operator, but not the gateway's own
	for _, by := range []action.Caller{ann, stray} {
		_, err := tokenStore.Create(t.Context(), by, action.TokenCreate{Name: "x", Role: action.Agent, Scope: "other"})
		if fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("made: %v", err)
		}
		_, err = tokenStore.List(t.Context(), by, action.TokenList{All: true})
		if fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("listed: %v", err)
		}
		_, err = tokenStore.Revoke(t.Context(), by, action.TokenRevoke{ID: "ci", Scope: "other"})
		if fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("revoked by name: %v", err)
		}
		for _, key := range []string{theirs.ID, "ci"} {
			if _, err := tokenStore.Revoke(t.Context(), by, action.TokenRevoke{ID: key}); fault.CodeOf(err) != fault.NotFound {
				t.Errorf("revoked %s: %v", key, err)
			}
		}
		got, err := tokenStore.List(t.Context(), by, action.TokenList{})
		for _, token := range got.Tokens {
			if err != nil || token.Scope != by.Scope {
				t.Errorf("%s sees %+v, %v", by.Scope, token, err)
			}
		}
	}
	if all, err := tokenStore.List(t.Context(), gatewayOperator, action.TokenList{All: true}); err != nil || len(all.Tokens) != 3 {
		t.Errorf("the gateway's operator sees %+v, %v", all, err)
	}
	if _, err := tokenStore.Revoke(t.Context(), gatewayOperator, action.TokenRevoke{ID: theirs.ID}); err != nil {
		t.Error(err)
	}
}

func TestTheLastOperatorIsRevokedOnlyByForce(t *testing.T) {
	tokenStore := kept(t, t.TempDir())
	create(t, tokenStore, gatewayOperator, action.TokenCreate{Name: "ann", Role: action.Operator, Scope: "team"})
	create(t, tokenStore, gatewayOperator, action.TokenCreate{Name: "bot", Role: action.Agent, Scope: "team"})
	create(t, tokenStore, ann, action.TokenCreate{Name: "bob", Role: action.Operator})
	if _, err := tokenStore.Revoke(t.Context(), ann, action.TokenRevoke{ID: "bob"}); err != nil {
		t.Errorf("one of two: %v", err)
	}
	for _, by := range []action.Caller{ann, gatewayOperator} {
		_, err := tokenStore.Revoke(t.Context(), by, action.TokenRevoke{ID: "ann", Scope: "team"})
		if fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Errorf("the last one: %v", err)
		}
	}
	if _, err := tokenStore.Revoke(t.Context(), ann, action.TokenRevoke{ID: "ann", Force: true}); err != nil {
		t.Errorf("forced: %v", err)
	}
	if _, err := tokenStore.Revoke(t.Context(), gatewayOperator, action.TokenRevoke{ID: "bot", Scope: "team"}); err != nil {
		t.Errorf("an agent's: %v", err)
	}
}

func TestTokensOfFilesAndConfigurationCannotBeRevoked(t *testing.T) {
	tokenStore := kept(t, t.TempDir(), auth.Entry{Name: "ci", Role: action.Agent, Scope: "default", SHA256: hash("t")})
	for _, name := range []string{"operator", "agent", "ci"} {
		_, err := tokenStore.Revoke(t.Context(), gatewayOperator, action.TokenRevoke{ID: name, Force: true})
		if fault.CodeOf(err) != fault.DeniedByPolicy || fault.From(err).Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		_, err = tokenStore.Create(t.Context(), gatewayOperator, action.TokenCreate{Name: name, Role: action.Agent})
		if fault.CodeOf(err) != fault.AlreadyActive {
			t.Errorf("%s made again: %v", name, err)
		}
	}
}

func TestKeepRefusesANameThatTheConfigurationHasToo(t *testing.T) {
	dir := t.TempDir()
	create(t, kept(t, dir), gatewayOperator, action.TokenCreate{Name: "ci", Role: action.Agent})
	tokenStore, err := auth.Open(dir, auth.Entry{Name: "ci", Role: action.Agent, Scope: "default", SHA256: hash("t")})
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(dir, "glovebox.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := tokenStore.Keep(t.Context(), db); fault.CodeOf(err) != fault.StartFailed || !strings.Contains(fault.From(err).Hint, "token revoke tok_") {
		t.Errorf("got %v", err)
	}
}

func TestAScopeHasAtMostAHundredTokens(t *testing.T) {
	tokenStore := kept(t, t.TempDir())
	var wg sync.WaitGroup
	faults := make(chan error, 110)
	for i := range 110 {
		wg.Go(func() {
			_, err := tokenStore.Create(context.Background(), ann, action.TokenCreate{Name: fmt.Sprintf("t%d", i), Role: action.Agent})
			faults <- err
		})
	}
	wg.Wait()
	close(faults)
	made := 0
	for err := range faults {
		switch fault.CodeOf(err) {
		case "":
			made++
		case fault.LimitReached:
		default:
			t.Error(err)
		}
	}
	if made != 100 {
		t.Errorf("%d were made", made)
	}
	create(t, tokenStore, gatewayOperator, action.TokenCreate{Name: "one", Role: action.Agent})
}

func TestTheTimeOfUseIsStoredToTheMinute(t *testing.T) {
	dir := t.TempDir()
	tokenStore := kept(t, dir)
	made := create(t, tokenStore, ann, action.TokenCreate{Name: "ci", Role: action.Agent})
	before := time.Now().Truncate(time.Minute)
	if _, err := tokenStore.Identify(t.Context(), made.Secret); err != nil {
		t.Fatal(err)
	}
	if err := tokenStore.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := kept(t, dir).List(t.Context(), ann, action.TokenList{})
	if err != nil || len(list.Tokens) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	used := list.Tokens[0].Used
	if used == nil || used.Before(before) || used.After(time.Now()) || !used.Equal(used.Truncate(time.Minute)) {
		t.Errorf("used %v", used)
	}
}

func TestWhoamiDescribesTheToken(t *testing.T) {
	tokenStore := kept(t, t.TempDir())
	tokenStore.LimitRate(auth.Rate{PerSecond: 50, Burst: 200})
	made := create(t, tokenStore, ann, action.TokenCreate{Name: "ci", Role: action.Agent, ExpiresIn: 60})
	who, err := tokenStore.Identify(t.Context(), made.Secret)
	if err != nil {
		t.Fatal(err)
	}
	ctx, release := who.Bind(t.Context())
	defer release()
	me, err := tokenStore.Whoami(ctx, who.Caller)
	if err != nil || me.Actor != "ci" || me.Scope != "team" || me.Role != action.Agent || me.Source != "created" ||
		me.Expires == nil || !me.Expires.Equal(*made.Expires) || me.Rate == nil || *me.Rate != (action.Rate{PerSecond: 50, Burst: 200}) {
		t.Errorf("%+v %v", me, err)
	}
	if _, err := tokenStore.Whoami(ctx, ann); err == nil {
		t.Error("the context of another caller was accepted")
	}
}

func TestEachTokenHasItsOwnRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokenStore, err := auth.New(
			auth.Entry{Name: "a", Role: action.Agent, Scope: "s", SHA256: hash("a")},
			auth.Entry{Name: "b", Role: action.Agent, Scope: "s", SHA256: hash("b")})
		if err != nil {
			t.Fatal(err)
		}
		tokenStore.LimitRate(auth.Rate{PerSecond: 2, Burst: 3})
		take := func(token string) (time.Duration, bool) {
			who, err := tokenStore.Identify(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			return who.Take()
		}
		for i := range 3 {
			if wait, ok := take("a"); !ok || wait != 0 {
				t.Errorf("request %d waits %v", i, wait)
			}
		}
		for range 5 { // refused requests do not count
			if wait, ok := take("a"); ok || wait != 500*time.Millisecond {
				t.Errorf("waits %v, %t", wait, ok)
			}
		}
		if _, ok := take("b"); !ok {
			t.Error("the other token is limited too")
		}
		time.Sleep(500 * time.Millisecond) // synthetic clock
		if _, ok := take("a"); !ok {
			t.Error("it is still limited")
		}
	})
}

func TestRateLimitersUseBoundedMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := auth.RateLimiters[int]{Rate: auth.Rate{PerSecond: 1, Burst: 1}}
		for key := range 10_000 {
			if _, ok := p.Take(key); !ok {
				t.Fatalf("key %d is limited", key)
			}
		}
		for i, want := range []bool{true, false, false} { // further keys share one limiter
			if _, ok := p.Take(20_000 + i); ok != want {
				t.Errorf("further key %d: %t", i, ok)
			}
		}
		if _, ok := p.Take(5); ok {
			t.Error("a key that was there before has lost its count")
		}
		time.Sleep(time.Second) // synthetic clock
		for key := range 3 {
			if _, ok := p.Take(30_000 + key); !ok {
				t.Errorf("key %d has no limiter of its own", key)
			}
		}
	})
}

func TestATokenForOneSessionIsShortLivedAndNotStored(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tokenStore := &auth.TokenStore{}
	if err := tokenStore.Keep(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	defer tokenStore.Close(context.Background())
	ask := action.TokenCreate{Name: "cdp-1", Role: action.Operator, Session: "s0123456789abcdef"}
	for _, seconds := range []int{0, 3601} {
		ask.ExpiresIn = seconds
		if _, err := tokenStore.Create(t.Context(), ann, ask); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%d s: %v", seconds, err)
		}
	}
	ask.ExpiresIn = 600
	made := create(t, tokenStore, ann, ask)
	who, err := tokenStore.Identify(t.Context(), made.Secret)
	if err != nil || who.Session != ask.Session || who.Expires.IsZero() || made.Session != ask.Session {
		t.Errorf("%v: %+v, %+v", err, who, made)
	}
	var rows int
	if err := db.Reader.QueryRow(`SELECT count(*) FROM tokens`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d tokens are stored, %v", rows, err)
	}
	if _, err := tokenStore.Revoke(t.Context(), ann, action.TokenRevoke{ID: made.ID}); err != nil {
		t.Error(err)
	}
	if _, err := tokenStore.Identify(t.Context(), made.Secret); err == nil {
		t.Error("the revoked token is accepted")
	}
}
