package artifact_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type fixture struct {
	*artifact.Store
	db  *store.DB
	dir string
}

func openAt(t *testing.T, state string, limits artifact.Limits) fixture {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(state, "state.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r := fixture{db: db, dir: filepath.Join(state, "artifacts")}
	r.Store = reopen(t, r, limits)
	return r
}

func reopen(t *testing.T, r fixture, limits artifact.Limits) *artifact.Store {
	t.Helper()
	s, err := artifact.Open(t.Context(), r.dir, r.db, limits, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

var alice = artifact.Owner{Scope: "alice", Session: "s1"}

func TestASavedArtifactIsLoadedAgain(t *testing.T) {
	r := openAt(t, t.TempDir(), artifact.Limits{})
	a, err := r.Save(t.Context(), alice, "shot.png", "image/png", []byte("pixels"))
	if err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("pixels")))
	if a.Session != "s1" || a.Size != 6 || a.SHA256 != sum || a.MediaType != "image/png" {
		t.Errorf("artifact %+v", a)
	}
	file, err := reopen(t, r, artifact.Limits{}).Load(t.Context(), "alice", a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, file.Artifact); diff != "" || string(file.Bytes) != "pixels" {
		t.Errorf("loaded %q, %s", file.Bytes, diff)
	}
	info, err := os.Stat(filepath.Join(r.dir, a.ID))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAnotherScopesArtifactIsAbsent(t *testing.T) {
	r := openAt(t, t.TempDir(), artifact.Limits{})
	a, err := r.Save(t.Context(), alice, "x", "text/plain", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	_, foreign := r.Load(t.Context(), "bob", a.ID)
	_, bogus := r.Load(t.Context(), "alice", strings.Repeat("0", 32))
	if fault.CodeOf(foreign) != fault.NotFound || foreign.Error() != bogus.Error() {
		t.Errorf("foreign: %v, bogus: %v", foreign, bogus)
	}
	list, err := r.List(t.Context(), artifact.Owner{Scope: "bob", Session: "s1"})
	if err != nil || len(list) != 0 {
		t.Errorf("bob lists %v, %v", list, err)
	}
}

func TestIdsAreNeverPaths(t *testing.T) {
	r := openAt(t, t.TempDir(), artifact.Limits{})
	for _, id := range []string{"", ".", "..", "../state.db", "/etc/passwd", strings.Repeat("A", 32), "x\x00y"} {
		if _, err := r.Load(t.Context(), "alice", id); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestNamesAreMadeHarmless(t *testing.T) {
	r := openAt(t, t.TempDir(), artifact.Limits{})
	tests := []struct{ name, mediaType, wantName, wantType string }{
		{"../../etc/passwd", "text/plain", "_.._etc_passwd", "text/plain"},
		{`a\b"c` + "\r\nX: y", "text/html; charset=utf-8", "a_b_c__X_ y", "text/html; charset=utf-8"},
		{"\u202egpj.exe", "no type\r\n", "_gpj.exe", "application/octet-stream"},
		{"", "", "artifact", "application/octet-stream"},
		{"...", "image/png", "artifact", "image/png"},
		{strings.Repeat("é", 200), "image/png", strings.Repeat("é", 60), "image/png"},
		{"Отчёт 1.pdf", "application/pdf", "Отчёт 1.pdf", "application/pdf"},
		{"bad\xff", "image/png", "bad_", "image/png"},
	}
	for _, tt := range tests {
		a, err := r.Save(t.Context(), alice, tt.name, tt.mediaType, nil)
		if err != nil {
			t.Fatal(err)
		}
		if a.Name != tt.wantName || a.MediaType != tt.wantType {
			t.Errorf("%q became %q of type %q", tt.name, a.Name, a.MediaType)
		}
	}
}

func TestLimitsAreKeptAndPruningFreesSpace(t *testing.T) {
	limits := artifact.Limits{File: 10, Scope: 15, Total: 20}
	r := openAt(t, t.TempDir(), limits)
	save := func(s *artifact.Store, scope string, size int) error {
		_, err := s.Save(t.Context(), artifact.Owner{Scope: scope, Session: "s"}, "x", "image/png", make([]byte, size))
		return err
	}
	steps := []struct {
		scope string
		size  int
		full  bool
	}{{"a", 11, true}, {"a", 10, false}, {"a", 6, true}, {"a", 5, false}, {"b", 6, true}, {"b", 5, false}, {"c", 1, true}}
	for i, step := range steps {
		if err := save(r.Store, step.scope, step.size); (fault.CodeOf(err) == fault.LimitReached) != step.full {
			t.Errorf("step %d: %v", i, err)
		}
	}
	again := reopen(t, r, limits)
	if err := save(again, "c", 1); fault.CodeOf(err) != fault.LimitReached {
		t.Errorf("after reopening: %v", err)
	}
	if n, err := again.Prune(t.Context(), time.Now().Add(time.Hour)); n != 3 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	if err := save(again, "c", 10); err != nil {
		t.Errorf("after pruning: %v", err)
	}
}

func TestPruneRemovesOldArtifactsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := openAt(t, t.TempDir(), artifact.Limits{})
		old, _ := r.Save(t.Context(), alice, "old", "image/png", []byte("1"))
		time.Sleep(48 * time.Hour) // of the bubble's clock
		fresh, _ := r.Save(t.Context(), alice, "fresh", "image/png", []byte("2"))
		if n, err := r.Prune(t.Context(), time.Now().Add(-24*time.Hour)); n != 1 || err != nil {
			t.Fatalf("pruned %d, %v", n, err)
		}
		list, err := r.List(t.Context(), alice)
		if err != nil || len(list) != 1 || list[0].ID != fresh.ID {
			t.Errorf("left %v, %v", list, err)
		}
		if _, err := os.Stat(filepath.Join(r.dir, old.ID)); !os.IsNotExist(err) {
			t.Errorf("the old file: %v", err)
		}
	})
}

func TestOpenRemovesFilesWithoutRowsAndRowsWithoutFiles(t *testing.T) {
	r := openAt(t, t.TempDir(), artifact.Limits{})
	kept, _ := r.Save(t.Context(), alice, "kept", "image/png", []byte("1"))
	lost, _ := r.Save(t.Context(), alice, "lost", "image/png", []byte("2"))
	if err := os.Remove(filepath.Join(r.dir, lost.ID)); err != nil {
		t.Fatal(err)
	}
	orphan, half, foreign := strings.Repeat("a", 32), "new-"+strings.Repeat("b", 32), "notes.txt"
	for _, name := range []string{orphan, half, foreign} {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := reopen(t, r, artifact.Limits{})
	list, err := again.List(t.Context(), alice)
	if err != nil || len(list) != 1 || list[0].ID != kept.ID {
		t.Errorf("listed %v, %v", list, err)
	}
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{kept.ID, foreign}
	if kept.ID > foreign {
		want = []string{foreign, kept.ID}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestAlteredContentIsRefused(t *testing.T) {
	r := openAt(t, t.TempDir(), artifact.Limits{})
	a, _ := r.Save(t.Context(), alice, "x", "image/png", []byte("true"))
	if err := os.WriteFile(filepath.Join(r.dir, a.ID), []byte("fake"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Load(t.Context(), "alice", a.ID); fault.CodeOf(err) != fault.Internal || !strings.Contains(err.Error(), "altered") {
		t.Errorf("error %v", err)
	}
}

func TestAFailedSaveLeavesNothing(t *testing.T) {
	r := openAt(t, t.TempDir(), artifact.Limits{Scope: 8})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the row cannot be stored any more
	if _, err := r.Save(ctx, alice, "x", "image/png", []byte("12345678")); err == nil {
		t.Fatal("saved without a record")
	}
	entries, err := os.ReadDir(r.dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("left %v, %v", entries, err)
	}
	a, err := r.Save(t.Context(), alice, "x", "image/png", []byte("12345678"))
	if err != nil {
		t.Fatalf("the space was not given back: %v", err)
	}
	file, err := r.Load(t.Context(), "alice", a.ID)
	if err != nil || !bytes.Equal(file.Bytes, []byte("12345678")) {
		t.Errorf("loaded %q, %v", file.Bytes, err)
	}
}
