package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"
)

const deepest = 8 // JSON within strings of JSON, and the like

// parts are the texts by which a secret is known: itself, and what of it opens
// something alone, such as a token behind its scheme's name, the password of
// basic authentication, or the values of a JSON text. Of the latter only those
// that look like secrets count, and the whole no more.
func parts(secret string) []string { return split(secret, 0) }

func split(secret string, depth int) (all []string) {
	if depth == deepest || !utf8.ValidString(secret) {
		return []string{secret}
	}
	if values, composite := leaves(secret); composite {
		for _, v := range values {
			if telling(v) || strings.HasPrefix(v, "{") {
				all = append(all, split(v, depth+1)...)
			}
		}
		return all
	}
	all = []string{secret}
	if scheme, rest, two := strings.Cut(secret, " "); two && schemes[strings.ToLower(scheme)] {
		all = append(all, split(strings.TrimSpace(rest), depth+1)...)
		if pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(rest)); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(pair), ":")
			all = append(all, string(pair), password)
		}
	}
	if plain, err := url.QueryUnescape(secret); err == nil && plain != secret && strings.Contains(secret, "%") {
		all = append(all, split(plain, depth+1)...)
	}
	return all
}

var schemes = map[string]bool{"basic": true, "bearer": true, "token": true, "digest": true, "apikey": true, "negotiate": true, "jwt": true}

// leaves are the strings of a JSON object or array, keys left out.
func leaves(text string) (all []string, composite bool) {
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
