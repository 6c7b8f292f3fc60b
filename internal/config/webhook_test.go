package config_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/config"
)

func TestWebhooksWithoutTLSAreForThisMachineOnly(t *testing.T) {
	for url, fine := range map[string]bool{
		"": true, "https://hooks.example.com/a?b=c": true, "https://10.0.0.1:8443/": true,
		"http://localhost:9000/x": true, "http://127.0.0.1/": true, "http://[::1]:1/": true,
		"http://hooks.example.com/": false, "http://127.0.0.1.example.com/": false, "http://localhost.example/": false, "http://10.0.0.1/": false,
		"ftp://localhost/": false, "https:///x": false, "https:opaque": false, "//host/x": false, "hooks.example.com": false,
		"https://me:hunter2@hooks.example.com/": false, "https://hooks.example.com/#x": false, "https://h\x7f/": false, "unix:///s": false,
	} {
		c := config.Default()
		c.Security.HITL.Webhook = config.Webhook{URL: url, SecretEnv: "HOOK_SECRET"}
		err := c.Check()
		if (err == nil) != fine {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "security.hitl.webhook.url")) {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, name := range []string{"", "A B", "1A", "A=B"} {
		c := config.Default()
		c.Security.HITL.Webhook = config.Webhook{URL: "https://hooks.example.com/", SecretEnv: name}
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "secret_env") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
