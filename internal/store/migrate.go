package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

//go:embed migrations/*.sql
var files embed.FS

// migrate applies the migrations that db lacks, in the order of their numbers. A
// change of the schema is a new file below migrations, named <date and number>_<what>.sql:
// a file that was released is never edited, as stores that exist have applied it.
// path names the file in faults.
func migrate(ctx context.Context, db *sql.DB, path string) error {
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		return fmt.Errorf("cannot read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, folder)
	if err != nil {
		return fmt.Errorf("cannot prepare the migrations: %w", err)
	}
	if err := released(ctx, provider, path); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("cannot bring the store up to date: %w", err)
	}
	return nil
}

// released refuses a file with a version below that of the first migration:
// development versions before the first release numbered theirs from one, and
// what they made cannot be brought up to date.
func released(ctx context.Context, provider *goose.Provider, path string) error {
	current, _, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("cannot read the version of the store: %w", err)
	}
	if first := provider.ListSources()[0].Version; current > 0 && current < first {
		return fault.New(fault.StartFailed, "%s was made by a development version of Glovebox, and this version cannot read it", path).
			Hinted("move this file away, with its -wal and -shm files, and start again: sessions, profiles, questions, made tokens and the audit trail begin anew; keys and the vault stay")
	}
	return nil
}
