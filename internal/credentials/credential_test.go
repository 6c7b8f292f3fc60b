package credentials_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

func TestNoFormatPrintsASecret(t *testing.T) {
	const text = "canary-7d1f"
	set := credentials.Set{
		Cookies: []credentials.Cookie{{Name: "sid", Value: credentials.Keep(text)}},
		Headers: map[string]credentials.Secret{"Authorization": credentials.Keep(text)},
	}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%10.3s"} {
		fmt.Fprintf(&out, verb+"\n", set.Cookies[0].Value)
		fmt.Fprintf(&out, verb+"\n", &set.Cookies[0].Value)
		fmt.Fprintf(&out, verb+"\n", set)
		fmt.Fprintf(&out, verb+"\n", struct{ unexported credentials.Set }{set})
		fmt.Fprintf(&out, verb+"\n", &struct{ unexported []credentials.Secret }{[]credentials.Secret{set.Cookies[0].Value}})
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
	if credentials.Keep("canary") != credentials.Keep("cana"+"ry") || credentials.Keep("") != (credentials.Secret{}) {
		t.Error("equal texts make different secrets")
	}
	if credentials.Keep("a") == credentials.Keep("b") || (credentials.Secret{}).Reveal() != "" || (credentials.Secret{}).Len() != 0 {
		t.Error("secrets are not their texts")
	}
}
