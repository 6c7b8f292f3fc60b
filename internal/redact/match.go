package redact

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/credential"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// Matcher finds a set of secrets. nil finds none. It is safe for concurrent
// use.
type Matcher struct{ replacer *strings.Replacer }

// New makes a matcher.
func New(secrets ...credential.Secret) *Matcher {
	var pairs []string
	for _, s := range secrets {
		if s.Len() > 0 {
			pairs = append(pairs, s.Reveal(), Mark)
		}
	}
	return &Matcher{strings.NewReplacer(pairs...)}
}

// Text is a text without the secrets in it.
func (m *Matcher) Text(text string) string {
	if m == nil {
		return text
	}
	return m.replacer.Replace(text)
}
