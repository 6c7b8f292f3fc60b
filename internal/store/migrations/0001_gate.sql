-- +goose Up

-- The audit trail. record is the canonical JSON of one record without its
-- hash; hash is SHA-256 over the hash before it and record. The other columns
-- repeat what queries filter by; verification compares them with the record.
CREATE TABLE audit (
  seq     INTEGER PRIMARY KEY,
  scope   TEXT NOT NULL,
  session TEXT NOT NULL,
  actor   TEXT NOT NULL,
  verb    TEXT NOT NULL,
  record  TEXT NOT NULL,
  hash    TEXT NOT NULL
);
CREATE INDEX audit_scope ON audit (scope, seq);
CREATE INDEX audit_session ON audit (session, seq);

-- +goose StatementBegin
CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append only');
END;
-- +goose StatementEnd

-- Questions asked of people. binding is the hash of the call a question is
-- about; question is its JSON as shown. Times are Unix milliseconds.
CREATE TABLE questions (
  id         TEXT PRIMARY KEY,
  scope      TEXT NOT NULL,
  session    TEXT NOT NULL,
  verb       TEXT NOT NULL,
  host       TEXT NOT NULL,
  risk       TEXT NOT NULL,
  binding    TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'expired', 'used')),
  told       INTEGER NOT NULL DEFAULT 0,
  asked      INTEGER NOT NULL,
  expires    INTEGER NOT NULL,
  claimable  INTEGER NOT NULL DEFAULT 0,
  question   TEXT NOT NULL
);
CREATE INDEX questions_scope ON questions (scope, state, asked);
CREATE INDEX questions_binding ON questions (binding, asked);

-- Answers that cover later calls of the same verb, session and host.
CREATE TABLE grants (
  session  TEXT NOT NULL,
  verb     TEXT NOT NULL,
  host     TEXT NOT NULL,
  question TEXT NOT NULL,
  PRIMARY KEY (session, verb, host)
);

-- +goose Down
DROP TABLE grants;
DROP TABLE questions;
DROP TABLE audit;
