package pagetext

import (
	"regexp"
	"strings"
)

const (
	maxHeaders     = 60   // of one message
	maxHeaderBytes = 1000 // of a name or a value
)

// secretHeader matches names of headers that hold credentials.
var secretHeader = regexp.MustCompile(`(?i)^(proxy-)?authorization$|^(set-)?cookie2?$|token|secret|api-?key|password|session|csrf|xsrf|signature|credential|[-_](auth|key|jwt)$|^x-auth`)

// MaskHeaders returns headers for operators, with values masked that look like
// credentials. It leaves out all but the first 60.
func MaskHeaders(headers map[string]string) map[string]string {
	if len(headers) == 0 {
		return nil
	}
	out := make(map[string]string, min(len(headers), maxHeaders))
	for name, value := range headers {
		if len(out) >= maxHeaders {
			break
		}
		out[strings.ToLower(strings.ToValidUTF8(name[:min(len(name), maxHeaderBytes)], ""))] = maskHeader(name, value)
	}
	return out
}

func maskHeader(name, value string) string {
	if secretHeader.MatchString(name) {
		return "(masked)"
	}
	if len(value) > maxHeaderBytes {
		value = strings.ToValidUTF8(value[:maxHeaderBytes], "") + "…"
	}
	words := strings.Fields(MaskURLs(value))
	for i, w := range words {
		if secretValue(strings.Trim(w, `"',;`)) {
			words[i] = "(masked)"
		}
	}
	return strings.Join(words, " ")
}
