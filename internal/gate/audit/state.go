package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// state is what the trail knows of itself.
type state struct {
	cut        int64  // the last record that retention removed
	checkpoint string // the newest that was signed, as its line
}

// readState reads the state; without its row it is the zero one, which
// verification does not find in order.
func readState(ctx context.Context, from *sql.DB) (state, error) {
	var s state
	err := from.QueryRowContext(ctx, `SELECT cut, checkpoint FROM audit_state`).Scan(&s.cut, &s.checkpoint)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s, fmt.Errorf("cannot read the state of the trail: %w", err)
	}
	return s, nil
}
