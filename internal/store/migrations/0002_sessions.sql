-- +goose Up

-- Times are nanoseconds since 1970. network is action.Network as JSON, with the
-- role of who started the session; url
-- has no query and no fragment.
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
    title     TEXT    NOT NULL
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
    created    INTEGER NOT NULL
);
CREATE INDEX artifacts_by_session ON artifacts (scope, session, created DESC);
CREATE INDEX artifacts_by_age ON artifacts (created);

-- +goose Down
DROP TABLE artifacts;
DROP TABLE boxes;
DROP TABLE sessions;
