package audit_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/store"
)

// refuses checks that no record is accepted that cannot be stored: neither of a write nor of a
// read.
func refuses(t *testing.T, s sealed) {
	t.Helper()
	big := record(1)
	big.Detail = strings.Repeat("x", 100_000)
	for name, err := range map[string]error{
		"an intent": s.Begin(big), "an outcome": s.End(big), "a read": s.BeginAndEnd(big, big),
		"a check": s.CheckStorage(t.Context()),
	} {
		if f := fault.From(err); f == nil || f.Code != fault.AuditUnavailable || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// recovers checks that the trail continues by itself, and that nothing was stored in part.
func recovers(t *testing.T, s sealed, stored int64) {
	t.Helper()
	eventually(t, func() bool { return s.Begin(record(7)) == nil })
	if err := s.CheckStorage(t.Context()); err != nil {
		t.Errorf("a check afterwards: %v", err)
	}
	s.Close()
	v := s.inspect(t)
	if !v.OK || v.Records != stored+1 || v.Signed != v.Records {
		t.Errorf("afterwards: %+v, want %d records", v, stored+1)
	}
}

func TestAFullDiskRefusesAndTheTrailContinuesWhenThereIsSpace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := openAt(t, dir)
	fill(t, s.Log, 2)
	s.sign(t)
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	refuses(t, s)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	recovers(t, s, 4)
}

// openAt opens a trail and its second place in a folder.
func openAt(t *testing.T, dir string) sealed {
	t.Helper()
	key, err := audit.Key(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := sealed{file: filepath.Join(dir, "state.db"), folder: filepath.Join(dir, "second"), key: key}
	if s.db, err = store.Open(t.Context(), s.file); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	s.open(t)
	return s
}

// limited marks the process that TestWritesThatFail runs: a limit on the size
// of files is one of the whole process.
const limited = "GLOVEBOX_TEST_LIMITED"

func TestFailedWritesRefuseAndTheTrailContinuesWhenTheySucceed(t *testing.T) {
	if os.Getenv(limited) == "" {
		again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v") //nolint:gosec // this very program
		again.Env = append(os.Environ(), limited+"=1")
		out, err := again.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	s := openAt(t, t.TempDir())
	fill(t, s.Log, 2)
	s.sign(t)
	signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit fails then, with EFBIG
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	small := before
	small.Cur = 4096
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	refuses(t, s)
	if err := s.Sign(); err != nil {
		t.Errorf("nothing is new, and it is not signed: %v", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	recovers(t, s, 4)
}

func TestALockedTrailRefusesAndContinuesAfterwards(t *testing.T) {
	s := newSealed(t)
	fill(t, s.Log, 1)
	other, err := store.Open(t.Context(), s.file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	lock, err := other.Writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.BeginAndEnd(record(1), record(1)); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("a read: %v", err)
	}
	if _, err := s.Query(t.Context(), action.AuditQuery{}, "acme"); err != nil {
		t.Errorf("what is stored can be read all the same: %v", err)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	recovers(t, s, 2)
}

func TestACheckpointThatDoesNotFitLeavesNoPartOfALine(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	s := newSealed(t, func(o *audit.Options) { o.Signing.Folder, o.Log = dir, slog.New(slog.DiscardHandler) })
	s.folder = dir
	for range 11 { // a page of the disk, all but a part of a line
		fill(t, s.Log, 1)
		s.sign(t)
	}
	ballast, err := os.Create(filepath.Join(dir, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = ballast.Write(make([]byte, 4096))
	}
	_ = ballast.Close()
	for range 20 {
		_ = s.BeginAndEnd(record(1), record(1))
		if err = s.Sign(); err != nil {
			break
		}
	}
	if fault.CodeOf(err) != fault.AuditUnavailable {
		t.Fatalf("the disk took everything: %v", err)
	}
	text, err := os.ReadFile(s.points())
	if err != nil || !bytes.HasSuffix(text, []byte("\n")) {
		t.Errorf("a part of a line was left: %v", err)
	}
	if err := s.Begin(record(1)); fault.CodeOf(err) != fault.AuditUnavailable {
		t.Errorf("an intent: %v", err)
	}
	if err := os.Remove(ballast.Name()); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return s.Begin(record(3)) == nil })
	s.Close()
	if v := s.inspect(t); !v.OK {
		t.Errorf("afterwards: %+v", v)
	}
}
