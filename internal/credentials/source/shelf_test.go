package source_test

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
)

// shelf is a source of documents by domain.
type shelf map[string]string

func (shelf) Name() string { return "a shelf" }

func (s shelf) Fetch(_ context.Context, path string) (source.Document, error) {
	text, found := s[path[len(source.DefaultPath):]]
	if !found {
		return source.Document{}, nil
	}
	return source.Document{Text: []byte(text), Version: "1"}, nil
}

func (s shelf) List(context.Context, string) ([]string, error) {
	var paths []string
	for domain := range s {
		paths = append(paths, source.DefaultPath+domain)
	}
	return paths, nil
}
