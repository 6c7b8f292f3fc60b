package approval

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Grantable reports whether a person may allow calls of a verb for the rest of a session:
// calls of risk MEDIUM, and the typing of secrets, which is bound to the secrets' origin.
func Grantable(verb string, risk action.Risk) bool {
	return risk == action.Medium || risk == action.High && verb == action.VerbPageFillSecret.Name
}

// Granted reports whether a person allowed calls of this verb on this host for
// the rest of the session.
func (d *Queue) Granted(ctx context.Context, session, verb, host string) (bool, error) {
	if session == "" || host == "" {
		return false, nil
	}
	var one int
	err := d.db.Reader.QueryRowContext(ctx, `SELECT 1 FROM grants WHERE session = ? AND verb = ? AND host = ?`, session, verb, host).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, storeFault(err)
	}
	return true, nil
}

// Grants lists what people allowed for the rest of a session, oldest first.
func (d *Queue) Grants(ctx context.Context, session string) (action.GrantListing, error) {
	out := action.GrantListing{Grants: []action.Grant{}}
	rows, err := d.db.Reader.QueryContext(ctx, `SELECT g.verb, g.host, q.question FROM grants g JOIN questions q ON q.id = g.question
		WHERE g.session = ? ORDER BY q.asked, q.id`, session)
	if err != nil {
		return out, storeFault(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var verb, host, text string
		var q action.Question
		if err := rows.Scan(&verb, &host, &text); err != nil {
			return out, storeFault(err)
		}
		if err := json.Unmarshal([]byte(text), &q); err != nil {
			return out, storeFault(fmt.Errorf("cannot read a question: %w", err))
		}
		g := action.Grant{ID: q.ID, Session: session, Verb: verb, Host: host, GrantedBy: q.AnsweredBy, Reason: q.Reason}
		if q.Answered != nil {
			g.Granted = *q.Answered
		}
		out.Grants = append(out.Grants, g)
	}
	if err := rows.Err(); err != nil {
		return out, storeFault(err)
	}
	return out, nil
}

// Revoke ends the grant that the answer to question id gave a session. The next call that
// the grant covered asks again; so does the call that raised the question, unless it has
// used the answer already.
// Fault: not_found.
func (d *Queue) Revoke(ctx context.Context, session, id string) error {
	gone, err := d.exec(ctx, `DELETE FROM grants WHERE session = ? AND question = ?`, session, id)
	if err != nil {
		return err
	}
	if !gone {
		return fault.New(fault.NotFound, "the session has no such grant").Hinted("list them: glovebox approvals grants")
	}
	_, err = d.exec(ctx, `UPDATE questions SET state = 'used', told = 1 WHERE id = ? AND state = 'approved'`, id)
	return err
}

// EndGrants removes the grants of a session that has ended.
func (d *Queue) EndGrants(ctx context.Context, session string) error {
	_, err := d.exec(ctx, `DELETE FROM grants WHERE session = ?`, session)
	return err
}
