package gateway

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/egress"
)

// certificate returns a certificate in PEM, of an authority or of a host.
func certificate(t *testing.T, authority bool) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true, IsCA: authority,
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made})
}

func TestAllCertificatesOfTheAuthoritiesFileAreRead(t *testing.T) {
	one, two, host := certificate(t, true), certificate(t, true), certificate(t, false)
	secret := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("canary")})
	for name, c := range map[string]struct {
		text string
		want int
		why  string
	}{
		"two":                     {"# ours\n" + string(one) + string(two), 2, ""},
		"nothing":                 {"", 0, "no certificate"},
		"words":                   {"hello", 0, "no certificate"},
		"a host's":                {string(one) + string(host), 0, "certificate 2 of the file is not an authority's"},
		"a key":                   {string(one) + string(secret), 0, "not a certificate"},
		"a broken one":            {string(one) + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", 0, "certificate 2 of the file cannot be read"},
		"one that does not end":   {string(one) + "-----BEGIN CERTIFICATE-----\nAAAA\n", 0, "what follows certificate 1"},
		"too many of a good kind": {strings.Repeat(string(one), maxAuthorities+1), 0, "more than"},
	} {
		got, err := readAuthorities([]byte(c.text))
		if len(got) != c.want || (err != nil) != (c.why != "") || err != nil && (!strings.Contains(err.Error(), c.why) || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%s: %d certificates, %v", name, len(got), err)
		}
	}
}

func TestErrorsOfCertificatesNameTheirKeys(t *testing.T) {
	c := config.Default()
	c.Server.StateDir = t.TempDir()
	c.Security.Credentials.Backend = "none"
	file := filepath.Join(t.TempDir(), "ca.pem")
	c.Security.Network.CAFile, c.Security.Network.SelfSigned = file, []string{"nas.lan", "*.lan"}
	found := map[string]string{}
	for _, p := range problems(c) {
		found[p.Path] = p.Message
	}
	if !strings.Contains(found["security.network.ca_file"], "no such file") || !strings.Contains(found["security.network.allow_self_signed[1]"], "one host") || len(found) != 2 {
		t.Errorf("found %v", found)
	}
	if _, err := newProxy(c.Security.Network, nil, nil, egress.Options{}); err == nil || !strings.Contains(err.Error(), "security.network.ca_file") {
		t.Errorf("the proxy opened: %v", err)
	}
	if _, err := pageOptions(c); err == nil || !strings.Contains(err.Error(), "allow_self_signed[1]") {
		t.Errorf("page options were made: %v", err)
	}
	if err := os.WriteFile(file, certificate(t, true), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Security.Network.SelfSigned = []string{"nas.lan"}
	if all := problems(c); len(all) > 0 {
		t.Errorf("a valid configuration has %v", all)
	}
}

func TestErrorsOfTheUpstreamProxyNameItsKey(t *testing.T) {
	t.Setenv("PROXY_LOGIN", "canary-without-a-colon")
	for _, c := range []struct {
		proxy config.Upstream
		key   string
	}{
		{config.Upstream{URL: "proxy:3128"}, "url"},
		{config.Upstream{URL: "http://ada:canary@proxy:3128"}, "url"},
		{config.Upstream{URL: "http://proxy:3128", SecretEnv: "PROXY_LOGIN"}, "secret_env"},
		{config.Upstream{URL: "http://proxy:3128", SecretEnv: "PROXY_LOGIN_THAT_IS_NOT_SET"}, "secret_env"},
	} {
		all := config.Default()
		all.Server.StateDir, all.Security.Network.Upstream = t.TempDir(), c.proxy
		found := problems(all)
		if len(found) != 1 || found[0].Path != "security.network.upstream_proxy."+c.key || strings.Contains(found[0].Message, "canary") {
			t.Errorf("%+v: %v", c.proxy, found)
		}
		if _, err := newProxy(all.Security.Network, nil, nil, egress.Options{}); err == nil || !strings.Contains(err.Error(), c.key) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%+v: the proxy opened, or the fault shows the login: %v", c.proxy, err)
		}
	}
}

func TestErrorsOfANamedProxyNameItsPlace(t *testing.T) {
	t.Setenv("PROXY_LOGIN", "canary-without-a-colon")
	sound := config.Proxy{Name: "a", URL: "socks5://proxy:1080"}
	for key, proxy := range map[string]config.Proxy{
		"url": {Name: "b", URL: "http://ada:canary@proxy:3128"}, "secret_env": {Name: "b", URL: "http://proxy:3128", SecretEnv: "PROXY_LOGIN"},
	} {
		c := config.Default()
		c.Server.StateDir, c.Security.Network.Upstreams = t.TempDir(), []config.Proxy{sound, proxy}
		found := problems(c)
		if len(found) != 1 || found[0].Path != "security.network.upstream_proxies[1]."+key || strings.Contains(found[0].Message, "canary") {
			t.Errorf("%s: %v", key, found)
		}
		if _, err := newProxy(c.Security.Network, nil, nil, egress.Options{}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the proxy opened, or the fault shows the login: %v", key, err)
		}
	}
}
