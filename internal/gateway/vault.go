package gateway

import (
	"context"
	"fmt"
	"os"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

// openVault opens the source of credentials, until the gateway is closed.
func (g *Gateway) openVault(c config.Config) (err error) {
	if g.vault, err = openVault(c); err != nil {
		return err
	}
	g.onClose("vault", g.vault.Close)
	return nil
}

// openVault opens the source of credentials. It makes no request to it yet.
// Faults: invalid_request, start_failed.
func openVault(c config.Config) (*source.Vault, error) {
	from, err := openSource(c)
	if err != nil {
		return nil, err
	}
	return source.Open(source.Options{Source: from, Path: c.Security.Credentials.Path})
}

// openSource opens the configured source of credentials, nil for none. Its keys are in
// the environment or in files, not in the configuration, which can be printed.
func openSource(c config.Config) (source.Source, error) {
	switch c.Security.Credentials.Backend {
	case "file":
		return source.OpenFile(c.Server.StateDir, os.Getenv(source.KeyEnv))
	case "env":
		return source.Environment(os.Environ()), nil
	case "vault":
		return source.Connect(server(c.Security.Credentials.HashiCorp))
	case "sops":
		keys := os.Getenv(source.SOPSKeyEnv)
		if file := c.Security.Credentials.SOPS.KeyFile; file != "" {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, fault.New(fault.InvalidRequest, "security.credentials.sops.age_key_file cannot be read").
					Hinted("make %s readable for the gateway", file).Because(err)
			}
			keys = string(text)
		}
		return source.SOPS(c.Security.Credentials.SOPS.Path, keys)
	case "none":
		return nil, nil
	default:
		return nil, fault.New(fault.InvalidRequest, "there is no source of credentials %q", c.Security.Credentials.Backend).
			Hinted("set security.credentials.vault_backend to one that docs/reference/configuration.md lists")
	}
}

func server(c config.HashiCorp) source.HashiCorp {
	return source.HashiCorp{
		Address: c.Address, Namespace: c.Namespace, Mount: c.Mount, CA: c.CA, ServerName: c.ServerName,
		Token:  source.LoginSecret{Given: os.Getenv(c.TokenEnv), File: c.TokenFile},
		RoleID: c.RoleID, RoleMount: c.RoleMount, SecretID: source.LoginSecret{Given: os.Getenv(c.SecretIDEnv), File: c.SecretIDFile},
	}
}

// vaultCheck says what of the vault a host would get.
type vaultCheck struct {
	vault      *source.Vault
	autoInject bool
}

// check says what a host would get in the caller's scope.
func (v vaultCheck) check(ctx context.Context, call action.Call) (action.Result, error) {
	args, ok := call.Args.(*action.CredentialQuery)
	if !ok {
		return action.Result{}, fault.New(fault.Internal, "%s has the arguments of another verb", call.Verb)
	}
	host, known := source.Fold(args.Domain)
	if !known {
		return action.Result{}, fault.New(fault.InvalidRequest, "domain is no host").
			Hinted("write a host without scheme, port and path, like app.example.com").With("field", "domain")
	}
	found, looked, err := v.vault.Check(ctx, call.Caller.Scope, host)
	if err != nil {
		return action.Result{}, err
	}
	check := action.CredentialCheck{Host: host, Source: v.vault.Source(), Looked: looked, AutoInject: v.autoInject}
	if found != nil {
		check.Found, check.Domain, check.Path, check.Version = true, found.Domain, found.Path, found.Version
		check.CredentialCounts, check.Expired = action.CredentialCounts(found.Counts), found.Expired
		check.Origin, check.Names, check.Ask, check.Required = found.Origin, found.Names, found.Ask, found.Required
		if !found.Changed.IsZero() {
			check.Changed = &found.Changed
		}
	}
	return action.Result{Data: &check}, nil
}

// vaultFindings says whether the vault can be asked, and how much is in it.
func vaultFindings(ctx context.Context, c config.Config) []cli.Check {
	if c.Security.Credentials.Backend == "none" {
		return nil
	}
	v, err := openVault(c)
	if err != nil {
		return []cli.Check{failedCheck("vault", err)}
	}
	defer func() { _ = v.Close(ctx) }()
	kept, err := v.List(ctx, auth.DefaultScope)
	if err != nil {
		return []cli.Check{failedCheck("vault", err)}
	}
	for _, each := range kept {
		if each.Problem != "" {
			return []cli.Check{{Name: "vault", Detail: fmt.Sprintf("%s: %s", v.Source(), each.Problem), Repair: "glovebox vault check " + each.Domain}}
		}
	}
	return []cli.Check{{Name: "vault", OK: true, Detail: fmt.Sprintf("%s has credentials of %d domains", v.Source(), len(kept))}}
}
