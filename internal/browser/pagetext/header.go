package pagetext

import (
	"regexp"
	"strings"
)

const (
	mostHeaders = 60   // of one message
	mostHeader  = 1000 // bytes of a value
)

// secretHeader matches names of headers that hold credentials.
var secretHeader = regexp.MustCompile(`(?i)^(proxy-)?authorization$|^(set-)?cookie2?$|token|secret|api-?key|password|session|csrf|xsrf|signature|credential|[-_](auth|key|jwt)$|^x-auth`)

// MaskHeaders returns headers as operators see them: what looks like a credential
// is masked.
func MaskHeaders(headers map[string]string) map[string]string {
	if len(headers) == 0 {
		return nil
	}
	out := make(map[string]string, min(len(headers), mostHeaders))
	for name, value := range headers {
		if len(out) >= mostHeaders {
			break
		}
		out[strings.ToLower(strings.ToValidUTF8(name[:min(len(name), mostHeader)], ""))] = maskHeader(name, value)
	}
	return out
}

func maskHeader(name, value string) string {
	if secretHeader.MatchString(name) {
		return "(masked)"
	}
	if len(value) > mostHeader {
		value = strings.ToValidUTF8(value[:mostHeader], "") + "…"
	}
	words := strings.Fields(MaskURLs(value))
	for i, w := range words {
		if secretValue(strings.Trim(w, `"',;`)) {
			words[i] = "(masked)"
		}
	}
	return strings.Join(words, " ")
}
