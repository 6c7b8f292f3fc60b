// Package credentials has the types of credentials: data only. No secret in it
// prints itself.
package credentials

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

const hidden = "[secret]"

// Secret is a text that is printed, logged and marshalled as [secret]. Only
// Reveal returns it. Two secrets of the same text are equal.
//
// The text is behind a pointer, because fmt does not call the Format method of a
// value in a field that is not exported: it prints the value's own fields.
type Secret struct{ text unique.Handle[string] }

// Keep makes a secret of a text.
func Keep(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{unique.Make(text)}
}

// Reveal returns the text. Call it only where the text is used.
func (s Secret) Reveal() string {
	if s == (Secret{}) {
		return ""
	}
	return s.text.Value()
}

// Len returns the length of the text in bytes.
func (s Secret) Len() int { return len(s.Reveal()) }

// String returns [secret].
func (s Secret) String() string { return hidden }

// Format writes [secret], whatever the verb and its flags.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue returns [secret].
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText returns [secret]. JSON and YAML use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
