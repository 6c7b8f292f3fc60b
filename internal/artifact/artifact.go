// Package artifact stores the files that sessions leave: screenshots, PDFs, network
// logs and downloads. The content is in one folder under random names, and the
// metadata in the database. No input becomes part of a path.
package artifact

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	defaultFile  = 64 << 20 // bytes; a full-page PNG of a long page is under 20 MiB
	defaultScope = 1 << 30  // bytes; one scope cannot use all of the space
	defaultTotal = 4 << 30  // bytes
	maxListed    = 1000     // artifacts of one session in a list
	filePerm     = 0o600
	dirPerm      = 0o700
)

// Limits are the storage limits, in bytes. A limit of 0 means the default.
type Limits struct {
	File  int64 // of one artifact; 64 MiB
	Scope int64 // of all artifacts of one scope; 1 GiB
	Total int64 // of all artifacts; 4 GiB
}

// Owner identifies the scope and session of an artifact.
type Owner struct {
	Scope   string
	Session string
	Private bool // only operators may see it; in a List, private ones are included
}

// Store keeps artifacts. It is safe for concurrent use.
type Store struct {
	root   *os.Root
	db     *store.DB
	limits Limits
	log    *slog.Logger

	mu    sync.Mutex
	sizes map[string]int64 // bytes by scope
	total int64
}

var idPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Open opens the folder, creates it if it does not exist, and makes it agree with
// the database: it removes what an earlier process left incomplete.
func Open(ctx context.Context, dir string, db *store.DB, limits Limits, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return nil, fmt.Errorf("cannot make the artifact folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the artifact folder: %w", err)
	}
	s := &Store{root: root, db: db, limits: limits.filled(), log: log, sizes: map[string]int64{}}
	if err := s.reconcile(ctx); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

func (l Limits) filled() Limits {
	for _, f := range []struct {
		limit    *int64
		fallback int64
	}{{&l.File, defaultFile}, {&l.Scope, defaultScope}, {&l.Total, defaultTotal}} {
		if *f.limit <= 0 {
			*f.limit = f.fallback
		}
	}
	return l
}

// Close closes the folder.
func (s *Store) Close() error { return s.root.Close() }

// Save stores content as a new artifact of owner. The name is for people only: it
// is made harmless and never used as a path. The file is complete or does not
// exist. It survives a crash of the process, but perhaps not a power failure.
// Faults: limit_reached if a limit would be exceeded.
func (s *Store) Save(ctx context.Context, owner Owner, name, mediaType string, content []byte) (action.Artifact, error) {
	size := int64(len(content))
	if err := s.reserve(owner.Scope, size); err != nil {
		return action.Artifact{}, err
	}
	sum := sha256.Sum256(content)
	a := action.Artifact{
		ID: newID(), Session: owner.Session, Name: untrusted.ArtifactName(name), MediaType: cleanType(mediaType),
		Size: size, SHA256: hex.EncodeToString(sum[:]), Created: time.Now().UTC(),
	}
	err := s.write(a.ID, content)
	if err == nil {
		err = s.insert(ctx, owner, a)
	}
	if err != nil {
		s.release(owner.Scope, size)
		_ = s.root.Remove(a.ID)
		return action.Artifact{}, fmt.Errorf("cannot keep artifact: %w", err)
	}
	return a, nil
}

// Find returns the metadata of an artifact. Artifacts of other scopes and private
// ones give the same fault as missing ones. Faults: not_found.
func (s *Store) Find(ctx context.Context, scope, id string) (action.Artifact, error) {
	return s.find(ctx, Owner{Scope: scope}, id)
}

// FindAny is Find for operators: it returns private artifacts too.
func (s *Store) FindAny(ctx context.Context, scope, id string) (action.Artifact, error) {
	return s.find(ctx, Owner{Scope: scope, Private: true}, id)
}

func (s *Store) find(ctx context.Context, of Owner, id string) (action.Artifact, error) {
	if !idPattern.MatchString(id) {
		return action.Artifact{}, absent()
	}
	a, err := s.lookup(ctx, of, id)
	if errors.Is(err, sql.ErrNoRows) {
		return action.Artifact{}, absent()
	}
	return a, err
}

// Load returns an artifact with its content. Faults: not_found; internal if the
// content was changed since it was stored.
func (s *Store) Load(ctx context.Context, scope, id string) (action.File, error) {
	return s.load(ctx, Owner{Scope: scope}, id)
}

// LoadAny is Load for operators: it returns private artifacts too.
func (s *Store) LoadAny(ctx context.Context, scope, id string) (action.File, error) {
	return s.load(ctx, Owner{Scope: scope, Private: true}, id)
}

func (s *Store) load(ctx context.Context, of Owner, id string) (action.File, error) {
	a, err := s.find(ctx, of, id)
	if err != nil {
		return action.File{}, err
	}
	content, err := s.root.ReadFile(a.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return action.File{}, absent() // retention removed it in the meantime
	}
	if err != nil {
		return action.File{}, fmt.Errorf("cannot read artifact: %w", err)
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != a.SHA256 {
		return action.File{}, fault.New(fault.Internal, "artifact %s was altered on disk", a.ID).
			Hinted("compare it with the audit trail; its recorded SHA-256 is %s", a.SHA256)
	}
	return action.File{Artifact: a, Bytes: content}, nil
}

func absent() *fault.Fault {
	return fault.New(fault.NotFound, "there is no such artifact").
		Hinted("list a session's artifacts; those older than browser.artifacts_retention_days are removed")
}

func newID() string { return randid.New("", 16) }

// write creates the complete file at once: it writes under another name and
// renames.
func (s *Store) write(id string, content []byte) error {
	temp := tempPrefix + id
	if err := s.root.WriteFile(temp, content, filePerm); err != nil {
		_ = s.root.Remove(temp)
		return fmt.Errorf("cannot write file: %w", err)
	}
	if err := s.root.Rename(temp, id); err != nil {
		_ = s.root.Remove(temp)
		return fmt.Errorf("cannot put file in place: %w", err)
	}
	return nil
}

func (s *Store) reserve(scope string, size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	full := func(what string, limit int64) error {
		return fault.New(fault.LimitReached, "no room for an artifact of %d bytes: %s is %d bytes", size, what, limit).
			Hinted("lower browser.artifacts_retention_days, or keep fewer screenshots").With("limit", what)
	}
	switch {
	case size > s.limits.File:
		return full("the limit of one artifact", s.limits.File)
	case s.sizes[scope]+size > s.limits.Scope:
		return full("the limit of a scope", s.limits.Scope)
	case s.total+size > s.limits.Total:
		return full("the limit of all artifacts", s.limits.Total)
	}
	s.sizes[scope] += size
	s.total += size
	return nil
}

func (s *Store) release(scope string, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes[scope] -= size
	s.total -= size
	if s.sizes[scope] <= 0 {
		delete(s.sizes, scope)
	}
}
