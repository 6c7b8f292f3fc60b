package untrusted

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxFileName     = 200 // bytes of a file name; file systems take 255
	maxExtension    = 16  // bytes of an extension that is not cut
	maxArtifactName = 120 // bytes; fits a file name everywhere with room for a suffix
)

// FileName makes a harmless file name of one that a page or a caller suggests. It
// removes the path, control characters, invisible characters, and characters that
// have a meaning in a shell or in another operating system. The result is never
// empty.
func FileName(suggested string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r):
			return '_'
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar, unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(suggested, ""))
	name = strings.Trim(name, ". \u00a0")
	if len(name) > maxFileName {
		tail := path.Ext(name)
		if len(tail) > maxExtension {
			tail = ""
		}
		name = CutBytes(name, maxFileName-len(tail)) + tail
	}
	if name == "" {
		return "file"
	}
	return name
}

// ArtifactName makes a harmless file name of a name: letters, digits and some
// punctuation, without a path, a leading dot, or control, bidirectional and other
// invisible characters. The result is never empty.
func ArtifactName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("._- ()+@", r):
			return r
		default:
			return '_'
		}
	}, strings.ToValidUTF8(name, "_"))
	name = CutBytes(strings.TrimLeft(strings.TrimSpace(name), ". "), maxArtifactName)
	if name = strings.TrimRight(name, ". "); name == "" {
		return "artifact"
	}
	return name
}

// HeaderFileName makes a file name fit for a Content-Disposition header: only
// ASCII letters, digits, dot, hyphen and underscore, which are safe on every
// system.
func HeaderFileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}

// CutBytes keeps the first most bytes of a text, without cutting a character.
func CutBytes(text string, most int) string {
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// Shorten cuts a text to most characters. An ellipsis marks the cut.
func Shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
