-- +goose Up

-- What the trail knows of itself, in one row. cut is the last record that
-- retention removed; checkpoint is the newest one that was signed, as the line
-- that stands in the second place.
CREATE TABLE audit_state (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  cut        INTEGER NOT NULL DEFAULT 0,
  checkpoint TEXT    NOT NULL DEFAULT ''
);
INSERT INTO audit_state (id) VALUES (1);

-- Only what retention has said it removes may be removed.
DROP TRIGGER audit_is_append_only_delete;
-- +goose StatementBegin
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit
WHEN OLD.seq > coalesce((SELECT cut FROM audit_state), 0)
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append only');
END;
-- +goose StatementEnd

-- What queries filter by is computed from the record itself, so that it cannot
-- say something else. at is in milliseconds since 1970.
ALTER TABLE audit ADD COLUMN event TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.event_type' END);
ALTER TABLE audit ADD COLUMN domain TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.domain' END);
ALTER TABLE audit ADD COLUMN risk TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.risk' END);
ALTER TABLE audit ADD COLUMN decision TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.hitl_decision' END);
ALTER TABLE audit ADD COLUMN result TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.result' END);
ALTER TABLE audit ADD COLUMN at INTEGER AS (CASE WHEN json_valid(record) THEN CAST(1000 * unixepoch(record ->> '$.timestamp', 'subsec') AS INTEGER) END);
CREATE INDEX audit_verb ON audit (scope, verb, seq);
CREATE INDEX audit_domain ON audit (scope, domain, seq);

-- +goose Down
DROP INDEX audit_domain;
DROP INDEX audit_verb;
ALTER TABLE audit DROP COLUMN at;
ALTER TABLE audit DROP COLUMN result;
ALTER TABLE audit DROP COLUMN decision;
ALTER TABLE audit DROP COLUMN risk;
ALTER TABLE audit DROP COLUMN domain;
ALTER TABLE audit DROP COLUMN event;
DROP TABLE audit_state;
