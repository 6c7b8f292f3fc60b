package webhook

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/gloveboxhq/glovebox/internal/store"
)

// Status is how deliveries went.
type Status struct {
	Delivered int64
	GivenUp   int64
	Waiting   int64
	Problem   string    // of the last attempt; empty when it succeeded, or there was none
	Tried     time.Time // when that was; zero when there was none
}

// Read returns how deliveries went; the zero Status where no webhook was ever
// configured.
func Read(ctx context.Context, db *store.DB) (Status, error) {
	var s Status
	var tried int64
	err := db.Reader.QueryRowContext(ctx, `SELECT delivered, given_up, problem, tried, (SELECT count(*) FROM webhook_messages) FROM webhook`).
		Scan(&s.Delivered, &s.GivenUp, &s.Problem, &tried, &s.Waiting)
	if errors.Is(err, sql.ErrNoRows) {
		return Status{}, nil
	}
	if tried > 0 {
		s.Tried = time.UnixMilli(tried)
	}
	return s, err
}
