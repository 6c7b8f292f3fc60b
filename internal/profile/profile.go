// Package profile stores the saved user data of browsers: for each profile a
// database row and an encrypted file with what its last session left. This data
// comes out of a box, so each entry is checked before it is stored, and again
// before it goes into the next box.
package profile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const maxProfiles = 100 // of a scope; each may take 64 MiB

var idPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Store keeps profiles. It is safe for concurrent use. The caller must make sure
// that only one session at a time uses a profile.
type Store struct {
	dir string
	db  *store.DB
	key *age.X25519Identity
}

// Open opens the store whose files are in dir. It removes incomplete files, and
// files of deleted profiles. Faults: start_failed if the folder cannot be used.
func Open(ctx context.Context, dir string, db *store.DB, key *age.X25519Identity, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.New(fault.StartFailed, "the folder of profiles cannot be made").
			Hinted("make %s writable", filepath.Dir(dir)).Because(err)
	}
	s := &Store{dir: dir, db: db, key: key}
	return s, s.tidy(ctx, log)
}

// tidy removes files without a row.
func (s *Store) tidy(ctx context.Context, log *slog.Logger) error {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("cannot read the folder of profiles: %w", err)
	}
	for _, f := range files {
		id, whole := strings.CutSuffix(f.Name(), suffix)
		if whole && idPattern.MatchString(id) {
			if _, found, err := s.row(ctx, `WHERE id = ?`, id); err != nil || found {
				if err != nil {
					return err
				}
				continue
			}
		}
		log.WarnContext(ctx, "removing a file that belongs to no profile", "file", f.Name())
		if err := os.Remove(filepath.Join(s.dir, f.Name())); err != nil {
			return fmt.Errorf("cannot clear up the folder of profiles: %w", err)
		}
	}
	return nil
}

// List returns a scope's profiles, sorted by name.
func (s *Store) List(ctx context.Context, scope string) ([]action.Profile, error) {
	rows, err := s.db.Reader.QueryContext(ctx, selectProfiles+`WHERE scope = ? ORDER BY name LIMIT ?`, scope, maxProfiles)
	if err != nil {
		return nil, fmt.Errorf("cannot read profiles: %w", err)
	}
	defer func() { _ = rows.Close() }()
	list := []action.Profile{}
	for rows.Next() {
		p, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

// Find returns a scope's profile by its id or name. Faults: not_found, also for
// one of another scope.
func (s *Store) Find(ctx context.Context, scope, key string) (action.Profile, error) {
	p, found, err := s.row(ctx, `WHERE scope = ? AND (id = ? OR name = ?)`, scope, key, key)
	if err == nil && !found {
		err = missing()
	}
	return p, err
}

func missing() error {
	return fault.New(fault.NotFound, "there is no such profile").Hinted("list those there are with profile.list, or create it")
}

// ByID returns the profile with this id in any scope. Faults: not_found.
func (s *Store) ByID(ctx context.Context, id string) (action.Profile, error) {
	p, found, err := s.row(ctx, `WHERE id = ?`, id)
	if err == nil && !found {
		err = missing()
	}
	return p, err
}

// Holds sets the domains whose credentials may be in a profile.
func (s *Store) Holds(ctx context.Context, id string, domains []string) error {
	_, err := s.db.Writer.ExecContext(ctx, `UPDATE profiles SET credentialed = ? WHERE id = ?`, strings.Join(domains, " "), id)
	if err != nil {
		return fmt.Errorf("cannot record what a profile holds: %w", err)
	}
	return nil
}

// Imports sets the hosts whose login was imported into a profile.
func (s *Store) Imports(ctx context.Context, id string, hosts []string) error {
	_, err := s.db.Writer.ExecContext(ctx, `UPDATE profiles SET imported = ? WHERE id = ?`, strings.Join(hosts, " "), id)
	if err != nil {
		return fmt.Errorf("cannot record what was imported into a profile: %w", err)
	}
	return nil
}

// Create makes an empty profile. Faults: invalid_request for the name,
// already_active if the scope has a profile with this name, limit_reached.
func (s *Store) Create(ctx context.Context, scope, name string, keep bool) (action.Profile, error) {
	if err := goodName(name); err != nil {
		return action.Profile{}, err
	}
	p := action.Profile{ID: randid.New("", 16), Name: name, Created: time.Now().UTC(), KeepCredentials: keep}
	done, err := s.db.Writer.ExecContext(ctx, `INSERT INTO profiles (id, scope, name, created, saved, size, keep_credentials)
		SELECT ?, ?, ?, ?, 0, 0, ? WHERE (SELECT count(*) FROM profiles WHERE scope = ?) < ?
		ON CONFLICT (scope, name) DO NOTHING`, p.ID, scope, name, p.Created.UnixNano(), keep, scope, maxProfiles)
	if err != nil {
		return action.Profile{}, fmt.Errorf("cannot record a profile: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		return p, err
	}
	return action.Profile{}, s.whyNot(ctx, scope, name)
}

// whyNot returns the fault for a profile that could not be created.
func (s *Store) whyNot(ctx context.Context, scope, name string) error {
	if _, err := s.Find(ctx, scope, name); err == nil {
		return fault.New(fault.AlreadyActive, "there is a profile of that name already").
			Hinted("use it, delete it, or choose another name").With("field", "name")
	}
	return fault.New(fault.LimitReached, "a scope may have at most %d profiles", maxProfiles).
		Hinted("delete one that is not needed any more")
}

// goodName refuses names that look like ids, and names with invisible characters.
func goodName(name string) error {
	if length := len([]rune(name)); length < 1 || length > 64 || idPattern.MatchString(name) ||
		strings.TrimSpace(name) != name || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fault.New(fault.InvalidRequest, "name: is no name of a profile").
			Hinted("1 to 64 characters that can be seen, not 32 hex digits").With("field", "name")
	}
	return nil
}

// Delete removes a scope's profile and its file. Faults: not_found, also for a
// text that is not an id.
func (s *Store) Delete(ctx context.Context, scope, id string) error {
	if !idPattern.MatchString(id) {
		return missing()
	}
	done, err := s.db.Writer.ExecContext(ctx, `DELETE FROM profiles WHERE scope = ? AND id = ?`, scope, id)
	if err != nil {
		return fmt.Errorf("cannot delete a profile: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, missing())
	}
	if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot remove a profile's file; the next start does: %w", err)
	}
	return nil
}

const selectProfiles = `SELECT id, name, created, saved, size, keep_credentials, credentialed, imported FROM profiles `

func (s *Store) row(ctx context.Context, where string, args ...any) (action.Profile, bool, error) {
	p, err := scan(s.db.Reader.QueryRowContext(ctx, selectProfiles+where, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return p, false, nil
	}
	return p, err == nil, err
}

func scan(row interface{ Scan(into ...any) error }) (action.Profile, error) {
	var p action.Profile
	var created, saved int64
	var domains, imported string
	if err := row.Scan(&p.ID, &p.Name, &created, &saved, &p.Size, &p.KeepCredentials, &domains, &imported); err != nil {
		return p, fmt.Errorf("cannot read a profile: %w", err)
	}
	p.Created, p.Credentialed, p.Imported = time.Unix(0, created).UTC(), strings.Fields(domains), strings.Fields(imported)
	if saved > 0 {
		at := time.Unix(0, saved).UTC()
		p.Saved = &at
	}
	return p, nil
}
