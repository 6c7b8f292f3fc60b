package scan

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	mostLabel = 200 // bytes of a label that count
	mostToken = 200 // bytes of a text that may be one secret
)

// secretLabel is what fields for secrets are called, in twelve languages.
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

// openLabel is what fields are called whose name says secret and whose text is
// none: names, addresses and references.
var openLabel = regexp.MustCompile(`(?i)\b(?:name|title|description|url|uri|search|keywords?|public|fingerprint|file|hint|count|length|expir\w*)\b`)

// labelled puts a text that may be one secret behind a word for secrets, where
// its field is called by such a word.
func labelled(label, text string) (string, bool) {
	if len(label) > mostLabel {
		label = label[:mostLabel]
	}
	text = strings.TrimSpace(text)
	if len(text) == 0 || len(text) > mostToken || strings.ContainsAny(text, " \t\r\n") || !utf8.ValidString(label) {
		return "", false
	}
	if !secretLabel.MatchString(label) || openLabel.MatchString(label) {
		return "", false
	}
	return `secret = "` + text + `"`, true
}
