// Package credentials has the types of what opens an account: data only, and
// nothing in it prints itself.
package credentials

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

const hidden = "[secret]"

// Secret is a text that is printed, logged and marshalled as [secret]. Only
// Reveal gives it away. Two of the same text are equal.
//
// The text is behind a pointer: in a field that is not exported, fmt does not
// ask a value how it prints, and prints what is in it.
type Secret struct{ text unique.Handle[string] }

// Keep makes a secret of a text.
func Keep(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{unique.Make(text)}
}

// Reveal is the text itself, for the one place that needs it.
func (s Secret) Reveal() string {
	if s == (Secret{}) {
		return ""
	}
	return s.text.Value()
}

// Len is how many bytes the text has.
func (s Secret) Len() int { return len(s.Reveal()) }

// String is [secret].
func (s Secret) String() string { return hidden }

// Format writes [secret], whatever the verb and its flags.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue is [secret].
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText is [secret], in JSON and YAML as well.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
