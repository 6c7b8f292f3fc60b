package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const (
	noteEvery = time.Minute     // interval between two writes of the times of use
	noteLimit = 5 * time.Second // of one write
)

// Keep adds the tokens in db, and stores created tokens there from now on. Close
// ends it. Faults: start_failed if a token in db has the same name as one in the
// configuration.
func (b *TokenStore) Keep(ctx context.Context, db *store.DB) error {
	rows, err := db.Reader.QueryContext(ctx, `SELECT id, scope, name, role, hash, created, expires, used FROM tokens`)
	if err != nil {
		return fmt.Errorf("cannot read tokens: %w", err)
	}
	defer func() { _ = rows.Close() }()
	b.change.Lock()
	defer b.change.Unlock()
	for rows.Next() {
		k, err := scan(rows)
		if err != nil {
			return err
		}
		if b.clashes(k) {
			return fault.New(fault.StartFailed, "auth.tokens has a token of the name %s, and so has the store", k.caller.Actor).
				Hinted("rename the one in auth.tokens, or revoke the other while no gateway runs: glovebox token revoke %s", k.id)
		}
		b.enter(k)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("cannot read tokens: %w", err)
	}
	b.db = db
	life, end := context.WithCancel(context.Background())
	b.end, b.ended = end, make(chan struct{})
	go b.notes(life)
	return nil
}

func scan(row interface{ Scan(into ...any) error }) (*known, error) {
	var hash []byte
	var created, expires, used int64
	k := &known{source: Created}
	c := &k.caller
	if err := row.Scan(&k.id, &c.Scope, &c.Actor, &c.Role, &hash, &created, &expires, &used); err != nil {
		return nil, fmt.Errorf("cannot read a token: %w", err)
	}
	if len(hash) != sha256.Size {
		return nil, fmt.Errorf("the hash of token %s is broken", k.id)
	}
	k.hash, k.created = [sha256.Size]byte(hash), time.Unix(0, created).UTC()
	if expires != 0 {
		k.expires = time.Unix(0, expires).UTC()
	}
	k.saved = used / int64(time.Minute)
	k.used.Store(k.saved)
	k.life, k.revoke = context.WithCancelCause(context.Background())
	return k, nil
}

// Close writes the times of use and stops what Keep started.
func (b *TokenStore) Close(ctx context.Context) error {
	if b.end == nil {
		return nil
	}
	b.end()
	<-b.ended // it ends with its context
	return b.note(ctx)
}

// notes writes the times of use every minute.
func (b *TokenStore) notes(life context.Context) {
	defer close(b.ended)
	ticker := time.NewTicker(noteEvery)
	defer ticker.Stop()
	for {
		select {
		case <-life.Done():
			return
		case <-ticker.C:
			ctx, cancel := context.WithTimeout(life, noteLimit)
			_ = b.note(ctx) // the next write has it too, and no decision depends on it
			cancel()
		}
	}
}

// note writes the times of use that have changed, in one transaction.
func (b *TokenStore) note(ctx context.Context) error {
	b.change.Lock()
	defer b.change.Unlock()
	tx, err := b.db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("cannot write when tokens were used: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // no effect after the commit
	for _, k := range b.all() {
		used := k.used.Load()
		if k.id == "" || used == k.saved {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE tokens SET used = ? WHERE id = ?`, used*int64(time.Minute), k.id); err != nil {
			return fmt.Errorf("cannot write when tokens were used: %w", err)
		}
		k.saved = used
	}
	return tx.Commit()
}

func (b *TokenStore) insert(ctx context.Context, k *known) error {
	var expires int64
	if !k.expires.IsZero() {
		expires = k.expires.UnixNano()
	}
	return b.durably(ctx, `INSERT INTO tokens (id, scope, name, role, hash, created, expires, used) VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
		k.id, k.caller.Scope, k.caller.Actor, string(k.caller.Role), k.hash[:], k.created.UnixNano(), expires)
}

func (b *TokenStore) remove(ctx context.Context, k *known) error {
	return b.durably(ctx, `DELETE FROM tokens WHERE id = ?`, k.id)
}

// durably executes a statement that survives a power failure: with synchronous
// FULL, SQLite flushes its log at each commit
// (https://sqlite.org/pragma.html#pragma_synchronous).
func (b *TokenStore) durably(ctx context.Context, statement string, args ...any) error {
	conn, err := b.db.Writer.Conn(ctx)
	if err != nil {
		return fmt.Errorf("cannot write a token: %w", err)
	}
	defer func() { _ = conn.Close() }()
	var before int
	if err := conn.QueryRowContext(ctx, `PRAGMA synchronous`).Scan(&before); err != nil {
		return fmt.Errorf("cannot write a token: %w", err)
	}
	_, err = conn.ExecContext(ctx, `PRAGMA synchronous = FULL`)
	if err == nil {
		_, err = conn.ExecContext(ctx, statement, args...)
	}
	back := context.WithoutCancel(ctx)
	_, undo := conn.ExecContext(back, fmt.Sprintf(`PRAGMA synchronous = %d`, before))
	if err := errors.Join(err, undo); err != nil {
		return fmt.Errorf("cannot write a token: %w", err)
	}
	return nil
}
