-- +goose Up

-- Hosts whose cookies and storage were imported into the profile, and are
-- secrets of its sessions; and the origins that may have localStorage in it.
-- Both with blanks between.
ALTER TABLE profiles ADD COLUMN imported TEXT NOT NULL DEFAULT '';
ALTER TABLE profiles ADD COLUMN origins TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE profiles DROP COLUMN origins;
ALTER TABLE profiles DROP COLUMN imported;
