package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var files embed.FS

// migrate applies the migrations that db lacks, in the order of their numbers.
func migrate(ctx context.Context, db *sql.DB) error {
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		return fmt.Errorf("cannot read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, folder)
	if err != nil {
		return fmt.Errorf("cannot prepare the migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("cannot bring the store up to date: %w", err)
	}
	return nil
}
