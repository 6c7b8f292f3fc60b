package artifact

import (
	"mime"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName     = 120 // bytes; fits a file name everywhere with room for a suffix
	unnamed     = "artifact"
	unknownType = "application/octet-stream"
)

// cleanName makes a name that is one harmless file name: letters, digits and
// a little punctuation, no path, no leading dot, no control, bidi or other
// invisible characters.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("._- ()+@", r):
			return r
		default:
			return '_'
		}
	}, strings.ToValidUTF8(name, "_"))
	name = strings.TrimLeft(strings.TrimSpace(name), ". ")
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name = strings.TrimRight(name, ". "); name == "" {
		return unnamed
	}
	return name
}

// cleanType returns the media type without anything that does not parse.
func cleanType(mediaType string) string {
	parsed, params, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return unknownType
	}
	if formatted := mime.FormatMediaType(parsed, params); formatted != "" {
		return formatted
	}
	return unknownType
}
