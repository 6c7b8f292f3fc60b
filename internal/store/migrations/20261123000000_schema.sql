-- +goose Up

-- The audit trail. record is the canonical JSON of one record without its
-- hash; hash is SHA-256 over the hash before it and record. scope, session,
-- actor and verb repeat what queries filter by; verification compares them with
-- the record. What follows them is computed from the record itself, so that it
-- cannot say something else. at is in milliseconds since 1970.
CREATE TABLE audit (
  seq      INTEGER PRIMARY KEY,
  scope    TEXT NOT NULL,
  session  TEXT NOT NULL,
  actor    TEXT NOT NULL,
  verb     TEXT NOT NULL,
  record   TEXT NOT NULL,
  hash     TEXT NOT NULL,
  event    TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.event_type' END),
  domain   TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.domain' END),
  risk     TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.risk' END),
  decision TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.hitl_decision' END),
  result   TEXT AS (CASE WHEN json_valid(record) THEN record ->> '$.result' END),
  at       INTEGER AS (CASE WHEN json_valid(record) THEN CAST(1000 * unixepoch(record ->> '$.timestamp', 'subsec') AS INTEGER) END)
);
CREATE INDEX audit_scope ON audit (scope, seq);
CREATE INDEX audit_session ON audit (session, seq);
CREATE INDEX audit_verb ON audit (scope, verb, seq);
CREATE INDEX audit_domain ON audit (scope, domain, seq);

-- The state of the trail, in one row. cut is the last record that retention
-- removed; checkpoint is the newest one that was signed, as the line that is
-- also written to the checkpoint file. Up to the record closed, each intent has
-- an outcome.
CREATE TABLE audit_state (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  cut        INTEGER NOT NULL DEFAULT 0,
  checkpoint TEXT    NOT NULL DEFAULT '',
  closed     INTEGER NOT NULL DEFAULT 0
);
INSERT INTO audit_state (id) VALUES (1);

-- +goose StatementBegin
CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append only');
END;
-- +goose StatementEnd

-- Only records up to cut may be removed.
-- +goose StatementBegin
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit
WHEN OLD.seq > coalesce((SELECT cut FROM audit_state), 0)
BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append only');
END;
-- +goose StatementEnd

-- Questions asked of people. binding is the hash of the call a question is
-- about; question is its JSON as shown. noted: the end of the question is in
-- the audit trail. Times are Unix milliseconds.
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
  question   TEXT NOT NULL,
  noted      INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX questions_scope ON questions (scope, state, asked);
CREATE INDEX questions_binding ON questions (binding, asked);
CREATE INDEX questions_session ON questions (session, verb);
CREATE INDEX questions_not_noted ON questions (state, expires) WHERE noted = 0;

-- Answers that cover later calls of the same verb, session and host.
CREATE TABLE grants (
  session  TEXT NOT NULL,
  verb     TEXT NOT NULL,
  host     TEXT NOT NULL,
  question TEXT NOT NULL,
  PRIMARY KEY (session, verb, host)
);

-- Messages that the webhook is still to be sent. seq is the number of the audit
-- record, key is the question a message is about. Times are Unix milliseconds.
CREATE TABLE webhook_messages (
  seq      INTEGER PRIMARY KEY,
  key      TEXT NOT NULL,
  name     TEXT NOT NULL,
  body     TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  due      INTEGER NOT NULL
);
CREATE INDEX webhook_messages_key ON webhook_messages (key, seq);

-- One row while a webhook is configured: the last record that was taken, and
-- how deliveries went.
CREATE TABLE webhook (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  seq       INTEGER NOT NULL,
  delivered INTEGER NOT NULL DEFAULT 0,
  given_up  INTEGER NOT NULL DEFAULT 0,
  problem   TEXT NOT NULL DEFAULT '', -- of the last attempt; empty when it succeeded
  tried     INTEGER NOT NULL DEFAULT 0
);

-- Times are nanoseconds since 1970. network is action.Network as JSON, with the
-- role of who started the session; url has no query and no fragment. control
-- is, as JSON, who keeps the session from its agents and what its agent is told
-- next; it is empty while nobody does and nothing waits.
CREATE TABLE sessions (
  id        TEXT PRIMARY KEY,
  name      TEXT    NOT NULL,
  scope     TEXT    NOT NULL,
  actor     TEXT    NOT NULL,
  provider  TEXT    NOT NULL,
  state     TEXT    NOT NULL,
  box       TEXT    NOT NULL,
  created   INTEGER NOT NULL,
  last_used INTEGER NOT NULL,
  closed    INTEGER NOT NULL, -- 0 while open
  reason    TEXT    NOT NULL,
  actions   INTEGER NOT NULL,
  failures  INTEGER NOT NULL,
  width     INTEGER NOT NULL,
  height    INTEGER NOT NULL,
  dpi       INTEGER NOT NULL,
  headless  INTEGER NOT NULL,
  network   TEXT    NOT NULL,
  url       TEXT    NOT NULL,
  title     TEXT    NOT NULL,
  control   TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX sessions_by_scope ON sessions (scope, created DESC);
CREATE INDEX sessions_by_state ON sessions (state);

-- A row is written before its box is made and removed when the box is gone:
-- what is left after a crash names every box there may be.
CREATE TABLE boxes (
  id      TEXT PRIMARY KEY,
  session TEXT    NOT NULL, -- empty while the box is warm
  created INTEGER NOT NULL
);

CREATE TABLE artifacts (
  id         TEXT PRIMARY KEY,
  scope      TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  media_type TEXT    NOT NULL,
  size       INTEGER NOT NULL, -- bytes
  sha256     TEXT    NOT NULL, -- hex
  created    INTEGER NOT NULL,
  private    INTEGER NOT NULL DEFAULT 0 -- 1: only operators may know of it
);
CREATE INDEX artifacts_by_session ON artifacts (scope, session, created DESC);
CREATE INDEX artifacts_by_age ON artifacts (created);

-- Times are nanoseconds since 1970. The files of a profile are in a file of its
-- own, encrypted; size is that file's. keep_credentials says whether what
-- sessions got from the vault is saved in the profile too, and credentialed the
-- domains it was for. imported has the hosts whose cookies and storage were
-- imported into the profile, and are secrets of its sessions; origins those that
-- may have localStorage in it. These three have blanks between the names.
CREATE TABLE profiles (
  id               TEXT PRIMARY KEY, -- 32 hex digits
  scope            TEXT    NOT NULL,
  name             TEXT    NOT NULL,
  created          INTEGER NOT NULL,
  saved            INTEGER NOT NULL, -- 0 until a session has ended with it
  size             INTEGER NOT NULL, -- bytes; 0 until then
  keep_credentials INTEGER NOT NULL DEFAULT 0,
  credentialed     TEXT    NOT NULL DEFAULT '',
  imported         TEXT    NOT NULL DEFAULT '',
  origins          TEXT    NOT NULL DEFAULT '',
  UNIQUE (scope, name)
);

-- Tokens that an operator made. Of a token itself only its SHA-256 is here.
-- Times are nanoseconds since 1970; a row is removed when its token is revoked.
CREATE TABLE tokens (
  id      TEXT PRIMARY KEY,
  scope   TEXT    NOT NULL,
  name    TEXT    NOT NULL,
  role    TEXT    NOT NULL CHECK (role IN ('agent', 'viewer', 'operator')),
  hash    BLOB    NOT NULL UNIQUE,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL, -- 0: never
  used    INTEGER NOT NULL, -- 0 until then; to the minute
  UNIQUE (scope, name)
);

-- Contract runs. run is action.Run as JSON, and caller action.Caller of who
-- started it; what the run was asked to type is not kept. Times are nanoseconds
-- since 1970.
CREATE TABLE runs (
  id      TEXT PRIMARY KEY,
  scope   TEXT    NOT NULL,
  state   TEXT    NOT NULL,
  created INTEGER NOT NULL,
  ended   INTEGER NOT NULL, -- 0 until it has
  caller  TEXT    NOT NULL,
  run     TEXT    NOT NULL
);
CREATE INDEX runs_by_scope ON runs (scope, created DESC);
CREATE INDEX runs_by_state ON runs (state);

-- +goose Down
DROP TABLE runs;
DROP TABLE tokens;
DROP TABLE profiles;
DROP TABLE artifacts;
DROP TABLE boxes;
DROP TABLE sessions;
DROP TABLE webhook;
DROP TABLE webhook_messages;
DROP TABLE grants;
DROP TABLE questions;
DROP TABLE audit_state;
DROP TABLE audit;
