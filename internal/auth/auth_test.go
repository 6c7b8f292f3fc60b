package auth_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func token(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func TestFirstStartCreatesTwoTokensThatAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	tokenStore, err := auth.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	operator, agent := token(t, dir, auth.OperatorFile), token(t, dir, auth.AgentFile)
	if !strings.HasPrefix(operator, "gbx_op_") || !strings.HasPrefix(agent, "gbx_ag_") {
		t.Errorf("prefixes are wrong")
	}
	for text, want := range map[string]action.Caller{
		operator: {Actor: "operator", Scope: "default", Role: action.Operator},
		agent:    {Actor: "agent", Scope: "default", Role: action.Agent},
	} {
		if got, err := tokenStore.Identify(t.Context(), text); err != nil || got.Caller != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	for _, file := range []string{auth.OperatorFile, auth.AgentFile} {
		info, err := os.Stat(filepath.Join(dir, file))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info.Mode(), err)
		}
	}
	if _, err := auth.Open(dir); err != nil || token(t, dir, auth.AgentFile) != agent {
		t.Errorf("the second start changed the token: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".token-*")); len(left) != 0 {
		t.Errorf("temporary files stay: %v", left)
	}
}

func TestConcurrentStartsUseTheSameToken(t *testing.T) {
	dir := t.TempDir()
	tokenStores := make([]*auth.TokenStore, 8)
	var wg sync.WaitGroup
	for i := range tokenStores {
		wg.Go(func() {
			tokenStore, err := auth.Open(dir)
			if err != nil {
				t.Error(err)
			}
			tokenStores[i] = tokenStore
		})
	}
	wg.Wait()
	text := token(t, dir, auth.AgentFile)
	for i, tokenStore := range tokenStores {
		if tokenStore == nil {
			continue
		}
		if _, err := tokenStore.Identify(t.Context(), text); err != nil {
			t.Errorf("store %d refuses the token in the file", i)
		}
	}
}

func TestInvalidTokenFilesAreRefused(t *testing.T) {
	good := "gbx_ag_" + strings.Repeat("a", 52)
	cases := map[string]func(path string) error{
		"readable by others": func(path string) error { return os.WriteFile(path, []byte(good), 0o644) },
		"empty":              func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"short":              func(path string) error { return os.WriteFile(path, []byte("gbx_ag_abc"), 0o600) },
		"of the other kind":  func(path string) error { return os.WriteFile(path, []byte("gbx_op_"+good[7:]), 0o600) },
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a link": func(path string) error {
			if err := os.WriteFile(path+"2", []byte(good), 0o600); err != nil {
				return err
			}
			return os.Symlink(path+"2", path)
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := prepare(filepath.Join(dir, auth.AgentFile)); err != nil {
				t.Fatal(err)
			}
			if _, err := auth.Open(dir); err == nil {
				t.Error("it was accepted")
			}
		})
	}
}

func TestUnknownAndExpiredTokensGiveTheSameFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokenStore, err := auth.New(
			auth.Entry{Name: "ci", Role: action.Agent, Scope: "team", SHA256: hash("short-lived"), Expires: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tokenStore.Identify(t.Context(), "short-lived"); err != nil || got.Caller.Scope != "team" {
			t.Errorf("before its end: %+v, %v", got, err)
		}
		time.Sleep(time.Hour) // synthetic clock
		var first string
		for _, text := range []string{"short-lived", "unknown", "", strings.Repeat("x", 10_000), hash("short-lived")} {
			who, err := tokenStore.Identify(t.Context(), text)
			if fault.CodeOf(err) != fault.Unauthenticated || who.Caller != (action.Caller{}) {
				t.Fatalf("got %+v, %v", who, err)
			}
			if first == "" {
				first = err.Error()
			}
			if err.Error() != first {
				t.Errorf("refusals differ: %q and %q", first, err)
			}
		}
	})
}

func TestZeroTokenStoreAcceptsNoToken(t *testing.T) {
	var tokenStore auth.TokenStore
	if _, err := tokenStore.Identify(t.Context(), ""); fault.CodeOf(err) != fault.Unauthenticated {
		t.Errorf("got %v", err)
	}
}

func TestNewRefusesInvalidEntries(t *testing.T) {
	good := auth.Entry{Name: "a", Role: action.Agent, Scope: "s", SHA256: hash("t")}
	cases := map[string]func(e *auth.Entry){
		"no name":   func(e *auth.Entry) { e.Name = "" },
		"no scope":  func(e *auth.Entry) { e.Scope = "" },
		"no role":   func(e *auth.Entry) { e.Role = "" },
		"bad role":  func(e *auth.Entry) { e.Role = "root" },
		"no hash":   func(e *auth.Entry) { e.SHA256 = "" },
		"half hash": func(e *auth.Entry) { e.SHA256 = e.SHA256[:32] },
	}
	for name, spoil := range cases {
		e := good
		spoil(&e)
		if _, err := auth.New(e); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	again := good
	again.Name = "b"
	if _, err := auth.New(good, again); err == nil {
		t.Error("two entries with one hash: accepted")
	}
	again.Name, again.SHA256 = "a", hash("u")
	if _, err := auth.New(good, again); err == nil {
		t.Error("two entries with one name: accepted")
	}
}

func TestContextsCarryTheCaller(t *testing.T) {
	if _, found := auth.From(context.Background()); found {
		t.Error("an empty context has a caller")
	}
	want := action.Caller{Actor: "x", Scope: "s", Role: action.Viewer}
	if got, found := auth.From(auth.With(context.Background(), want)); !found || got != want {
		t.Errorf("got %+v", got)
	}
}
