package pagetext

import (
	"net/url"
	"regexp"
	"strings"
)

// The rules are those of the injected script (injected/js/10_text.js), so that an
// address looks the same in a snapshot and here.
var (
	secretParam    = regexp.MustCompile(`(?i)(^|[_\-.])\w*(token|secret|password|passwd|pwd|signature|otp|jwt|credential|sessionid|assertion|samlresponse|api[_-]?key|access[_-]?key)$`)
	ambiguousParam = regexp.MustCompile(`(?i)^(key|code|hash|nonce|ticket|sid|sig|auth|session|state|oob_?code|ott?)$`)
	opaqueValue    = regexp.MustCompile(`^[\w\-.~+/=]{24,}$`)
	plainSecret    = regexp.MustCompile(`^eyJ[\w-]{8,}|^[0-9a-fA-F]{32,}$`)
	pair           = regexp.MustCompile(`([^&;=?#]+)=([^&;#]*)`)
	anyAddress     = regexp.MustCompile(`(?i)\b(?:https?|wss?)://[^\s"'<>()\[\]{}\x60]+`)
)

// MostURL is how many bytes of an address MaskURL returns.
const MostURL = 2048

// MaskURL returns an address for callers: without user information, and with
// parameters and path segments masked that look like credentials.
func MaskURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		before, _, more := strings.Cut(address, "?")
		before, _, fragment := strings.Cut(before, "#")
		if more || fragment {
			before += "?(masked)"
		}
		return shortURL(before)
	}
	switch u.Scheme {
	case "javascript", "data", "blob":
		return u.Scheme + ":"
	}
	u.User = nil
	path, tail := u.String(), ""
	if at := strings.IndexAny(path, "?#"); at >= 0 {
		path, tail = path[:at], path[at:]
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if i > 2 && secretValue(Unescape(s)) {
			segments[i] = "(masked)"
		}
	}
	return shortURL(strings.Join(segments, "/") + maskPairs(tail))
}

func shortURL(address string) string {
	if len(address) > MostURL {
		return strings.ToValidUTF8(address[:MostURL], "") + "…"
	}
	return address
}

func maskPairs(tail string) string {
	return pair.ReplaceAllStringFunc(tail, func(both string) string {
		name, value, _ := strings.Cut(both, "=")
		key, plain := Unescape(name), Unescape(value)
		if plain != "" && (secretParam.MatchString(key) || ambiguousParam.MatchString(key) && len(plain) >= 8 || secretValue(plain)) {
			return name + "=(masked)"
		}
		return both
	})
}

// Unescape decodes the percent-encoded characters of a text. It returns a text with
// wrong encoding unchanged.
func Unescape(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

func secretValue(s string) bool {
	if plainSecret.MatchString(s) {
		return true
	}
	return opaqueValue.MatchString(s) && strings.ContainsAny(s, "0123456789") &&
		strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' }) &&
		strings.ContainsFunc(s, func(r rune) bool { return r >= 'A' && r <= 'Z' })
}

// MaskURLs masks every address in a text.
func MaskURLs(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return anyAddress.ReplaceAllStringFunc(text, MaskURL)
}
