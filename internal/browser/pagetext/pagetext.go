// Package pagetext makes texts and addresses of web pages fit to be shown to
// callers: bounded in length, without invisible characters, and with values
// masked that look like credentials.
package pagetext

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	mostBytes      = 8000 // of a text that Brief cuts
	mostCharacters = 2000 // of a text that Cut and Brief cut
)

// Cut cuts a text to 2,000 characters.
func Cut(text string) string { return untrusted.Shorten(text, mostCharacters) }

// Brief is Cut for texts that a page can make as long as it likes: it first cuts
// them to 8,000 bytes, so that the rest is never decoded.
func Brief(text string) string {
	if len(text) > mostBytes {
		text = strings.ToValidUTF8(text[:mostBytes], "") + "…"
	}
	return Cut(text)
}
