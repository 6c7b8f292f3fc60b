package engine

import (
	"context"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
)

// Files carries files between callers and the box of a browser. It must be
// safe for concurrent use.
type Files interface {
	// Stage puts the files of an upload where the browser can read them, and
	// returns them in order. Faults: not_found, invalid_request, limit_reached.
	Stage(ctx context.Context, a *action.Upload) ([]action.SentFile, error)
	download.Store
}

const (
	mostName  = 200 // bytes of a file name; file systems take 255
	mostTail  = 16  // bytes of an extension that is kept whole
	mostQuote = 80  // characters of a file name in a note
)

// FileName makes a harmless file name of one that a page or a caller suggests:
// without a path, without control or invisible characters, and without characters
// that have a meaning in a shell or another operating system. It is never empty.
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
	if len(name) > mostName {
		tail := path.Ext(name)
		if len(tail) > mostTail {
			tail = ""
		}
		name = cutBytes(name, mostName-len(tail)) + tail
	}
	if name == "" {
		return "file"
	}
	return name
}

// cutBytes keeps the first bytes of a text, whole characters only.
func cutBytes(s string, most int) string {
	for len(s) > most {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}
