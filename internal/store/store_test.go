package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

func open(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state?#%20.db") // characters that mean something in a URI
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	db := open(t, path)
	if _, err := db.Writer.Exec(`INSERT INTO grants VALUES ('s', 'v', 'h', 'q')`); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", path+suffix, mode)
		}
	}
}

func TestWrittenRowsAreThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	first := open(t, path)
	if _, err := first.Writer.Exec(`INSERT INTO grants VALUES ('s', 'v', 'h', 'q')`); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	var question string
	err := open(t, path).Reader.QueryRow(`SELECT question FROM grants`).Scan(&question)
	if err != nil || question != "q" {
		t.Fatalf("read %q, %v", question, err)
	}
}

func TestReaderCannotWrite(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "state.db"))
	if _, err := db.Reader.Exec(`INSERT INTO grants VALUES ('s', 'v', 'h', 'q')`); err == nil {
		t.Fatal("the reader wrote")
	}
}

func TestConnectionsHaveTheirPragmas(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "state.db"))
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "1", "busy_timeout": "5000", "foreign_keys": "1",
	} {
		var got string
		if err := db.Writer.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q (%v)", pragma, got, want, err)
		}
	}
}

func TestWritersQueueWithoutBusyErrors(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "state.db"))
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if _, err := db.Writer.Exec(`INSERT INTO grants VALUES (?, 'v', 'h', 'q')`, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
			var n int
			if err := db.Reader.QueryRow(`SELECT count(*) FROM grants`).Scan(&n); err != nil || n == 0 {
				t.Errorf("read %d, %v", n, err)
			}
		})
	}
	wg.Wait()
}

func TestAuditIsAppendOnly(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "state.db"))
	if _, err := db.Writer.Exec(`INSERT INTO audit VALUES (1, '', '', '', '', '{}', 'x')`); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`UPDATE audit SET hash = 'y'`, `DELETE FROM audit`} {
		if _, err := db.Writer.Exec(statement); err == nil {
			t.Errorf("%s was accepted", statement)
		}
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	if err := os.WriteFile(path, []byte("this is a text file, and a longer one than a header"), 0o600); err != nil {
		t.Fatal(err)
	}
	if db, err := store.Open(t.Context(), path); err == nil {
		_ = db.Close()
		t.Fatal("a text file was opened")
	}
	if db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "no", "folder.db")); err == nil {
		_ = db.Close()
		t.Fatal("a file in a missing folder was opened")
	}
}

// TestFilesOfDevelopmentVersionsAreRefusedAndNotChanged opens a file whose
// migrations were numbered from one.
func TestFilesOfDevelopmentVersionsAreRefusedAndNotChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	first := open(t, path)
	for _, statement := range []string{
		`DELETE FROM goose_db_version`,
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1), (8, 1)`,
		`DROP TABLE tokens`,
		`INSERT INTO grants VALUES ('s', 'v', 'h', 'q')`,
	} {
		if _, err := first.Writer.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), path)
	if err == nil {
		_ = db.Close()
		t.Fatal("the file was opened")
	}
	if told := fault.From(err); told.Code != fault.StartFailed || told.Hint == "" {
		t.Errorf("refused with %+v", told)
	}
	kept, err := store.Look(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	var tables, grants int
	if err := kept.QueryRow(`SELECT count(*), (SELECT count(*) FROM grants) FROM sqlite_schema WHERE name = 'tokens'`).Scan(&tables, &grants); err != nil || tables != 0 || grants != 1 {
		t.Errorf("there are %d tables and %d grants, %v", tables, grants, err)
	}
}
