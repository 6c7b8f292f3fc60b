-- +goose Up

-- noted: the end of the question is in the audit trail.
ALTER TABLE questions ADD COLUMN noted INTEGER NOT NULL DEFAULT 0;
UPDATE questions SET noted = 1 WHERE state <> 'pending';
CREATE INDEX questions_not_noted ON questions (state, expires) WHERE noted = 0;

-- private: only operators may know of it.
ALTER TABLE artifacts ADD COLUMN private INTEGER NOT NULL DEFAULT 0;

-- What the webhook is still to be told: messages with the number of their
-- record, key is the question they are about. Times are Unix milliseconds.
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

-- +goose Down
DROP TABLE webhook;
DROP TABLE webhook_messages;
ALTER TABLE artifacts DROP COLUMN private;
DROP INDEX questions_not_noted;
ALTER TABLE questions DROP COLUMN noted;
