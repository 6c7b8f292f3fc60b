package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

const tempPrefix = "new-"

type kept struct {
	id, scope string
	size      int64
}

// Prune removes artifacts that are older than before and returns how many. An
// artifact that cannot be removed is tried again at the next call.
func (s *Store) Prune(ctx context.Context, before time.Time) (int, error) {
	old, err := s.kept(ctx, `WHERE created < ?`, before.UnixNano())
	if err != nil {
		return 0, err
	}
	var faults []error
	removed := 0
	for _, k := range old {
		if err := s.remove(ctx, k); err != nil {
			faults = append(faults, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(faults...)
}

// remove deletes the file before the row: reconcile can remove a row without a
// file, but a file without a row would use space that is not counted.
func (s *Store) remove(ctx context.Context, k kept) error {
	if err := s.root.Remove(k.id); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot remove artifact %s: %w", k.id, err)
	}
	gone, err := s.db.Writer.ExecContext(ctx, `DELETE FROM artifacts WHERE id = ?`, k.id)
	if err != nil {
		return fmt.Errorf("cannot forget artifact %s: %w", k.id, err)
	}
	if n, err := gone.RowsAffected(); err == nil && n == 1 {
		s.release(k.scope, k.size) // only once, even if Prune runs twice at the same time
	}
	return nil
}

func (s *Store) kept(ctx context.Context, where string, args ...any) ([]kept, error) {
	rows, err := s.db.Reader.QueryContext(ctx, `SELECT id, scope, size FROM artifacts `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("cannot read artifacts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []kept
	for rows.Next() {
		var k kept
		if err := rows.Scan(&k.id, &k.scope, &k.size); err != nil {
			return nil, fmt.Errorf("cannot read artifacts: %w", err)
		}
		all = append(all, k)
	}
	return all, rows.Err()
}

// reconcile removes files without a row and rows without a file, and adds up the
// sizes of the others.
func (s *Store) reconcile(ctx context.Context) error {
	all, err := s.kept(ctx, "")
	if err != nil {
		return err
	}
	known := make(map[string]bool, len(all))
	for _, k := range all {
		s.sizes[k.scope] += k.size
		s.total += k.size
		if _, err := s.root.Lstat(k.id); err == nil {
			known[k.id] = true
			continue
		}
		if err := s.remove(ctx, k); err != nil {
			return err
		}
		s.log.WarnContext(ctx, "an artifact's file is gone; its record is removed", "artifact", k.id)
	}
	return s.sweep(known)
}

// sweep removes only files with names of our own form, since there may be others.
func (s *Store) sweep(known map[string]bool) error {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("cannot read the artifact folder: %w", err)
	}
	for _, e := range entries {
		id, temporary := strings.CutPrefix(e.Name(), tempPrefix)
		if !idPattern.MatchString(id) || (known[id] && !temporary) {
			continue
		}
		if err := s.root.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove a left-over file: %w", err)
		}
	}
	return nil
}
