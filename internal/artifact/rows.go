package artifact

import (
	"context"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const columns = `id, session, name, media_type, size, sha256, created`

type row interface{ Scan(dest ...any) error }

func scan(r row) (action.Artifact, error) {
	var a action.Artifact
	var created int64
	err := r.Scan(&a.ID, &a.Session, &a.Name, &a.MediaType, &a.Size, &a.SHA256, &created)
	a.Created = time.Unix(0, created).UTC()
	return a, err
}

func (s *Store) insert(ctx context.Context, owner Owner, a action.Artifact) error {
	_, err := s.db.Writer.ExecContext(ctx,
		`INSERT INTO artifacts (scope, private, `+columns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		owner.Scope, owner.Private, a.ID, a.Session, a.Name, a.MediaType, a.Size, a.SHA256, a.Created.UnixNano())
	if err != nil {
		return fmt.Errorf("cannot record artifact: %w", err)
	}
	return nil
}

func (s *Store) lookup(ctx context.Context, of Owner, id string) (action.Artifact, error) {
	a, err := scan(s.db.Reader.QueryRowContext(ctx,
		`SELECT `+columns+` FROM artifacts WHERE id = ? AND scope = ? AND (private = 0 OR ?)`, id, of.Scope, of.Private))
	if err != nil {
		return a, fmt.Errorf("cannot look artifact up: %w", err)
	}
	return a, nil
}

// List returns at most 1000 artifacts of a session, newest first, private ones
// only if owner.Private is set.
func (s *Store) List(ctx context.Context, owner Owner) (list []action.Artifact, err error) {
	rows, err := s.db.Reader.QueryContext(ctx,
		`SELECT `+columns+` FROM artifacts WHERE scope = ? AND session = ? AND (private = 0 OR ?) ORDER BY created DESC, id LIMIT ?`,
		owner.Scope, owner.Session, owner.Private, maxListed)
	if err != nil {
		return nil, fmt.Errorf("cannot list artifacts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	list = []action.Artifact{} // an empty list is [] in JSON, not null
	for rows.Next() {
		a, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("cannot list artifacts: %w", err)
		}
		list = append(list, a)
	}
	return list, rows.Err()
}
