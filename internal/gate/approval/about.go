package approval

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// ListByVerb lists the questions of a session about one verb, newest first, at most
// 1000.
func (d *Queue) ListByVerb(ctx context.Context, session, verb string) ([]action.Question, error) {
	if err := expire(ctx, d.db.Writer, d.now()); err != nil {
		return nil, broken(err)
	}
	rows, err := d.db.Reader.QueryContext(ctx, `SELECT state, question FROM questions WHERE session = ? AND verb = ?
		ORDER BY asked DESC, id DESC LIMIT ?`, session, verb, listed)
	if err != nil {
		return nil, broken(err)
	}
	defer func() { _ = rows.Close() }()
	var all []action.Question
	for rows.Next() {
		q, err := scan(rows)
		if err != nil {
			return nil, broken(err)
		}
		all = append(all, q)
	}
	if err := rows.Err(); err != nil {
		return nil, broken(err)
	}
	return all, nil
}
