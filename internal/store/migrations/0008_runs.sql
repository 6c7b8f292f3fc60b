-- +goose Up

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
