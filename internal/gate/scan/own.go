package scan

import (
	"regexp"
	"strings"
	"unicode"
)

// ownRules are rules that gitleaks does not have: for what is typed or sent rather than
// committed, and for more kinds of credentials.
var ownRules = []*rule{
	// RFC 3986, section 3.2.1: user information. Databases, proxies, sites.
	{ID: "address-password", Keywords: []string{"://"}, verify: isNoPlaceholder, around: authority,
		Regex: `(?i)\b[a-z][a-z0-9+.-]{1,30}://[^\s/?#:@'"<>]{0,100}:([^\s/?#@'"<>]{3,200})@[\w.\[-]`},
	// RFC 7235, section 4.2, and the headers that services use in its place.
	{ID: "authorization-header", Keywords: []string{"authorization", "x-api-key", "x-auth-token", "private-token"}, Entropy: 3, verify: isNoPlaceholder,
		Regex: `(?i)\b(?:authorization|x-api-key|x-auth-token|private-token)["']?\s{0,3}[:=,]\s{0,3}["']?(?:(?:basic|bearer|token|digest|apikey)\s{1,3})?([\w.~+/=-]{16,})`},
	{ID: "bearer-token", Keywords: []string{"bearer"}, Entropy: 3.5, verify: hasDigit, // RFC 6750, section 2.1
		Regex: `(?i)\bbearer\s{1,3}([\w.~+/-]{20,}=*)`},
	{ID: "cookie-header", Keywords: []string{"cookie"}, Entropy: 3.5, verify: hasDigit, // RFC 6265, section 4.2
		Regex: `(?i)\b(?:set-)?cookie["']?\s{0,3}:\s{0,3}["']?[^\s=;]{1,100}=([^\s;"']{16,})`},
	{ID: "password", Keywords: passwordWords, verify: isStrong,
		Regex: `(?i)(?:\b(?:pass(?:word|wd|phrase|code)|pwd|passwort|kennwort|mot de passe|contrase[ñn]a|senha|wachtwoord|m[ậa]t kh[ẩa]u)|密码|密碼|パスワード|비밀번호|암호|пароль)` +
			`["']?\s{0,3}(?:[:=]|は|是|\s(?:is|ist|est|es|é|è|là)[\s:])[\s'"=:]{0,5}([^\s'"&;,<>]{8,100})`},
	{ID: "private-key", Keywords: []string{"-----begin"}, // RFC 7468; also one that is cut off
		Regex: `(?i)-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----((?:[a-z0-9+/=:, \r\n\t-]|\\[nr]){64,})`},
	{ID: "putty-private-key", Keywords: []string{"putty-user-key-file-"}, Regex: `(?i)PuTTY-User-Key-File-[23]:`},
	{ID: "jwk-private-key", Keywords: []string{`"kty"`}, // RFC 7517; d is the private part (RFC 7518, section 6)
		Regex: `"d"\s{0,3}:\s{0,3}"([\w-]{40,})"[\s\S]*?"kty"|"kty"[\s\S]*?"d"\s{0,3}:\s{0,3}"([\w-]{40,})"`},
	{ID: "one-time-code-secret", Keywords: []string{"otpauth://"}, // github.com/google/google-authenticator/wiki/Key-Uri-Format
		Regex: `(?i)otpauth://[ht]otp/[^\s?]*\?[^\s]*\bsecret=([a-z2-7]{16,})`},
	{ID: "google-client-secret", Keywords: []string{"gocspx-"}, Regex: `\bGOCSPX-[\w-]{28}\b`},
	{ID: "google-access-token", Keywords: []string{"ya29."}, Regex: `\bya29\.[\w-]{30,}`},
	{ID: "docker-access-token", Keywords: []string{"dckr_"}, Regex: `\bdckr_[op]at_[\w-]{27,}`},
	{ID: "tailscale-key", Keywords: []string{"tskey-"}, Regex: `\btskey-(?:auth|api|client|scim|webhook)-[0-9A-Za-z]+-[0-9A-Za-z]{20,}`},
}

// authority returns the part of a text around the authority of an address, if that has
// a user.
func authority(text string, from, to int) (span, bool) {
	end := skip(text, to, 512, func(b byte) bool { return !isSpace(b) && !strings.ContainsRune(`/?#"'<>`, rune(b)) })
	if !strings.ContainsRune(text[to:end], '@') {
		return span{}, false
	}
	return span{from: max(0, from-32), to: end}, true
}

var passwordWords = []string{"pass", "pwd", "kennwort", "contrase", "senha", "wachtwoord", "mật khẩu", "mat khau", "密码", "密碼",
	"パスワード", "비밀번호", "암호", "пароль", "Пароль", "ПАРОЛЬ", "Mật khẩu"}

// placeholder matches what is written in place of a secret.
var placeholder = regexp.MustCompile(`(?i)^(?:[<\[({$%*].*|.*[>\])}]|\*+|x{3,}|\.{3,}|-+|_+|` +
	`(?:your|my|the|some|example|sample|test|dummy|fake|redacted)[ _-]?(?:own)?[ _-]?(?:secret|pass(?:word)?|token|key|api[ _-]?key|value)?\d{0,4}|` +
	`pass(?:word|wd)?\d{0,4}|pwd|pw|secret|token|change[ _-]?(?:me|it)|hunter2|foo|bar|user(?:name)?|admin|root|guest|null|none|false|true|(?:redacted|masked|hidden).*)$`)

func isNoPlaceholder(secret string) bool { return !placeholder.MatchString(secret) }

func hasDigit(secret string) bool {
	return strings.ContainsFunc(secret, unicode.IsDigit) && isNoPlaceholder(secret)
}

// notPassword matches addresses, which may follow "password:" too.
var notPassword = regexp.MustCompile(`(?i)^(?:[\w.+-]+@[\w-]+\.[\w.-]+|https?:.*|\w+://.*)[.!?)]*$`)

// isStrong reports whether a word is a password that sites accept: it has three kinds of
// characters, and is not prose.
func isStrong(secret string) bool {
	secret = strings.TrimRight(secret, ".!?):")
	var lower, upper, digit, other int
	for _, r := range secret {
		switch {
		case unicode.IsLower(r):
			lower = 1
		case unicode.IsUpper(r):
			upper = 1
		case unicode.IsDigit(r):
			digit = 1
		default:
			other = 1
		}
	}
	return len(secret) >= 8 && digit == 1 && lower+upper+digit+other >= 3 && entropy(secret) > 2.5 &&
		isNoPlaceholder(secret) && !notPassword.MatchString(secret)
}
