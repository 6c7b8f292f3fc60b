package sight

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func keep(t testing.TB, s *Store, session, id, text string) {
	t.Helper()
	if err := s.Keep(session, action.Sight{CorrelationID: id, Text: text}); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, s *Store, session string) []action.Sight {
	t.Helper()
	all, err := s.Read(session, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTextsAreThereAfterARestartAlsoBehindAnIncompleteLine(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	keep(t, s, "s1", "c1", "a\nb")
	keep(t, s, "s2", "c2", "of another session")
	file, err := os.OpenFile(filepath.Join(dir, "s1"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.WriteString(`{"correlation_id":"c3","te`)
	_ = file.Close()
	s = open(t, dir)
	keep(t, s, "s1", "c4", "last")
	all := read(t, s, "s1")
	if len(all) != 2 || all[0] != (action.Sight{CorrelationID: "c1", Text: "a\nb"}) || all[1].Text != "last" {
		t.Errorf("%+v", all)
	}
	if one, err := s.Read("s1", func(id string) bool { return id == "c4" }); err != nil || len(one) != 1 || one[0].Text != "last" {
		t.Errorf("%+v, %v", one, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "s1")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestTextsAndSessionsHaveLimits(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range mostSession/mostText + 10 {
		keep(t, s, "s1", fmt.Sprint("c", i), strings.Repeat("é", mostText/2)+"more")
	}
	all := read(t, s, "s1")
	if n := len(all); n < mostSession/mostText-2 || n > mostSession/mostText || !all[0].Cut || all[0].Text != strings.Repeat("é", mostText/2) {
		t.Errorf("%d texts, the first has %d bytes", len(all), len(all[0].Text))
	}
	if info, err := os.Stat(filepath.Join(dir, "s1")); err != nil || info.Size() > mostSession {
		t.Errorf("%v, %v", info, err)
	}
}

func TestOnlyIdsOfSessionsNameFiles(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "in"))
	for _, name := range []string{"../out", "", ".", "a/b", strings.Repeat("a", 65)} {
		if s.Keep(name, action.Sight{Text: "x"}) == nil || len(read(t, s, name)) > 0 {
			t.Errorf("%q was taken", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("%v", left)
	}
}

func TestPruneRemovesOldFilesAlone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	keep(t, s, "s1", "c1", "old")
	keep(t, s, "s2", "c2", "new")
	now := time.Now()
	if err := os.Chtimes(filepath.Join(dir, "s1"), now, now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if len(read(t, s, "s1")) != 0 || len(read(t, s, "s2")) != 1 {
		t.Error("not the old file was removed")
	}
}

// BenchmarkKeep keeps a snapshot of 2,000 tokens.
func BenchmarkKeep(b *testing.B) {
	s := open(b, b.TempDir())
	text := strings.Repeat("link \"More information\" [e12]\n", 270)
	i := 0
	for b.Loop() {
		keep(b, s, fmt.Sprint("s", i/1000), "c1", text)
		i++
	}
}
