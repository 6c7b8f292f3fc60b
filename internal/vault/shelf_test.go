package vault_test

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/vault"
)

// shelf is a source of documents by domain.
type shelf map[string]string

func (shelf) Name() string { return "a shelf" }

func (s shelf) Fetch(_ context.Context, path string) (vault.Document, error) {
	text, found := s[path[len(vault.DefaultPath):]]
	if !found {
		return vault.Document{}, nil
	}
	return vault.Document{Text: []byte(text), Version: "1"}, nil
}

func (s shelf) List(context.Context, string) ([]string, error) {
	var paths []string
	for domain := range s {
		paths = append(paths, vault.DefaultPath+domain)
	}
	return paths, nil
}
