package scan

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const maxNested = 3 // levels of percent-encoding that are decoded

// forms returns the ways to read a text: without invisible letters, with its
// percent-encoding decoded, and with its label in front of it.
func forms(t Text, size int) []string {
	var all []string
	for _, part := range headAndTail(t.Value, size) {
		part = normalize(part)
		all = append(all, part)
		for range maxNested {
			decoded := decode(part)
			if decoded == part {
				break
			}
			part = decoded
			all = append(all, part)
		}
		if text, secret := withLabel(t.Label, part); secret {
			all = append(all, text)
		}
	}
	return all
}

// headAndTail returns a text or, where it is longer than two times size bytes, size bytes
// from its beginning and from its end.
func headAndTail(text string, size int) []string {
	if len(text) <= 2*size {
		return []string{text}
	}
	return []string{text[:size], text[len(text)-size:]}
}

// normalize returns a text in the letters that rules are written in (NFKC), without
// invisible characters.
func normalize(text string) string {
	if isASCII(text) {
		return text
	}
	text = norm.NFKC.String(text)
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// decode decodes percent-encoding where it is valid, and the plus signs of a query.
func decode(text string) string {
	if !strings.Contains(text, "%") {
		if strings.Contains(text, "://") {
			return strings.ReplaceAll(text, "+", " ")
		}
		return text
	}
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if plain, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(plain)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

const (
	maxLabel = 200 // bytes of a label that are read
	maxToken = 200 // bytes of a text that may be one secret
)

// secretLabel matches labels of fields for secrets, in twelve languages.
var secretLabel = regexp.MustCompile(`(?i)\b(?:` +
	`api[ _-]?key|access[ _-]?key|secret|auth|authorization|bearer|credentials?|token|pass(?:word|wd|phrase|code)?|pwd|` + // English
	`(?:private|licen[cs]e|encryption|signing|webhook|account|storage|service)[ _-]key|` +
	`passwort|kennwort|schl(?:ü|ue)ssel|zugangsdaten|geheimnis|` + // German
	`mot de passe|cl[ée] (?:api|secr[èe]te|priv[ée]e|d'acc[èe]s)|jeton|` + // French
	`contrase(?:ñ|n)a|clave|ficha|` + // Spanish
	`senha|chave|segredo|` + // Portuguese
	`chiave|segreto|` + // Italian
	`wachtwoord|sleutel|geheim|` + // Dutch
	`m[ậa]t kh[ẩa]u|kh[óo]a` + // Vietnamese
	`)(?:s|n)?\b|密码|密碼|密钥|密鑰|令牌|口令|凭证|パスワード|秘密鍵|トークン|キー|비밀번호|암호|토큰|пароль|ключ|токен|секрет`)

// publicLabel matches labels that secretLabel matches too, of fields whose text is not
// secret: names, addresses and references.
var publicLabel = regexp.MustCompile(`(?i)\b(?:name|title|description|url|uri|search|keywords?|public|fingerprint|file|hint|count|length|expir\w*)\b`)

// withLabel returns `secret = "text"`, a form that the rules match, where the label of a
// field names a secret and the text can be one. Otherwise it returns false.
func withLabel(label, text string) (string, bool) {
	if len(label) > maxLabel {
		label = label[:maxLabel]
	}
	text = strings.TrimSpace(text)
	if len(text) == 0 || len(text) > maxToken || strings.ContainsAny(text, " \t\r\n") || !utf8.ValidString(label) {
		return "", false
	}
	if !secretLabel.MatchString(label) || publicLabel.MatchString(label) {
		return "", false
	}
	return `secret = "` + text + `"`, true
}
