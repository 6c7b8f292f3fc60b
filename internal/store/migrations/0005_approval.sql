-- +goose Up

-- noted: the end of the question is in the audit trail.
ALTER TABLE questions ADD COLUMN noted INTEGER NOT NULL DEFAULT 0;
UPDATE questions SET noted = 1 WHERE state <> 'pending';
CREATE INDEX questions_not_noted ON questions (state, expires) WHERE noted = 0;

-- private: only operators may know of it.
ALTER TABLE artifacts ADD COLUMN private INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE artifacts DROP COLUMN private;
DROP INDEX questions_not_noted;
ALTER TABLE questions DROP COLUMN noted;
