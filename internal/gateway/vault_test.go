package gateway

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials/source/vaulttest"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

const aDocument = `{"domain":"example.com","cookies":[{"name":"sid","value":"canary-41"}],"login":{"password":"canary-42"}}`

// TestEachBackendAnswersWithoutAGateway checks a host as `glovebox vault check`
// does without a gateway, through a gate without sessions.
func TestEachBackendAnswersWithoutAGateway(t *testing.T) {
	server := vaulttest.Start(t, vaulttest.Options{Mount: "secrets"})
	server.Put("browser/example.com", aDocument)
	t.Setenv("A_TOKEN", server.Root())
	t.Setenv("GLOVEBOX_SECRET_SECRETS_BROWSER_EXAMPLE_COM", aDocument)
	testenv.Require(t, testenv.Program("sops"))
	for backend, from := range map[string]string{
		"file": "the vault file", "vault": "the vault at " + strings.TrimPrefix(server.URL, "http://"), "env": "the environment",
		"sops": "SOPS in folder", "none": "no vault",
	} {
		c := config.Default()
		c.Server.StateDir = t.TempDir()
		creds := &c.Security.Credentials
		creds.Backend, creds.HashiCorp.Address, creds.HashiCorp.TokenEnv = backend, server.URL, "A_TOKEN"
		creds.SOPS = config.SOPS{Path: "../credentials/source/testdata/sops/folder", KeyFile: "../credentials/source/testdata/sops/age.key"}
		if backend == "file" {
			v, err := openVault(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Set(t.Context(), "default", "example.com", []byte(aDocument)); err != nil {
				t.Fatal(err)
			}
		}
		call := action.Call{Verb: "credential.check", Args: &action.CredentialQuery{Domain: "App.Example.com"}}
		result, err := offline(t.Context(), c, call)
		if err != nil {
			t.Errorf("%s: %v", backend, err)
			continue
		}
		got := result.Data.(*action.CredentialCheck)
		if got.Source != from || got.Found != (backend != "none") || got.Host != "app.example.com" || got.Found && got.Cookies != 1 || !got.AutoInject {
			t.Errorf("%s: got %+v", backend, got)
		}
		if checks := vaultFindings(t.Context(), c); len(checks) > 1 || len(checks) == 1 && !checks[0].OK {
			t.Errorf("%s: doctor says %+v", backend, checks)
		}
	}
}

func TestACheckOfAnInvalidHostIsRefused(t *testing.T) {
	c := config.Default()
	c.Server.StateDir = t.TempDir()
	for _, domain := range []string{"https://example.com/", "example.com:443", "a b", "."} {
		_, err := offline(t.Context(), c, action.Call{Verb: "credential.check", Args: &action.CredentialQuery{Domain: domain}})
		if fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", domain, err)
		}
	}
}

func TestDoctorReportsProblemsOfTheVault(t *testing.T) {
	unsound := t.TempDir()
	t.Setenv("GLOVEBOX_SECRET_SECRETS_BROWSER_EXAMPLE_COM", `{"domain":"example.com","cookies":"canary-41"}`)
	for name, change := range map[string]func(*config.Credentials){
		"unsound": func(c *config.Credentials) { c.Backend = "env" },
		"nobody": func(c *config.Credentials) {
			c.Backend, c.HashiCorp.Address, c.HashiCorp.TokenEnv = "vault", "http://127.0.0.1:1", "PATH"
		},
		"no token": func(c *config.Credentials) {
			c.Backend, c.HashiCorp.Address, c.HashiCorp.TokenEnv = "vault", "http://127.0.0.1:1", "NOT_SET"
		},
		"no age key": func(c *config.Credentials) { c.Backend, c.SOPS.Path = "sops", unsound },
		"no sops": func(c *config.Credentials) {
			t.Setenv("PATH", unsound)
			c.Backend, c.SOPS = "sops", config.SOPS{Path: "../credentials/source/testdata/sops/folder", KeyFile: "../credentials/source/testdata/sops/age.key"}
		},
		"no file":     func(c *config.Credentials) { c.Backend, c.SOPS.KeyFile = "sops", filepath.Join(unsound, "none") },
		"key is none": func(c *config.Credentials) { t.Setenv("GLOVEBOX_VAULT_KEY", "canary-41") },
	} {
		c := config.Default()
		c.Server.StateDir = unsound
		change(&c.Security.Credentials)
		checks := vaultFindings(t.Context(), c)
		if len(checks) != 1 || checks[0].OK || checks[0].Detail == "" || checks[0].Repair == "" || strings.Contains(checks[0].Detail+checks[0].Repair, "canary") {
			t.Errorf("%s: doctor says %+v", name, checks)
		}
	}
}
