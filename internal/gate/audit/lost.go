package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// Lost is the result of a call whose gateway ended before the outcome was stored: the
// call may have been done.
const Lost = "lost"

// CloseLost stores an outcome with the result Lost for each intent without an outcome, and
// returns their number. Call it before the first call of a gateway: intents without an
// outcome are then those of a gateway that has ended. Fault: audit_unavailable.
func (l *Log) CloseLost(ctx context.Context) (int, error) {
	end, err := readChainHead(ctx, l.db.Reader)
	if err != nil {
		return 0, unreadable(err)
	}
	lost, err := l.openIntents(ctx)
	if err != nil {
		return 0, err
	}
	for chunk := range slices.Chunk(lost, largestBatch) {
		if err := l.Append(chunk...); err != nil {
			return 0, err
		}
	}
	if _, err := l.db.Writer.ExecContext(ctx, `UPDATE audit_state SET closed = ?`, end.seq); err != nil {
		return 0, unavailable(fmt.Errorf("cannot note what is closed: %w", err))
	}
	return len(lost), nil
}

// openIntents returns an outcome for each intent that has none, in order. It reads the
// records since the last CloseLost.
func (l *Log) openIntents(ctx context.Context) ([]action.Record, error) {
	rows, err := l.db.Reader.QueryContext(ctx, `SELECT seq, event, coalesce(record ->> '$.correlation_id', '') FROM audit
		WHERE seq > coalesce((SELECT closed FROM audit_state), 0) AND event IN (?, ?) ORDER BY seq`, action.EventIntent, action.EventOutcome)
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = rows.Close() }()
	open := map[string][]int64{} // intents by correlation id
	for rows.Next() {
		var seq int64
		var event, id string
		if err := rows.Scan(&seq, &event, &id); err != nil {
			return nil, unreadable(err)
		}
		if event == action.EventIntent {
			open[id] = append(open[id], seq)
		} else if open[id] = open[id][min(1, len(open[id])):]; len(open[id]) == 0 {
			delete(open, id)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(err)
	}
	var lost []action.Record
	for _, seq := range slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(open))...))) {
		records, err := l.read(ctx, `SELECT seq, record, hash FROM audit WHERE seq = ?`, seq)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			lost = append(lost, outcomeOf(r))
		}
	}
	return lost, nil
}

// outcomeOf is the outcome of an intent that was lost.
func outcomeOf(intent action.Record) action.Record {
	r := action.Record{
		EventType: action.EventOutcome, CorrelationID: intent.CorrelationID, Actor: intent.Actor, Role: intent.Role, Scope: intent.Scope,
		SessionID: intent.SessionID, ContainerID: intent.ContainerID, Action: intent.Action, Surface: intent.Surface, URL: intent.URL,
		Domain: intent.Domain, TargetURL: intent.TargetURL, TargetElement: intent.TargetElement, Risk: intent.Risk, Rule: intent.Rule,
		HITLDecision: intent.HITLDecision, ApprovalID: intent.ApprovalID, Result: Lost,
		Detail: fmt.Sprintf("the gateway ended before the outcome of record %d was stored: it may have been done", intent.Seq),
	}
	return r
}
