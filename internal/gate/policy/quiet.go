package policy

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// quietNames are names in addresses of requests that change nothing that matters: searches,
// checks, and what pages report about themselves.
var quietNames = namesOf(`search searches query queries filter filters suggest suggestions autocomplete typeahead complete completion lookup find count
		review preview render validate validation check verify ping poll track log logging stats view views viewed read seen presence typing autosave autosaves draft drafts list browse
		translate highlight markdown diff batchread msearch scroll recommend recommendations perf performance react reactions heartbeat`)

// analyticsNames are names in addresses to which pages only report about themselves. The body of
// such requests does not count.
var analyticsNames = namesOf(`collect beacon telemetry analytics metrics rum vitals tracking heartbeat keepalive csp impressions impression sentry envelope`)

// isAnalytics reports whether a page reports about itself with a request.
func isAnalytics(r action.Request) bool {
	if r.Kind == "CSPViolationReport" {
		return true
	}
	segments := pathOf(r.URL)
	if len(segments) == 0 || r.Method != http.MethodPost || !isUnambiguousPath(r.URL) || !segments[len(segments)-1].is(analyticsNames) {
		return false
	}
	// Below the name of a thing, such as /invoices/collect, it may be an act on that.
	return !slices.ContainsFunc(segments[:len(segments)-1], func(s segment) bool {
		return !s.id && len(s.words[0]) > 2 && !analyticsFolders[s.words[0]] && !analyticsNames[s.words[0]]
	})
}

// analyticsFolders are first words of the folders in which analyticsNames are.
var analyticsFolders = namesOf(`api rest public internal client clients web app stats stat statistics event events monitoring monitor log logs logging report reports reporting
		ingest ping pixel track tracker tracks gtag gtm insights usage performance perf error errors diagnostics health`)

// isAmbiguousName reports whether an address ends with an analytics name that applications also
// use for things of their own. Fields that name an action count there.
func isAmbiguousName(address string) bool {
	segments := segmentsOf(address)
	return len(segments) > 0 && ambiguousNames[segments[len(segments)-1]]
}

var ambiguousNames = namesOf(`metrics tracking heartbeat keepalive impressions impression`)

// isUnambiguousPath reports whether all servers read the path of an address alike: it has no
// parameters in segments, no encoded slashes, and nothing after the name of a script.
func isUnambiguousPath(address string) bool {
	u, err := url.Parse(address)
	if err != nil || strings.ContainsAny(u.Path, ";\\") || strings.Contains(u.EscapedPath(), "%2") || strings.Contains(u.EscapedPath(), "%5") {
		return false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for _, part := range parts[:len(parts)-1] {
		if scriptEndings[path.Ext(part)] || part == ".." || part == "." {
			return false
		}
	}
	last := parts[len(parts)-1]
	return last != ".." && last != "."
}

// lookupNames are names in addresses of requests that only search, whatever follows in the path.
var lookupNames = namesOf(`search searches query queries filter filters suggest suggestions autocomplete typeahead complete completion lookup find count msearch`)

// isQuiet reports whether an address ends with a quiet name, or leaves it to a field to name the
// action, which is quiet.
func isQuiet(r action.Request) bool {
	segments := pathOf(r.URL)
	if len(segments) == 0 || !isUnambiguousPath(r.URL) {
		return false
	}
	if slices.ContainsFunc(segments, func(s segment) bool { return words().harmful.find(pathReadings(s.words), done).kinds() != 0 }) {
		return false
	}
	last := segments[len(segments)-1]
	if quietly(last, quietNames) || isPreference(segments) {
		return true
	}
	if len(segments) > 1 {
		if before := segments[len(segments)-2]; quietly(before, lookupNames) || last.id && quietly(before, quietNames) {
			return true
		}
	}
	return quietCommand(r, last)
}

// preferences are ends of addresses, without ids, to which pages send what somebody prefers, what
// they think of a text, or what a delivery costs.
var preferences = []string{
	"cookies", "cookie", "cookie consent", "cookie preferences", "cookie settings", "cookies consent", "consent cookies", "gdpr", "gdpr consent", "ccpa", "cmp", "consent banner", "privacy consent", "cookies accept", "cookies decline", "cookies reject", "cookie accept", "cookie decline", "cookie reject",
	"theme", "dark mode", "darkmode", "color scheme", "colour scheme", "night mode", "preferences theme", "settings theme", "user theme",
	"shipping estimate", "shipping estimates", "estimate shipping", "delivery estimate", "estimate delivery", "shipping rates", "delivery rates", "shipping cost", "shipping costs", "shipping quote", "tax estimate", "estimate tax", "cart estimate", "totals information",
	"helpful", "unhelpful", "not helpful", "compare", "compare add", "add compare", "compare toggle", "comparison", "product compare", "compare list", "wishlist", "recently viewed",
}

// isPreference reports whether an address ends with one of preferences.
func isPreference(segments []segment) bool {
	var said []string
	for _, s := range segments {
		if !s.id {
			said = append(said, s.words...)
		}
	}
	end := strings.Join(said, " ")
	return slices.ContainsFunc(preferences, func(p string) bool { return end == p || strings.HasSuffix(end, " "+p) })
}

// quietly reports whether a segment begins or ends with a word of a list, and has no other word
// that counts.
func quietly(s segment, list map[string]bool) bool {
	if !list[s.words[0]] && !list[s.words[len(s.words)-1]] {
		return false
	}
	whole := strings.Join(s.words, "")
	return !words().checkout.exact[whole] && !words().checkout.exact[strings.Join(s.words, " ")] && words().harmful.find(pathReadings(s.words), ordered).kinds() == 0 && harmfulThings[s.words[len(s.words)-1]] == 0
}

// quietCommand reports whether all fields that name an action name a quiet one, at an address of
// the page's own site that names no harm itself.
func quietCommand(r action.Request, last segment) bool {
	if siteOf(hostOf(r.URL)) != siteOf(senderOf(r)) || harmfulThings[strings.Join(last.words, " ")] != 0 || kindsOf(strings.Join(last.words, " ")) != 0 {
		return false
	}
	found := false
	for _, f := range r.Fields {
		if commandNames[strings.ToLower(f.Name)] {
			if found = quietNames[normalize(f.Value)] || onlyReads(f.Value); !found {
				return false
			}
		}
	}
	return found
}

// onlyReads reports whether an operation only reads by its name: "torrent-get", "listItems".
func onlyReads(operation string) bool {
	t := tokens(split(operation))
	return len(t) > 1 && (readingWords[t[0]] || readingWords[t[len(t)-1]]) && kindsOf(split(operation)) == 0
}

// readingWords are the words of operations that read.
var readingWords = namesOf(`get list fetch read query search find count status info describe lookup`)
