-- +goose Up

-- Tokens that an operator made. Of a token itself only its SHA-256 is here.
-- Times are nanoseconds since 1970; a row goes when its token is revoked.
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

-- +goose Down
DROP TABLE tokens;
