package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// sealed is an audit trail with a folder of checkpoints.
type sealed struct {
	*audit.Log
	db     *store.DB
	file   string // of the trail
	folder string // of the checkpoints
	key    ed25519.PrivateKey
}

func (s sealed) public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

func (s sealed) points() string { return filepath.Join(s.folder, audit.FileName(s.public())) }

func newSealed(t testing.TB, change ...func(*audit.Options)) sealed {
	t.Helper()
	dir := t.TempDir()
	s := sealed{file: filepath.Join(dir, "state.db"), folder: filepath.Join(dir, "second"), key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))}
	var err error
	if s.db, err = store.Open(t.Context(), s.file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	s.open(t, change...)
	return s
}

func (s *sealed) open(t testing.TB, change ...func(*audit.Options)) {
	t.Helper()
	o := audit.Options{DB: s.db, Log: slog.New(slog.DiscardHandler), Signing: audit.Signing{Key: s.key, Folder: s.folder}}
	for _, c := range change {
		c(&o)
	}
	var err error
	if s.Log, err = audit.Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
}

func (s sealed) sign(t testing.TB) {
	t.Helper()
	if err := s.Sign(); err != nil {
		t.Fatal(err)
	}
}

// inspect verifies without the gateway.
func (s sealed) inspect(t testing.TB) action.AuditVerdict {
	t.Helper()
	v, err := audit.InspectOpen(t.Context(), s.db.Reader, s.folder, s.public())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestARunningGatewayFindsTheSameProblems(t *testing.T) {
	s := newSealed(t)
	fill(t, s.Log, 2)
	s.sign(t)
	if v := verify(t, s.Log); !v.OK || v.Checkpoints != 1 || v.Signed != 4 {
		t.Fatalf("a good trail: %+v", v)
	}
	line := s.lines(t)[0]
	s.write(t, "")
	if v := verify(t, s.Log); v.OK || !strings.Contains(v.Problem, "checkpoint of record 4 is missing") {
		t.Errorf("without checkpoints: %+v", v)
	}
	s.write(t, line+"\n")
	tamper(t, s.db)
	rewrite(t, s.db.Writer, 1, func(r string) string { return strings.Replace(r, "acme", "acma", 1) })
	s.exec(t, `UPDATE audit SET scope = 'acma' WHERE seq = 1`)
	if v := verify(t, s.Log); v.OK {
		t.Errorf("rewritten: %+v", v)
	}
}

func TestTheTrailIsSignedAfterEnoughRecordsOrTime(t *testing.T) {
	s := newSealed(t)
	fill(t, s.Log, 49)
	if _, err := os.Stat(s.points()); err == nil {
		t.Error("98 records were signed at once")
	}
	fill(t, s.Log, 1)
	eventually(t, func() bool { return s.inspect(t).Signed == 100 })
	s.Record(action.Record{EventType: action.EventSession, Result: "open"})
	s.Record(action.Record{EventType: action.EventSession, Result: "closed"})
	eventually(t, func() bool { return s.inspect(t).Signed == 102 })
	s.Close()
	if n := len(s.lines(t)); n != 2 {
		t.Errorf("%d checkpoints, though nothing was new when it closed", n)
	}
}

// eventually waits for the effect of another goroutine.
func eventually(t testing.TB, done func() bool) {
	t.Helper()
	testwait.For(t, "the effect of another goroutine", done)
}

func TestACheckpointThatWasNotWrittenIsWrittenAtTheNextStart(t *testing.T) {
	for name, left := range map[string]func(lines []string) string{
		"the whole line": func(l []string) string { return l[0] },
		"a part of it":   func(l []string) string { return l[0] + l[1][:40] },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSealed(t)
			fill(t, s.Log, 1)
			s.sign(t)
			fill(t, s.Log, 1)
			s.Close()
			all := s.lines(t)
			s.write(t, left(all))
			if v := s.inspect(t); v.OK {
				t.Fatalf("before the start: %+v", v)
			}
			s.open(t)
			eventually(t, func() bool { return s.inspect(t).OK })
			if got := s.lines(t); !slices.Equal(got, all) {
				t.Errorf("the second place has %q, want %q", got, all)
			}
		})
	}
}

func TestAGapInTheCheckpointsIsNotFilledAtAStart(t *testing.T) {
	s := small(t)
	s.write(t, s.lines(t)[0])
	s.open(t)
	fill(t, s.Log, 1)
	s.sign(t)
	if v := verify(t, s.Log); v.OK {
		t.Errorf("verdict %+v", v)
	}
}

func TestNoWriteRunsWhileTheTrailCannotBeSigned(t *testing.T) {
	s := newSealed(t)
	fill(t, s.Log, 1)
	if err := os.WriteFile(s.folder, nil, 0o600); err != nil { // in the place of the folder
		t.Fatal(err)
	}
	if err := s.Sign(); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Fatalf("signed where it cannot: %v", err)
	}
	if err := s.Begin(record(2)); fault.CodeOf(err) != fault.AuditUnavailable || !strings.Contains(fault.From(err).Hint, "checkpoint_dir") {
		t.Errorf("an intent: %v", err)
	}
	if err := s.BeginAndEnd(record(2), record(2)); err != nil {
		t.Errorf("a read: %v", err)
	}
	if err := os.Remove(s.folder); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return s.Begin(record(3)) == nil })
	s.Close()
	if v := s.inspect(t); !v.OK || v.Signed != v.Records {
		t.Errorf("verdict %+v", v)
	}
}

func TestATrailWithoutFlushContinuesUnsigned(t *testing.T) {
	s := newSealed(t, func(o *audit.Options) { o.NoFlush = true })
	if err := os.WriteFile(s.folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fill(t, s.Log, 1)
	if s.Sign() == nil {
		t.Fatal("signed where it cannot")
	}
	fill(t, s.Log, 1)
}

func TestIntentsAreFlushedAndOutcomesWaitForThem(t *testing.T) {
	s := newSealed(t)
	setting := func() (n int) {
		if err := s.db.Writer.QueryRow(`PRAGMA synchronous`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const normal, full = 1, 2 // https://sqlite.org/pragma.html#pragma_synchronous
	if err := s.Begin(record(1)); err != nil || setting() != full {
		t.Errorf("an intent was stored with %d, %v", setting(), err)
	}
	if err := s.End(record(1)); err != nil || setting() != normal {
		t.Errorf("an outcome was stored with %d, %v", setting(), err)
	}
	s.sign(t)
	if setting() != full {
		t.Errorf("a checkpoint was stored with %d", setting())
	}
}

func TestACopyOfATrailIsInspectedWithoutChangingIt(t *testing.T) {
	s := newSealed(t)
	fill(t, s.Log, 2)
	s.sign(t) // and goes on running
	dir := t.TempDir()
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(s.file + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "copy"+suffix), text, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.ReadFile(filepath.Join(dir, "copy"))
	for _, file := range []string{s.file, filepath.Join(dir, "copy")} {
		if v, err := audit.Inspect(t.Context(), file, s.folder, s.public()); err != nil || !v.OK || v.Records != 4 {
			t.Errorf("%s: %+v, %v", filepath.Base(file), v, err)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(dir, "copy")); !bytes.Equal(before, after) {
		t.Error("the copy was changed")
	}
	if _, err := audit.Inspect(t.Context(), filepath.Join(dir, "none"), s.folder, s.public()); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("a missing file: %v", err)
	}
	fill(t, s.Log, 1)
}

func TestOpenRefusesAnInvalidKey(t *testing.T) {
	_, err := audit.Open(t.Context(), audit.Options{DB: openStore(t), Log: slog.New(slog.DiscardHandler), Signing: audit.Signing{Key: make([]byte, 5), Folder: t.TempDir()}})
	if fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("got %v", err)
	}
}
