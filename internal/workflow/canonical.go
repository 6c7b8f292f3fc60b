package workflow

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// tracking matches parameters that say where a visitor came from.
var tracking = regexp.MustCompile(`(?i)^(utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|mkt_tok|ref_src|spm|vero_id)$`)

// visitor matches parameters that identify the visitor.
var visitor = regexp.MustCompile(`(?i)^(phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken|zenid|oscsid)$`)

// inPath matches a session id that Java servers add to paths.
var inPath = regexp.MustCompile(`(?i);jsessionid=[^/?#;]*`)

var parser = whatwg.NewParser()

// key is equal for addresses of the same page: the address in the form of the URL
// standard, without a fragment, without parameters that track or identify a
// visitor, and with the other parameters sorted. It is empty for an address that
// is not http or https.
func key(address string) string {
	u := canonical(address)
	if u == nil {
		return ""
	}
	path := inPath.ReplaceAllString(u.EscapedPath(), "")
	if path == "" {
		path = "/"
	}
	return u.Scheme + "://" + u.Host + path + query(u.RawQuery)
}

// query removes the parameters that do not change the page, and sorts the others.
// Their spelling, and the order of those with the same name, stay.
func query(raw string) string {
	var kept []string
	for part := range strings.SplitSeq(raw, "&") {
		name, _, _ := strings.Cut(part, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if part != "" && !tracking.MatchString(name) && !visitor.MatchString(name) {
			kept = append(kept, part)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	slices.SortStableFunc(kept, func(a, b string) int {
		nameA, _, _ := strings.Cut(a, "=")
		nameB, _, _ := strings.Cut(b, "=")
		return strings.Compare(nameA, nameB)
	})
	return "?" + strings.Join(kept, "&")
}

// canonical parses an address as the browser does; nil for an address that is not
// http or https, or contains a user name.
func canonical(address string) *url.URL {
	w, err := parser.Parse(address)
	if err != nil || w.Scheme() != "http" && w.Scheme() != "https" || w.Username() != "" || w.Password() != "" {
		return nil
	}
	u, err := url.Parse(w.Href(true))
	if err != nil || u.Host == "" {
		return nil
	}
	return u
}

// address returns the address that the browser opens: without the fragment and
// without tracking parameters.
func address(raw string) string {
	u := canonical(raw)
	if u == nil {
		return ""
	}
	u.Fragment, u.RawFragment = "", ""
	var kept []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if part != "" && !tracking.MatchString(name) {
			kept = append(kept, part)
		}
	}
	u.RawQuery, u.ForceQuery = strings.Join(kept, "&"), false
	return u.String()
}

// origin returns scheme, host and port of an address that canonical accepts.
func origin(address string) string {
	u := canonical(address)
	if u == nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// host returns the host of an address, without a port, in the spelling of the
// gate.
func host(address string) string {
	u := canonical(address)
	if u == nil {
		return ""
	}
	return strings.TrimSuffix(u.Hostname(), ".")
}

// shown returns an address for people, without the query, which may contain a
// secret.
func shown(address string) string {
	u := canonical(address)
	if u == nil {
		return "an address that cannot be read"
	}
	u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	return u.String()
}

// cut shortens a text to at most most bytes.
func cut(text string, most int) string {
	return strings.ToValidUTF8(text[:max(0, min(len(text), most))], "")
}
