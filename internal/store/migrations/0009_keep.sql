-- +goose Up

-- Whether what sessions got from the vault is saved in the profile too, and the
-- domains it was for, with blanks between.
ALTER TABLE profiles ADD COLUMN keep_credentials INTEGER NOT NULL DEFAULT 0;
ALTER TABLE profiles ADD COLUMN credentialed TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE profiles DROP COLUMN credentialed;
ALTER TABLE profiles DROP COLUMN keep_credentials;
