package session

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const maxListed = 500 // sessions in a list

// recordStore keeps the records of sessions.
type recordStore struct{ db *store.DB }

// entry is a session's record with its internal parts.
type entry struct {
	action.Session
	terms    terms
	pause    pauseState
	failures int
}

// terms are the conditions of a session, from its start or added later.
type terms struct {
	action.Network
	Role       action.Role `json:"role"`                 // of the caller who started it
	Profile    string      `json:"profile,omitempty"`    // id of its profile
	Run        string      `json:"run,omitempty"`        // id of its run
	Connection string      `json:"connection,omitempty"` // over which it was started; see action.Call
	Lives      int         `json:"lives,omitempty"`      // how often another process recovered it

	Restarts int `json:"restarts,omitempty"` // restarts of the browser by its box, before the session

	Credentialed map[string]string `json:"credentialed,omitempty"` // domains whose credentials it has, with their version
	Rotated      bool              `json:"rotated,omitempty"`      // it had earlier versions, which are not stored
	Stored       bool              `json:"stored,omitempty"`       // some were put into storage; these files keep deleted values
	Named        []string          `json:"named,omitempty"`        // domains whose credentials were requested
	Imported     []string          `json:"imported,omitempty"`     // hosts whose login was imported into its profile

	Sending action.Sending `json:"sending,omitempty"` // treatment of requests that may change something; ask if empty

	Emulate *action.Emulation `json:"emulate,omitempty"`

	Timeout int `json:"timeout,omitempty"` // idle limit in milliseconds; the configuration's if 0

	Granted []action.AllowHost `json:"more,omitempty"` // hosts that people added
}

const entryColumns = `id, name, scope, actor, provider, state, box, created, last_used, closed,
	reason, actions, failures, width, height, dpi, headless, network, url, title, control`

func (g recordStore) insert(ctx context.Context, e entry) error {
	network, err := json.Marshal(e.terms)
	if err != nil {
		return fmt.Errorf("cannot encode a session's network: %w", err)
	}
	_, err = g.db.Writer.ExecContext(ctx,
		`INSERT INTO sessions (`+entryColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')`,
		e.ID, e.Name, e.Scope, e.Actor, e.Provider, e.State, e.Box, e.Created.UnixNano(), e.LastUsed.UnixNano(), 0,
		e.Reason, e.Actions, e.failures, e.Width, e.Height, e.DPI, e.Headless, string(network), "", "")
	if err != nil {
		return fmt.Errorf("cannot record session: %w", err)
	}
	return nil
}

// update stores the mutable part of a session.
func (g recordStore) update(ctx context.Context, record action.Session, failures int, c pauseState) error {
	hands, err := c.text()
	if err != nil {
		return err
	}
	var ended int64
	if record.Closed != nil {
		ended = record.Closed.UnixNano()
	}
	var page action.Page
	if record.Page != nil {
		page = *record.Page
	}
	_, err = g.db.Writer.ExecContext(ctx,
		`UPDATE sessions SET state = ?, box = ?, last_used = ?, closed = ?, reason = ?, actions = ?, failures = ?,
			url = ?, title = ?, control = ? WHERE id = ?`,
		record.State, record.Box, record.LastUsed.UnixNano(), ended, record.Reason, record.Actions, failures,
		bare(page.URL), page.Title, hands, record.ID)
	if err != nil {
		return fmt.Errorf("cannot record session %s: %w", record.ID, err)
	}
	return nil
}

// saveTerms stores what a session may reach.
func (g recordStore) saveTerms(ctx context.Context, id string, t terms) error {
	ctx, cancel := context.WithTimeout(ctx, saveLimit)
	defer cancel()
	network, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("cannot encode a session's network: %w", err)
	}
	if _, err := g.db.Writer.ExecContext(ctx, `UPDATE sessions SET network = ? WHERE id = ?`, string(network), id); err != nil {
		return fmt.Errorf("cannot record what session %s may reach: %w", id, err)
	}
	return nil
}

// archive hides a session that has ended.
func (g recordStore) archive(ctx context.Context, id string) error {
	if _, err := g.db.Writer.ExecContext(ctx, `UPDATE sessions SET state = ? WHERE id = ?`, archived, id); err != nil {
		return fmt.Errorf("cannot archive session %s: %w", id, err)
	}
	return nil
}

// bare returns a URL without user, query and fragment, which may contain secrets.
func bare(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// byKey finds a session of the scope by id, or the newest one by name.
func (g recordStore) byKey(ctx context.Context, scope, key string) (entry, bool, error) {
	list, err := g.query(ctx, `WHERE scope = ? AND (id = ? OR name = ?) ORDER BY id = ? DESC, created DESC LIMIT 1`,
		scope, key, key, key)
	if err != nil || len(list) == 0 {
		return entry{}, false, err
	}
	return list[0], true, nil
}

// list returns a scope's sessions, newest first.
func (g recordStore) list(ctx context.Context, scope string, withArchived bool) ([]entry, error) {
	return g.query(ctx, `WHERE scope = ? AND (? OR state <> 'archived') ORDER BY created DESC, id LIMIT ?`,
		scope, withArchived, maxListed)
}

// unfinished returns the sessions that an earlier process did not end.
func (g recordStore) unfinished(ctx context.Context) ([]entry, error) {
	return g.query(ctx, `WHERE state IN ('starting', 'open', 'paused', 'taken_over', 'closing') ORDER BY created`)
}

// deleteBefore removes the records of sessions that ended before the given time.
func (g recordStore) deleteBefore(ctx context.Context, before time.Time) (int64, error) {
	gone, err := g.db.Writer.ExecContext(ctx, `DELETE FROM sessions WHERE closed > 0 AND closed < ?`, before.UnixNano())
	if err != nil {
		return 0, fmt.Errorf("cannot remove old sessions: %w", err)
	}
	return gone.RowsAffected()
}

func (g recordStore) query(ctx context.Context, where string, args ...any) ([]entry, error) {
	rows, err := g.db.Reader.QueryContext(ctx, `SELECT `+entryColumns+` FROM sessions `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("cannot read sessions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []entry
	for rows.Next() {
		e, err := scanEntry(rows)
		if err != nil {
			return nil, fmt.Errorf("cannot read sessions: %w", err)
		}
		list = append(list, e)
	}
	return list, rows.Err()
}

func scanEntry(rows *sql.Rows) (entry, error) {
	var e entry
	var created, used, ended int64
	var network, hands string
	var page action.Page
	err := rows.Scan(&e.ID, &e.Name, &e.Scope, &e.Actor, &e.Provider, &e.State, &e.Box, &created, &used, &ended,
		&e.Reason, &e.Actions, &e.failures, &e.Width, &e.Height, &e.DPI, &e.Headless, &network, &page.URL, &page.Title, &hands)
	if err != nil {
		return e, err
	}
	e.Created, e.LastUsed = time.Unix(0, created).UTC(), time.Unix(0, used).UTC()
	if ended > 0 {
		at := time.Unix(0, ended).UTC()
		e.Closed = &at
	}
	if page.URL != "" {
		e.Page = &page
	}
	if err := e.pause.read(hands); err != nil {
		return e, err
	}
	e.Hold = e.pause.Hold
	err = json.Unmarshal([]byte(network), &e.terms)
	e.Allow, e.Session.Profile = e.terms.allowed(), e.terms.Profile
	e.Session.Credentialed, e.Session.Effects = e.terms.secretHosts(), string(e.terms.Sending)
	e.Session.Emulate, e.Session.Timeout = e.terms.Emulate, e.terms.Timeout
	e.Session.Proxy = e.terms.Proxy
	return e, err
}

// addBox stores the id of a box that will be made. session is empty for a warm
// box.
func (g recordStore) addBox(ctx context.Context, box, session string) error {
	_, err := g.db.Writer.ExecContext(ctx, `INSERT INTO boxes (id, session, created) VALUES (?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET session = excluded.session`, box, session, time.Now().UnixNano())
	if err != nil {
		return fmt.Errorf("cannot record box: %w", err)
	}
	return nil
}

// removeBox removes the id of a box that is completely gone.
func (g recordStore) removeBox(ctx context.Context, box string) error {
	if _, err := g.db.Writer.ExecContext(ctx, `DELETE FROM boxes WHERE id = ?`, box); err != nil {
		return fmt.Errorf("cannot forget box: %w", err)
	}
	return nil
}

// boxes returns the ids of all boxes that may exist.
func (g recordStore) boxes(ctx context.Context) (ids []string, err error) {
	rows, err := g.db.Reader.QueryContext(ctx, `SELECT id FROM boxes ORDER BY created`)
	if err != nil {
		return nil, fmt.Errorf("cannot read boxes: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("cannot read boxes: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
