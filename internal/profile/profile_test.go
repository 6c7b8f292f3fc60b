package profile_test

import (
	"archive/tar"
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"filippo.io/age"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "canary-cookie-value"

// fixture is a state directory with a store of profiles.
type fixture struct {
	*profile.Store
	t   *testing.T
	dir string
	db  *store.DB
	key *age.X25519Identity
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{t: t, dir: t.TempDir()}
	var err error
	b.db, err = store.Open(t.Context(), filepath.Join(b.dir, "state.db"))
	must(t, err)
	t.Cleanup(func() { _ = b.db.Close() })
	b.key, err = profile.Key("", b.dir)
	must(t, err)
	b.reopen()
	return b
}

func (b *fixture) folder() string { return filepath.Join(b.dir, "profiles") }

func (b *fixture) reopen() {
	b.t.Helper()
	var err error
	b.Store, err = profile.Open(b.t.Context(), b.folder(), b.db, b.key, slog.New(slog.DiscardHandler))
	must(b.t, err)
}

// made creates a profile and saves one file in it.
func (b *fixture) made(name, text string) string {
	b.t.Helper()
	p, err := b.Create(b.t.Context(), "alice", name, false)
	must(b.t, err)
	must(b.t, b.Save(b.t.Context(), p.ID, bytes.NewReader(tarOf(b.t, text))))
	return p.ID
}

func tarOf(t *testing.T, text string) []byte {
	t.Helper()
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	must(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "Default/Cookies", Size: int64(len(text)), Mode: 0o600}))
	_, err := io.WriteString(w, text)
	must(t, err)
	must(t, w.Close())
	return raw.Bytes()
}

// holds returns the text of a profile's one file.
func (b *fixture) holds(id string) string {
	b.t.Helper()
	var raw bytes.Buffer
	must(b.t, b.Load(b.t.Context(), id, &raw))
	in := tar.NewReader(&raw)
	if _, err := in.Next(); err != nil {
		b.t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	must(b.t, err)
	return string(text)
}

func wants(t *testing.T, code fault.Code, err error, words ...string) {
	t.Helper()
	f := fault.From(err)
	if fault.CodeOf(err) != code || f.Hint == "" {
		t.Fatalf("%v, want %s with a hint", err, code)
	}
	for _, word := range words {
		if !strings.Contains(f.Message+f.Hint, word) {
			t.Errorf("%q does not say %q", f.Message, word)
		}
	}
}

func TestSavedContentIsLoadedAgain(t *testing.T) {
	b := newFixture(t)
	id := b.made("work", "first")
	must(t, b.Save(t.Context(), id, bytes.NewReader(tarOf(t, "second"))))
	b.reopen()
	if got := b.holds(id); got != "second" {
		t.Errorf("holds %q", got)
	}
	found, err := b.Find(t.Context(), "alice", "work")
	must(t, err)
	info, err := os.Stat(filepath.Join(b.folder(), id+".age"))
	must(t, err)
	if found.ID != id || found.Size != info.Size() || found.Saved == nil || info.Mode().Perm() != 0o600 {
		t.Errorf("found %+v, a file of %d bytes and mode %v", found, info.Size(), info.Mode())
	}
}

func TestANewProfileIsEmpty(t *testing.T) {
	b := newFixture(t)
	p, err := b.Create(t.Context(), "alice", "new", false)
	must(t, err)
	var raw bytes.Buffer
	must(t, b.Load(t.Context(), p.ID, &raw))
	if _, err := tar.NewReader(&raw).Next(); err != io.EOF || p.Size != 0 || p.Saved != nil {
		t.Errorf("a new profile is %+v and holds something: %v", p, err)
	}
}

func TestScopesDoNotSeeEachOther(t *testing.T) {
	b := newFixture(t)
	id := b.made("work", canary)
	_, err := b.Find(t.Context(), "bob", id)
	wants(t, fault.NotFound, err)
	_, err = b.Find(t.Context(), "bob", "work")
	wants(t, fault.NotFound, err)
	wants(t, fault.NotFound, b.Delete(t.Context(), "bob", id))
	if list, err := b.List(t.Context(), "bob"); err != nil || len(list) != 0 {
		t.Errorf("bob sees %v, %v", list, err)
	}
	_, err = b.Create(t.Context(), "bob", "work", false)
	must(t, err)
}

func TestProfileNamesAreChecked(t *testing.T) {
	b := newFixture(t)
	for _, name := range []string{"", " a", "a\n", strings.Repeat("x", 65), strings.Repeat("0a", 16), "a\u202eb"} {
		_, err := b.Create(t.Context(), "alice", name, false)
		wants(t, fault.InvalidRequest, err, "name")
	}
	_, err := b.Create(t.Context(), "alice", "Büro 東京", false)
	must(t, err)
	_, err = b.Create(t.Context(), "alice", "Büro 東京", false)
	wants(t, fault.AlreadyActive, err, "name")
	for i := range 99 {
		_, err := b.Create(t.Context(), "alice", "p"+strconv.Itoa(i), false)
		must(t, err)
	}
	_, err = b.Create(t.Context(), "alice", "one more", false)
	wants(t, fault.LimitReached, err, "100")
}

func TestDeletingAProfileRemovesItsFile(t *testing.T) {
	b := newFixture(t)
	id := b.made("work", canary)
	must(t, b.Delete(t.Context(), "alice", id))
	wants(t, fault.NotFound, b.Delete(t.Context(), "alice", id))
	wants(t, fault.NotFound, b.Load(t.Context(), id, io.Discard))
	wants(t, fault.NotFound, b.Save(t.Context(), id, bytes.NewReader(tarOf(t, "late"))))
	if left, err := os.ReadDir(b.folder()); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestInvalidIDsReachNoFile(t *testing.T) {
	b := newFixture(t)
	outside := filepath.Join(b.dir, "x.age")
	must(t, os.WriteFile(outside, nil, 0o600))
	for _, id := range []string{"../x", "x", "..", strings.Repeat("A", 32), strings.Repeat("a", 31) + "/"} {
		wants(t, fault.NotFound, b.Delete(t.Context(), "alice", id))
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestAnInvalidBundleDoesNotChangeTheProfile(t *testing.T) {
	b := newFixture(t)
	id := b.made("work", "first")
	whole := tarOf(t, strings.Repeat("x", 5000))
	wants(t, fault.InvalidRequest, b.Save(t.Context(), id, bytes.NewReader(whole[:2000])))
	wants(t, fault.InvalidRequest, b.Save(t.Context(), id, strings.NewReader(strings.Repeat("no tar", 200))))
	if got := b.holds(id); got != "first" {
		t.Errorf("holds %q", got)
	}
	if left, err := os.ReadDir(b.folder()); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestAnIncompleteFileIsRemovedAndTheOldOneKept(t *testing.T) {
	b := newFixture(t)
	id := b.made("work", "first")
	part := filepath.Join(b.folder(), id+".123.part")
	must(t, os.WriteFile(part, []byte("half of it"), 0o600))
	b.reopen()
	if _, err := os.Stat(part); !os.IsNotExist(err) {
		t.Errorf("the half file is left: %v", err)
	}
	if got := b.holds(id); got != "first" {
		t.Errorf("holds %q", got)
	}
}

func TestTamperedFilesAreRefused(t *testing.T) {
	b := newFixture(t)
	id := b.made("work", strings.Repeat(canary, 10_000))
	path := filepath.Join(b.folder(), id+".age")
	whole, err := os.ReadFile(path)
	must(t, err)
	for name, changed := range map[string][]byte{
		"cut":      whole[:len(whole)-40],
		"head":     append([]byte("x"), whole[1:]...),
		"last":     append(bytes.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1),
		"appended": append(bytes.Clone(whole), 'x'),
		"empty":    nil,
	} {
		t.Run(name, func(t *testing.T) {
			must(t, os.WriteFile(path, changed, 0o600))
			wants(t, fault.StartFailed, b.Load(t.Context(), id, io.Discard), "profile")
		})
	}
	must(t, os.Remove(path))
	wants(t, fault.StartFailed, b.Load(t.Context(), id, io.Discard), "cannot be read")
}

func TestAnotherProfilesFileIsRefused(t *testing.T) {
	b := newFixture(t)
	mine, theirs := b.made("work", "mine"), b.made("other", "theirs")
	must(t, os.Rename(filepath.Join(b.folder(), theirs+".age"), filepath.Join(b.folder(), mine+".age")))
	wants(t, fault.StartFailed, b.Load(t.Context(), mine, io.Discard), "another profile")
}

func TestAFileOfAnotherKeyIsReported(t *testing.T) {
	b := newFixture(t)
	id := b.made("work", canary)
	var err error
	b.key, err = age.GenerateX25519Identity()
	must(t, err)
	b.reopen()
	wants(t, fault.StartFailed, b.Load(t.Context(), id, io.Discard), "another key", "profiles.key")
}

func TestTheKeyIsMadeOnceAndOnlyTheOwnerReadsIt(t *testing.T) {
	dir := t.TempDir()
	first, err := profile.Key("", dir)
	must(t, err)
	second, err := profile.Key("", dir)
	must(t, err)
	path := filepath.Join(dir, profile.KeyFile)
	info, err := os.Stat(path)
	must(t, err)
	if first.String() != second.String() || info.Mode().Perm() != 0o600 {
		t.Errorf("the key changed, or has mode %v", info.Mode())
	}
	given, err := profile.Key(first.String()+"\n", t.TempDir())
	must(t, err)
	if given.String() != first.String() {
		t.Error("the key that was given is not used")
	}
	must(t, os.Chmod(path, 0o640))
	_, err = profile.Key("", dir)
	wants(t, fault.StartFailed, err, "others may read", "chmod 600")
	_, err = profile.Key("hunter2", dir)
	wants(t, fault.InvalidRequest, err, profile.KeyEnv)
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the fault repeats the key: %v", err)
	}
}

// TestEverythingIsEncrypted searches every file that is written.
func TestEverythingIsEncrypted(t *testing.T) {
	b := newFixture(t)
	b.made("work", strings.Repeat(canary, 1000))
	err := filepath.WalkDir(b.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(canary)) {
			t.Errorf("%s holds the saved text", path)
		}
		return err
	})
	must(t, err)
}
