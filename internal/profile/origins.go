package profile

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

const maxOrigins = 500 // of a profile; the page engine has the same limit

// Origins returns the origins that may have localStorage in a profile, sorted:
// those whose documents its sessions have shown, and those that were imported.
func (s *Store) Origins(ctx context.Context, id string) ([]string, error) {
	var text string
	if err := s.db.Reader.QueryRowContext(ctx, `SELECT origins FROM profiles WHERE id = ?`, id).Scan(&text); err != nil {
		return nil, fmt.Errorf("cannot read the origins of a profile: %w", err)
	}
	return strings.Fields(text), nil
}

// Visited adds origins to those that may have localStorage in a profile, up to
// 500.
func (s *Store) Visited(ctx context.Context, id string, origins []string) error {
	have, err := s.Origins(ctx, id)
	if err != nil {
		return err
	}
	all := slices.Clone(have)
	for _, o := range origins {
		if len(all) < maxOrigins && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	if len(all) == len(have) {
		return nil
	}
	slices.Sort(all)
	if _, err := s.db.Writer.ExecContext(ctx, `UPDATE profiles SET origins = ? WHERE id = ?`, strings.Join(all, " "), id); err != nil {
		return fmt.Errorf("cannot record the origins of a profile: %w", err)
	}
	return nil
}
