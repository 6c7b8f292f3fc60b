package redact_test

import (
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

func TestSettingsAreNotSecrets(t *testing.T) {
	for _, text := range []string{
		"dark", "light", "true", "en-US", "en", "zh-Hans-CN", "1", "1700000000000", "2026-11-21T18:00:00Z", "Europe/Berlin", "#ff8800", "v1.2.3", "192.168.0.1",
		"/settings/profile", "https://app.example.com/start", "collapsed", "show-sidebar", "", "nobody told us",
	} {
		if got := redact.Secrets(credentials.Set{LocalStorage: map[string]credentials.Secret{"k": credentials.Keep(text)}}); len(got) > 0 {
			t.Errorf("%q is taken for a secret", text)
		}
	}
}

func TestSecretsOfASet(t *testing.T) {
	keep := credentials.Keep
	set := credentials.Set{
		Cookies:        []credentials.Cookie{{Name: "sid", Value: keep("a1b2"), HTTPOnly: true}, {Name: "word", Value: keep("Delete"), HTTPOnly: true}, {Name: "theme", Value: keep("dark")}, {Name: "id", Value: keep("canary-value")}, {Name: "csrf", Value: keep("tok3n-value")}},
		LocalStorage:   map[string]credentials.Secret{"auth": keep(`{"token":"abc123def456","theme":"dark"}`)},
		SessionStorage: map[string]credentials.Secret{"sort": keep("ascending")},
		Headers:        map[string]credentials.Secret{"Authorization": keep("Basic YW5uYTpzM2NyM3QtcHc=")},
		Login:          map[string]credentials.Secret{"username": keep("anna-the-admin1"), "password": keep("pw"), "totp": keep("JBSWY3DPEHPK3PXP")},
		HTTPAuth:       map[string]credentials.Secret{"username": keep("bert-the-admin1"), "password": keep("canary-router-5")},
	}
	m := redact.New(redact.Secrets(set)...)
	for _, text := range []string{"a1b2", "canary-value", "tok3n-value", "abc123def456", "anna:s3cr3t-pw", "s3cr3t-pw", "YW5uYTpzM2NyM3QtcHc=", "jbsw y3dp ehpk 3pxp", "canary-router-5", "YmVydC10aGUtYWRtaW4xOmNhbmFyeS1yb3V0ZXItNQ=="} {
		if m.Text(text) == text {
			t.Errorf("%q is let through", text)
		}
	}
	for _, text := range []string{"dark", "ascending", "anna-the-admin1", "bert-the-admin1", "token and theme", "Basic", "Delete"} {
		if got := m.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := redact.Secrets(set); slices.Contains(got, keep("dark")) {
		t.Error("a setting is among the secrets")
	}
}
