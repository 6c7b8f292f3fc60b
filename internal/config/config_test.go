package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

func env(pairs ...string) config.Env {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func load(t *testing.T, text string, pairs ...string) (config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "glovebox.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, from, err := config.Load(path, env(append(pairs, "HOME", "/home/someone")...))
	if from != path {
		t.Errorf("read %q, want %q", from, path)
	}
	return c, err
}

func TestAnEmptyFileGivesTheDefaults(t *testing.T) {
	c, err := load(t, "")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Server.StateDir = "/home/someone/.local/state/glovebox"
	want.Source = c.Source
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestTheEnvironmentWinsOverTheFile(t *testing.T) {
	c, err := load(t, "browser: {sandbox: {warm_pool: 3}}\nsecurity: {network: {navigation: [a.example]}}\n",
		"GLOVEBOX_BROWSER_SANDBOX_WARM_POOL", "0",
		"GLOVEBOX_SECURITY_NETWORK_NAVIGATION", "b.example, *.c.example",
		"GLOVEBOX_SECURITY_NETWORK_PORTS", "80,8443",
		"GLOVEBOX_BROWSER_ENABLED", "false",
		"GLOVEBOX_SERVER_STATE_DIR", "/var/lib/glovebox")
	if err != nil {
		t.Fatal(err)
	}
	if c.Browser.Sandbox.WarmPool != 0 || c.Browser.Enabled || c.Server.StateDir != "/var/lib/glovebox" {
		t.Errorf("got %+v", c)
	}
	if diff := cmp.Diff([]string{"b.example", "*.c.example"}, c.Security.Network.Navigation); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{80, 8443}, c.Security.Network.Ports); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsNameTheWrongKey(t *testing.T) {
	tests := []struct{ name, text, variable, want string }{
		{"unknown key", "browser: {sandbox: {warm_pol: 1}}", "", `unknown key "browser.sandbox.warm_pol"; the nearest known one is "browser.sandbox.warm_pool"`},
		{"unknown section", "browsers: {enabled: true}", "", `nearest known one is "browser.enabled"`},
		{"unknown key of a token", "auth: {tokens: [{nam: x}]}", "", "nam"},
		{"scalar for a section", "browser: 3", "", "browser: wants keys below it"},
		{"section without keys", "browser:", "", "browser: has no value"},
		{"wrong type", "browser: {timeout_seconds: soon}", "", "a text stands where a whole number belongs"},
		{"not YAML", "browser: [", "", "not valid YAML"},
		{"timeout over the bound", "browser: {timeout_seconds: 121}", "", "browser.timeout_seconds: 121 is not between 1 and 120"},
		{"zero limit", "security: {max_actions_per_session: 0}", "", "neither above 0 nor -1"},
		{"public address", "server: {listen: 0.0.0.0:2468}", "", "not a loopback address"},
		{"no address, told to", "server: {listen: 'box.example:2468', allow_insecure_listen: true}", "", "is no address"},
		{"address without port", "server: {listen: localhost}", "", "not host:port"},
		{"half a certificate", "server: {tls: {cert: c.pem}}", "", "server.tls: give cert and key, or neither"},
		{"everybody for a proxy", "server: {trusted_proxies: [0.0.0.0/0]}", "", "server.trusted_proxies"},
		{"proxy by name", "server: {trusted_proxies: [proxy.example]}", "", "is no address or network"},
		{"host with a port", "server: {allowed_hosts: ['box.example:443']}", "", "without scheme and port"},
		{"any host", "server: {allowed_hosts: ['*']}", "", "is no host name"},
		{"any origin", "server: {cors_allow_origins: ['*']}", "", "is no origin"},
		{"origin with a path", "server: {cors_allow_origins: ['https://app.example/x']}", "", "is no origin"},
		{"origins by pattern", "server: {cors_allow_origins: ['https://*.example']}", "", "is no origin"},
		{"issuer without audience", "auth: {jwt: {issuer: i, jwks_url: 'https://i.example'}}", "", "auth.jwt.audience: must be given"},
		{"keys by file", "auth: {jwt: {issuer: i, audience: a, jwks_url: 'file:///k'}}", "", "auth.jwt.jwks_url"},
		{"no rate", "auth: {rate_limit: {requests_per_second: 0}}", "", "neither above 0 nor -1"},
		{"no burst", "auth: {rate_limit: {burst: 0}}", "", "auth.rate_limit.burst"},
		{"driver that is not there", "browser: {sandbox: {driver: podman}}", "", "not one of docker, local"},
		{"size that is none", "browser: {sandbox: {container: {memory_limit: much}}}", "", "is no size"},
		{"too little memory", "browser: {sandbox: {container: {memory_limit: 64m}}}", "", "too little"},
		{"download that is no size", "browser: {downloads: {max_size: big}}", "", "browser.downloads.max_size"},
		{"session that moves nothing", "security: {network: {max_bytes_per_session: 1k}}", "", "security.network.max_bytes_per_session"},
		{"session of no size", "security: {network: {max_bytes_per_session: some}}", "", "is no size"},
		{"name server without port", "security: {network: {resolver: 9.9.9.9}}", "", "is not ip:port"},
		{"name server by name", "security: {network: {resolver: 'dns.example:53'}}", "", "is not ip:port"},
		{"login for no proxy", "security: {network: {upstream_proxy: {secret_env: PROXY_LOGIN}}}", "", "upstream_proxy.secret_env"},
		{"login for a proxy in the file", "security: {network: {upstream_proxy: {url: 'http://proxy:3128', secret_env: 'ada:secret'}}}", "", "upstream_proxy.secret_env"},
		{"proxy without a name", "security: {network: {upstream_proxies: [{url: 'http://proxy:3128'}]}}", "", "upstream_proxies[0].name"},
		{"proxy by a name that is taken", "security: {network: {upstream_proxies: [{name: a, url: 'http://proxy:3128'}, {name: a, url: 'http://proxy:3128'}]}}", "", `upstream_proxies[1].name: "a" is taken`},
		{"proxy called direct", "security: {network: {upstream_proxies: [{name: direct, url: 'http://proxy:3128'}]}}", "", `"direct" is taken`},
		{"proxy without an address", "security: {network: {upstream_proxies: [{name: a}]}}", "", "upstream_proxies[0].url"},
		{"login for a named proxy in the file", "security: {network: {upstream_proxies: [{name: a, url: 'http://proxy:3128', secret_env: 'ada:secret'}]}}", "", "upstream_proxies[0].secret_env"},
		{"proxy of no scope", "security: {network: {upstream_proxies: [{name: a, url: 'http://proxy:3128', scopes: ['']}]}}", "", "upstream_proxies[0].scopes"},
		{"proxy with a key that is none", "security: {network: {upstream_proxies: [{name: a, uri: 'http://proxy:3128'}]}}", "", "upstream_proxies[0].uri"},
		{"no requests", "security: {network: {requests_per_second: 0}}", "", "requests_per_second: 0 is neither"},
		{"fewer connections than a browser has", "security: {network: {max_connections: 8}}", "", "is not between 32 and 4096"},
		{"connections without time", "security: {network: {max_connection_minutes: 0}}", "", "max_connection_minutes: 0 is neither"},
		{"no downloads", "browser: {downloads: {max_size: 0m}}", "", "is not between 1 byte and 64m"},
		{"download above the room", "browser: {downloads: {max_size: 65m}}", "", "is not between 1 byte and 64m"},
		{"subresources", "security: {network: {subresources: all}}", "", "any-public"},
		{"token role", "auth: {tokens: [{name: a, scope: s, role: root, sha256: x}]}", "", `"root"`},
		{"environment", "", "many", "GLOVEBOX_BROWSER_SANDBOX_WARM_POOL: want a whole number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var pairs []string
			if tt.variable != "" {
				pairs = []string{"GLOVEBOX_BROWSER_SANDBOX_WARM_POOL", tt.variable}
			}
			_, err := load(t, tt.text, pairs...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestAnErrorDoesNotShowATokenInPlaceOfItsHash(t *testing.T) {
	_, err := load(t, "auth: {tokens: [{name: a, scope: s, role: agent, sha256: gbx_ag_SECRETSECRET}]}")
	if err == nil || strings.Contains(err.Error(), "SECRETSECRET") {
		t.Errorf("error %v", err)
	}
}

func TestPrintedConfigurationLoadsAgain(t *testing.T) {
	c, err := load(t, "security: {hitl: {trusted_domains: [a.example], rules: [{tools: [page.click], action: ask, conditions: [{param: element.submits, equals: true}, {param: element.name, in: [1, \"2\", x]}]}]}}")
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, again, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(config.Config{}, "Source")); diff != "" {
		t.Error(diff)
	}
}

func TestReferencePageIsUpToDate(t *testing.T) {
	golden.File(t, "../../docs/reference/configuration.md", config.Reference())
	for _, key := range config.Keys() {
		if key.Doc == "" {
			t.Errorf("%s has no doc", key.Path)
		}
	}
}

// TestTheGatewayInAContainerIsReachedOnLoopback configures a gateway that listens
// on every address, and expects the URL for its own machine to be on loopback.
func TestTheGatewayInAContainerIsReachedOnLoopback(t *testing.T) {
	for text, want := range map[string]string{
		"server: {listen: '0.0.0.0:2468', allow_insecure_listen: true}": "http://127.0.0.1:2468",
		"server: {listen: '[::]:99', allow_insecure_listen: true}":      "http://127.0.0.1:99",
		"server: {listen: '192.0.2.7:80', allow_insecure_listen: true}": "http://192.0.2.7:80",
		"server: {listen: 'localhost:80'}":                              "http://localhost:80",
		"server: {listen: '0.0.0.0:80', trusted_proxies: [10.0.0.1]}":   "http://127.0.0.1:80",
		"server: {listen: '[::]:443', tls: {cert: c, key: k}}":          "https://127.0.0.1:443",
	} {
		c, err := load(t, text)
		if err != nil || c.Server.URL() != want {
			t.Errorf("%s: %v, %s, want %s", text, err, c.Server.URL(), want)
		}
	}
}
