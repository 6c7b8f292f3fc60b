package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// username is the login that is not secret: each page of an account shows its
// name.
const username = "username"

// Secrets returns the values of a set that no output may contain: logins and
// passwords of HTTP authentication but the user's name, headers, and of cookies
// and storage what looks like a secret and not like a setting
// (docs/credentials.md, "Redaction").
func Secrets(set credentials.Set) (all []credentials.Secret) {
	for _, c := range set.Cookies {
		least := minSecretValue
		if c.HTTPOnly { // no script can read it, so it is hardly a setting
			least = minSecret
		}
		if !isSetting(c.Value.Reveal(), least) {
			all = append(all, c.Value)
		}
	}
	for _, values := range []map[string]credentials.Secret{set.LocalStorage, set.SessionStorage} {
		for _, v := range values {
			if text := v.Reveal(); looksSecret(text) || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
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

// WithoutSettings returns those values of a site's own cookies that do not look
// like settings.
func WithoutSettings(values ...credentials.Secret) (all []credentials.Secret) {
	for _, v := range values {
		if !isSetting(v.Reveal(), minSecretValue) {
			all = append(all, v)
		}
	}
	return all
}

const (
	minSecretValue  = 6  // bytes: a shorter value of a cookie or of storage is a setting
	minSecretWord   = 16 // letters of a word that is not a setting
	minSecretPhrase = 40 // bytes of words with blanks between them that are not a setting
)

// settingPattern matches what settings look like: numbers and times, languages,
// versions, addresses of pages, files and colours.
var settingPattern = regexp.MustCompile(`(?i)^(?:[0-9]{1,13}|[0-9]+(?:[.:/-][0-9]+)+|[a-z]{2,3}(?:[-_][a-z0-9]{2,8})+|#[0-9a-f]{3,8}|v?[0-9]+(?:\.[0-9]+)+[-+.a-z0-9]*|\d{4}-\d\d-\d\d(?:[T ][0-9:.]+(?:Z|[+-][0-9:]+)?)?|/[a-z/_-]*|https?://[^?#]*|[a-z]+/[a-z_]+)$`)

// isSetting reports whether a cookie's value looks like a setting: it is
// shorter than least, matches settingPattern, or is a word. Sites choose their
// cookies; they must not choose which words are removed from questions to
// people.
func isSetting(text string, least int) bool {
	return len(text) < least || settingPattern.MatchString(text) ||
		len(text) < minSecretWord && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
}

// looksSecret reports whether a text looks like a secret: it is long enough, and
// is not a setting, a word or a sentence.
func looksSecret(text string) bool {
	if len(text) < minSecretValue || settingPattern.MatchString(text) {
		return false
	}
	if strings.ContainsFunc(text, unicode.IsSpace) && !strings.ContainsFunc(text, unicode.IsDigit) {
		return len(text) >= minSecretPhrase
	}
	return len(text) >= minSecretWord || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' })
}

const maxNestedParts = 8 // levels, such as JSON within strings of JSON

// parts returns the texts that are searched for because of a secret: the secret,
// and what of it opens something alone, such as the token after the name of a
// scheme, or the password of basic authentication. Of a JSON text they are the
// strings in it that look like secrets, without the whole.
func parts(secret string) []string { return partsAt(secret, 0) }

func partsAt(secret string, depth int) (all []string) {
	if depth == maxNestedParts || !utf8.ValidString(secret) {
		return []string{secret}
	}
	if values, composite := jsonStrings(secret); composite {
		for _, v := range values {
			if looksSecret(v) || strings.HasPrefix(v, "{") {
				all = append(all, partsAt(v, depth+1)...)
			}
		}
		return all
	}
	all = []string{secret}
	if scheme, rest, two := strings.Cut(secret, " "); two && authSchemes[strings.ToLower(scheme)] {
		all = append(all, partsAt(strings.TrimSpace(rest), depth+1)...)
		if pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest)); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(pair), ":")
			all = append(all, string(pair), password)
		}
	}
	if plain, err := url.QueryUnescape(secret); err == nil && plain != secret && strings.Contains(secret, "%") {
		all = append(all, partsAt(plain, depth+1)...)
	}
	return all
}

var authSchemes = map[string]bool{"basic": true, "bearer": true, "token": true, "digest": true, "apikey": true, "negotiate": true, "jwt": true}

// jsonStrings returns the strings of a JSON object or array, without its keys.
func jsonStrings(text string) (all []string, composite bool) {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil, false
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(v)
	return all, true
}
