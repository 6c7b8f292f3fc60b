package workflow

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// tracking are parameters that say where a visitor came from, not what the
// page is.
var tracking = regexp.MustCompile(`(?i)^(utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|mkt_tok|ref_src|spm|vero_id)$`)

// visitor are parameters that say who the visitor is.
var visitor = regexp.MustCompile(`(?i)^(phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken|zenid|oscsid)$`)

// inPath is a session id that Java servers put into paths.
var inPath = regexp.MustCompile(`(?i);jsessionid=[^/?#;]*`)

var parser = whatwg.NewParser()

// key is equal for two addresses of one page: the address as the URL standard writes
// it, without a fragment and without parameters that track or name a visitor, the
// other parameters sorted. Empty for an address that is not http or https.
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

// query removes the parameters that do not change the page, and sorts the rest. They
// keep their spelling, and those of one name their order.
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

// canonical parses an address as the browser does; nil for an address that is not http
// or https, or names a user.
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

// address is the address that the browser opens: without the fragment, and without
// parameters that track.
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

// origin is scheme, host and port of an address that canonical could read.
func origin(address string) string {
	u := canonical(address)
	if u == nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// host is the host of an address, without a port, as the gate writes it.
func host(address string) string {
	u := canonical(address)
	if u == nil {
		return ""
	}
	return strings.TrimSuffix(u.Hostname(), ".")
}

// shown is an address for people, without the query, which may hold a secret.
func shown(address string) string {
	u := canonical(address)
	if u == nil {
		return "an address that cannot be read"
	}
	u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	return u.String()
}

// cut shortens a text to at most so many bytes.
func cut(text string, most int) string {
	return strings.ToValidUTF8(text[:max(0, min(len(text), most))], "")
}
