// Package store opens the gateway's SQLite file and migrates its schema. Each
// table belongs to the package that uses it.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

const (
	busyTimeout = 5 * time.Second // longest wait for another connection's lock
	idleReaders = 4               // connections kept open for reading; more come and go
)

// DB is an open file. Writer has a single connection, so that writers wait here
// and not for SQLite's lock. Reader sees the last commit. Both are safe for
// concurrent use.
type DB struct {
	Writer *sql.DB
	Reader *sql.DB
}

// Open opens the file at path and applies the missing migrations. A missing file
// is created with mode 0600 in its folder, which must exist. Commits survive a
// crash of the process; the last ones may be lost in a power failure (write-ahead
// log, synchronous NORMAL). Faults: start_failed if a development version made
// the file.
func Open(ctx context.Context, path string) (*DB, error) {
	if err := private(path); err != nil {
		return nil, err
	}
	writer, err := sql.Open("sqlite", source(path, false))
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	writer.SetMaxOpenConns(1)
	if err := migrate(ctx, writer, path); err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	reader, err := sql.Open("sqlite", source(path, true))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot open %s: %w", path, err), writer.Close())
	}
	reader.SetMaxOpenConns(max(idleReaders, 2*runtime.NumCPU()))
	reader.SetMaxIdleConns(idleReaders)
	return &DB{Writer: writer, Reader: reader}, nil
}

// Close closes Writer and Reader. The last close moves the write-ahead log into
// the file.
func (db *DB) Close() error {
	return errors.Join(db.Reader.Close(), db.Writer.Close())
}

// Look opens a file for reading only, for example a copy, or a file that another
// process has open. It applies no migrations.
func Look(path string) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("cannot open the store: %w", err)
	}
	db, err := sql.Open("sqlite", source(path, true)+"&mode=ro")
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	return db, nil
}

// private makes sure that only the owner can read the file: SQLite gives its
// log and index files the mode of the file itself.
func private(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot open the store: %w", err)
	}
	if err := errors.Join(file.Chmod(0o600), file.Close()); err != nil {
		return fmt.Errorf("cannot make %s private: %w", path, err)
	}
	return nil
}

// source is the data source name of path.
func source(path string, readOnly bool) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path // relative names work too, as long as the folder stays
	}
	q := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"synchronous(NORMAL)",
		"foreign_keys(1)",
	}}
	q.Set("_txlock", "immediate")
	if readOnly {
		q.Add("_pragma", "query_only(1)")
		q.Set("_txlock", "deferred")
	} else {
		q.Add("_pragma", "journal_mode(WAL)")
	}
	name := url.URL{Scheme: "file", Path: absolute, RawQuery: q.Encode()}
	return name.String()
}
