-- +goose Up

-- Who keeps a session from its agents and what its agent is told next, as
-- JSON; empty while nobody does and nothing waits.
ALTER TABLE sessions ADD COLUMN control TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sessions DROP COLUMN control;
