package webhook

import (
	"encoding/base64"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// keyOf reads a secret. It is in no error: what is wrong with it could be most
// of it.
func keyOf(secret string) (*standardwebhooks.Webhook, error) {
	wrong := fault.New(fault.InvalidRequest, "the webhook's secret is none").
		Hinted("put whsec_ and base64 of at least %d random bytes into the variable that security.hitl.webhook.secret_env names: echo whsec_$(openssl rand -base64 32)", leastKey)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < leastKey {
		return nil, wrong
	}
	w, err := standardwebhooks.NewWebhookRaw(key)
	if err != nil {
		return nil, wrong
	}
	return w, nil
}

// CheckSecret reports whether a secret can sign. Faults: invalid_request.
func CheckSecret(secret string) error {
	_, err := keyOf(secret)
	return err
}
