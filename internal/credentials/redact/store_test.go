package redact_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
)

func TestEachSessionHasItsOwnSecrets(t *testing.T) {
	var b redact.SecretStore
	if got := b.Of("s1").Text("canary-one"); got != "canary-one" {
		t.Errorf("an empty store changed a text: %q", got)
	}
	b.Learn("s1", credentials.Keep("canary-one"))
	b.Learn("s2", credentials.Keep("canary-two"))
	for _, c := range []struct {
		matcher *redact.Matcher
		want    string
	}{
		{b.Of("s1"), "[redacted] canary-two"},
		{b.Of("s2"), "canary-one [redacted]"},
		{b.All(), "[redacted] [redacted]"},
		{b.Of(""), "[redacted] [redacted]"},
		{b.Of("s3"), "canary-one canary-two"},
	} {
		if got := c.matcher.Text("canary-one canary-two"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	b.Forget("s1")
	if got := b.All().Text("canary-one canary-two"); got != "canary-one [redacted]" {
		t.Errorf("after the end of a session: %q", got)
	}
}
