package credential_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/gloveboxhq/glovebox/internal/credential"
)

func TestASecretPrintsNowhere(t *testing.T) {
	const text = "canary-7d1f"
	set := credential.Set{
		Cookies: []credential.Cookie{{Name: "sid", Value: credential.Keep(text)}},
		Headers: map[string]credential.Secret{"Authorization": credential.Keep(text)},
	}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%10.3s"} {
		fmt.Fprintf(&out, verb+"\n", set.Cookies[0].Value)
		fmt.Fprintf(&out, verb+"\n", &set.Cookies[0].Value)
		fmt.Fprintf(&out, verb+"\n", set)
		fmt.Fprintf(&out, verb+"\n", struct{ unexported credential.Set }{set})
		fmt.Fprintf(&out, verb+"\n", &struct{ unexported []credential.Secret }{[]credential.Secret{set.Cookies[0].Value}})
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("a set", "set", set, "secret", set.Cookies[0].Value)
	}
	for _, marshal := range []func(any) ([]byte, error){json.Marshal, yaml.Marshal} {
		text, err := marshal(set)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	for _, form := range []string{text, fmt.Sprintf("%x", text), fmt.Sprintf("%X", text), fmt.Sprintf("%#v", []byte(text))} {
		if strings.Contains(out.String(), form) {
			t.Errorf("%q is in %s", form, out.String())
		}
	}
	if !strings.Contains(out.String(), "[secret]") {
		t.Errorf("nothing was printed: %s", out.String())
	}
}

func TestSecretsOfTheSameTextAreEqual(t *testing.T) {
	if credential.Keep("canary") != credential.Keep("cana"+"ry") || credential.Keep("") != (credential.Secret{}) {
		t.Error("equal texts make different secrets")
	}
	if credential.Keep("a") == credential.Keep("b") || (credential.Secret{}).Reveal() != "" || (credential.Secret{}).Len() != 0 {
		t.Error("secrets are not their texts")
	}
}
