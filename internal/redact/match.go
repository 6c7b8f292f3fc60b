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

// Text is a text without the secrets in it. One that cannot be looked through
// is Mark as a whole.
func (m *Matcher) Text(text string) string {
	if m == nil {
		return text
	}
	return m.replacer.Replace(text)
}

// Bytes is Text for bytes. What has no secret is returned as it is.
func (m *Matcher) Bytes(text []byte) []byte {
	if !m.Has(text) {
		return text
	}
	return []byte(m.Text(string(text)))
}

// JSON is Bytes for a JSON text, which stays one.
func (m *Matcher) JSON(text []byte) []byte { return m.Bytes(text) }

// Has reports whether there is a secret in a text, in any form.
func (m *Matcher) Has(text []byte) bool {
	return m != nil && m.replacer.Replace(string(text)) != string(text)
}
