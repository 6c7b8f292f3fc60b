package workflow

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/store"
)

const listedRuns = 100 // default limit of a list

// runStore keeps the records of runs.
type runStore struct{ db *store.DB }

// insert stores a new run.
func (l runStore) insert(ctx context.Context, run action.Run, caller action.Caller) error {
	text, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("cannot encode a run: %w", err)
	}
	who, err := json.Marshal(caller)
	if err != nil {
		return fmt.Errorf("cannot encode a caller: %w", err)
	}
	_, err = l.db.Writer.ExecContext(ctx, `INSERT INTO runs (id, scope, state, created, ended, caller, run) VALUES (?, ?, ?, ?, 0, ?, ?)`,
		run.ID, caller.Scope, run.State, run.Created.UnixNano(), string(who), string(text))
	if err != nil {
		return fmt.Errorf("cannot record a run: %w", err)
	}
	return nil
}

// update stores a run as it is now.
func (l runStore) update(ctx context.Context, run action.Run) error {
	text, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("cannot encode run %s: %w", run.ID, err)
	}
	var ended int64
	if run.Ended != nil {
		ended = run.Ended.UnixNano()
	}
	_, err = l.db.Writer.ExecContext(ctx, `UPDATE runs SET state = ?, ended = ?, run = ? WHERE id = ?`, run.State, ended, string(text), run.ID)
	if err != nil {
		return fmt.Errorf("cannot record run %s: %w", run.ID, err)
	}
	return nil
}

// find returns a run of a scope. Faults: not_found, also for another scope's.
func (l runStore) find(ctx context.Context, scope, id string) (action.Run, error) {
	var text string
	err := l.db.Reader.QueryRowContext(ctx, `SELECT run FROM runs WHERE id = ? AND scope = ?`, id, scope).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return action.Run{}, fault.New(fault.NotFound, "there is no such run").Hinted("list the runs there are: run.list")
	}
	if err != nil {
		return action.Run{}, fmt.Errorf("cannot read a run: %w", err)
	}
	return decodeRun(text)
}

func decodeRun(text string) (run action.Run, err error) {
	if err := json.Unmarshal([]byte(text), &run); err != nil {
		return run, fmt.Errorf("cannot read a run: %w", err)
	}
	return run, nil
}

// list returns a scope's runs, newest first, without their pages' content.
func (l runStore) list(ctx context.Context, scope string, args action.RunList) ([]action.Run, error) {
	rows, err := l.db.Reader.QueryContext(ctx, `SELECT run FROM runs WHERE scope = ? AND (? = '' OR state = ?) ORDER BY created DESC, id LIMIT ?`,
		scope, args.State, args.State, cmp.Or(args.Limit, listedRuns))
	if err != nil {
		return nil, fmt.Errorf("cannot read runs: %w", err)
	}
	defer func() { _ = rows.Close() }()
	all := []action.Run{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, fmt.Errorf("cannot read runs: %w", err)
		}
		run, err := decodeRun(text)
		if err != nil {
			return nil, err
		}
		run.Content.Text, run.Content.Elements = "", []action.RunInteractive{}
		all = append(all, run)
	}
	return all, rows.Err()
}

// orphan is a run of an earlier gateway that did not end.
type orphan struct {
	run    action.Run
	caller action.Caller
}

// orphans returns the runs that an earlier gateway did not end.
func (l runStore) orphans(ctx context.Context) ([]orphan, error) {
	rows, err := l.db.Reader.QueryContext(ctx, `SELECT run, caller FROM runs WHERE state <> ?`, action.RunEnded)
	if err != nil {
		return nil, fmt.Errorf("cannot read runs: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []orphan
	for rows.Next() {
		var o orphan
		var text, who string
		if err := rows.Scan(&text, &who); err != nil {
			return nil, fmt.Errorf("cannot read runs: %w", err)
		}
		if o.run, err = decodeRun(text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(who), &o.caller); err != nil {
			return nil, fmt.Errorf("cannot read a run's caller: %w", err)
		}
		all = append(all, o)
	}
	return all, rows.Err()
}

// forget removes runs that ended before a time.
func (l runStore) forget(ctx context.Context, before time.Time) (int64, error) {
	gone, err := l.db.Writer.ExecContext(ctx, `DELETE FROM runs WHERE ended > 0 AND ended < ?`, before.UnixNano())
	if err != nil {
		return 0, fmt.Errorf("cannot remove old runs: %w", err)
	}
	return gone.RowsAffected()
}
