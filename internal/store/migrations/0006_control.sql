-- +goose Up

-- Who keeps a session from its agents and what its agent is told next, as
-- JSON; empty while nobody does and nothing waits.
ALTER TABLE sessions ADD COLUMN control TEXT NOT NULL DEFAULT '';

-- Of a session's questions those about one verb are looked for.
CREATE INDEX questions_session ON questions (session, verb);

-- +goose Down
DROP INDEX questions_session;
ALTER TABLE sessions DROP COLUMN control;
