-- +goose Up

-- Times are nanoseconds since 1970. The files of a profile are in a file of its
-- own, encrypted; size is that file's.
CREATE TABLE profiles (
    id      TEXT PRIMARY KEY, -- 32 hex digits
    scope   TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    created INTEGER NOT NULL,
    saved   INTEGER NOT NULL, -- 0 until a session has ended with it
    size    INTEGER NOT NULL, -- bytes; 0 until then
    UNIQUE (scope, name)
);

-- +goose Down
DROP TABLE profiles;
