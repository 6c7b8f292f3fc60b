-- +goose Up

-- Up to this record each intent has an outcome.
ALTER TABLE audit_state ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE audit_state DROP COLUMN closed;
