package session

import (
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

// TestSecretsOutliveTheirSessionForAnHour: what is on its way out by then is
// redacted too.
func TestSecretsOutliveTheirSessionForAnHour(t *testing.T) {
	r := &credentialAccess{known: new(redact.SecretStore), endedAt: map[string]time.Time{}}
	sess := newOpenSession(action.Session{ID: "s1", Credentialed: []string{"app.example"}}, action.Network{}, terms{})
	secret := "k7Qp-canary-93xV-value"
	r.known.Learn("s1", credentials.Keep(secret))
	r.keepKnown(sess)
	r.forgetSecrets(time.Now().Add(knownFor - time.Minute))
	if r.known.Of("s1").Text(secret) == secret {
		t.Error("forgotten within the hour")
	}
	r.forgetSecrets(time.Now().Add(knownFor + time.Minute))
	if r.known.Of("s1").Text(secret) != secret {
		t.Error("known for ever")
	}
}
