package app

import (
	"os"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/vault"
)

// openVault opens where credentials come from. It asks nothing of it yet.
// Faults: invalid_request, start_failed.
func openVault(c config.Config) (*vault.Vault, error) {
	from, err := source(c)
	if err != nil {
		return nil, err
	}
	return vault.Open(vault.Options{Source: from, Path: c.Security.Credentials.Path})
}

// source is nil for none.
func source(c config.Config) (vault.Source, error) {
	if c.Security.Credentials.Backend == "env" {
		return vault.Environment(os.Environ()), nil
	}
	return nil, nil
}
