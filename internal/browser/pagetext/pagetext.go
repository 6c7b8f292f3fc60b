// Package pagetext prepares texts, addresses and headers of web pages for callers:
// it bounds their length, and masks values that look like credentials.
package pagetext

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxBytes      = 8000 // of a text that Brief decodes
	maxCharacters = 2000 // of a text that Cut and Brief return
)

// Cut cuts a text to 2,000 characters.
func Cut(text string) string { return untrusted.Shorten(text, maxCharacters) }

// Brief is Cut for texts whose length a page decides: it cuts them to 8,000 bytes
// first, so that the rest is never decoded.
func Brief(text string) string {
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[:maxBytes], "") + "…"
	}
	return Cut(text)
}
