package redact

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// username is the login that is no secret: an account's name is on each of its
// pages.
const username = "username"

// Secrets are the texts of a set that no output may have: what is typed to log
// in, or answers HTTP authentication, but the user's name, and of cookies, storage and headers what looks like a
// secret and not like a setting (docs/credentials.md, "Redaction").
func Secrets(set credentials.Set) (all []credentials.Secret) {
	for _, c := range set.Cookies {
		least := tellingText
		if c.HTTPOnly { // no script has it, so that it is hardly a setting
			least = shortest
		}
		if !setting(c.Value.Reveal(), least) {
			all = append(all, c.Value)
		}
	}
	for _, values := range []map[string]credentials.Secret{set.LocalStorage, set.SessionStorage} {
		for _, v := range values {
			if text := v.Reveal(); telling(text) || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
				all = append(all, v)
			}
		}
	}
	for _, v := range set.Headers {
		all = append(all, v)
	}
	for _, values := range []map[string]credentials.Secret{set.Login, set.HTTPAuth} {
		for name, v := range values {
			if name != username {
				all = append(all, v)
			}
		}
	}
	return all
}

// Telling are those of the values of a site's own cookies that do not look like
// settings.
func Telling(values ...credentials.Secret) (all []credentials.Secret) {
	for _, v := range values {
		if !setting(v.Reveal(), tellingText) {
			all = append(all, v)
		}
	}
	return all
}

const (
	tellingText  = 6  // bytes: what is shorter in a cookie or in storage is a setting
	tellingWord  = 16 // of letters alone
	tellingPhase = 40 // of words with blanks between them
)

// everyday matches what settings look like: numbers and times, languages,
// versions, addresses of pages, files and colours.
var everyday = regexp.MustCompile(`(?i)^(?:[0-9]{1,13}|[0-9]+(?:[.:/-][0-9]+)+|[a-z]{2,3}(?:[-_][a-z0-9]{2,8})+|#[0-9a-f]{3,8}|v?[0-9]+(?:\.[0-9]+)+[-+.a-z0-9]*|\d{4}-\d\d-\d\d(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?|/[a-z/_-]*|https?://[^?#]*|[a-z]+/[a-z_]+)$`)

// setting reports whether a cookie's text looks like a setting: short, everyday,
// or a word. A site that chooses its cookies must not choose which words are
// taken out of questions to people.
func setting(text string, least int) bool {
	return len(text) < least || everyday.MatchString(text) ||
		len(text) < tellingWord && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// telling reports whether a text looks like a secret: long enough, and no
// setting, no word, no sentence.
func telling(text string) bool {
	if len(text) < tellingText || everyday.MatchString(text) {
		return false
	}
	if strings.ContainsFunc(text, unicode.IsSpace) && !strings.ContainsFunc(text, unicode.IsDigit) {
		return len(text) >= tellingPhase
	}
	return len(text) >= tellingWord || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' })
}
