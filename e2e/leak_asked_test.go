package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
)

// asking is a question about a page, whether a value in it begins with (or
// contains) a text, whose answer can be seen in the result of a call.
type asking struct {
	method, path, body string // path below the browser of a session; ASKED stands for the text
}

// selectors are ways to ask about a value by a selector alone.
var selectors = []string{
	`#csrf[value^="ASKED"]`, `input[value*="ASKED"]`, `input[value^="ASKED" i]`, `#plain[value^="ASKED"]`, `#pass[value^="ASKED"]`,
	`meta[content^="ASKED"]`, `#data[data-token^="ASKED"]`, `#data[class*="t-ASKED"]`, `[class|="t"][class^="t-ASKED"]`, `a[href*="go/ASKED"]`,
	`img[src*="?ASKED"]`, `form[action*="submit/ASKED"]`, `section[aria-label^="ASKED"]`, `form:has(input[value^="ASKED"])`,
	`h1:has(~ form [value^="ASKED"])`, `html:is(:has([content^="ASKED"]))`, `h1:not(:has(~ [data-token^="ASKED"]))`, `body :nth-child(1 of [value^="ASKED"])`,
	`#csrf[v\61lue^="ASKED"]`, `*|input[*|value^="ASKED"]`, `h2, #csrf[value^='ASKED']`, `[id="csrf"][value^="ASKED"] + input`,
}

// askings are all ways to ask, but for those of every verb's selector.
func askings() []asking {
	post, get := http.MethodPost, http.MethodGet
	quoted := func(selector string) string { text, _ := json.Marshal(selector); return string(text) }
	all := []asking{
		{get, "/find?regex=%5EASKED", ""}, {get, "/find?text=ASKED", ""}, {get, "/find?name=ASKED", ""}, {get, "/find?role=region&name=ASKED", ""},
		{get, "/network?urlPattern=ASKED", ""}, {get, "/network?urlPattern=img.png.*ASKED", ""},
		{post, "/wait", `{"text": "ASKED", "timeout": 300}`}, {post, "/wait", `{"textGone": "ASKED", "timeout": 300}`}, {post, "/wait", `{"url": "ASKED", "timeout": 300}`},
		{post, "/hover", `{"text": "ASKED", "timeout": 300}`}, {post, "/hover", `{"role": "region", "name": "ASKED", "timeout": 300}`},
		{post, "/scroll", `{"text": "ASKED", "y": 1, "timeout": 300}`},
		{post, "/scrape", `{"selectors": {"x": "#csrf@value", "y": "meta@content", "z": "#csrf[value^=\"ASKED\"]@id"}}`},
		{get, "/find?text=row&selector=" + url.QueryEscape(`section[aria-label^="ASKED"]`), ""},
		{get, "/screenshot?selector=" + url.QueryEscape(`#data[data-token^="ASKED"]`), ""},
	}
	for _, selector := range selectors {
		all = append(all, asking{post, "/wait", `{"selector": ` + quoted(selector) + `, "state": "attached", "timeout": 300}`})
	}
	for _, selector := range selectors[6:8] {
		all = append(all, asking{post, "/hover", `{"selector": ` + quoted(selector) + `, "timeout": 300}`},
			asking{post, "/scrape", `{"selectors": {"x": ` + quoted(selector) + `}}`},
			asking{post, "/wait", `{"selector": ` + quoted(selector) + `, "state": "detached", "timeout": 300}`})
	}
	return all
}

// yesOrNo asks each question twice, with a right and a wrong beginning of the
// secret, and expects answers that cannot be distinguished. Values that are not
// secret can be asked about.
func (l *leak) yesOrNo(t *testing.T) {
	secret := l.canaries[leaksite.Session]
	// Fewer letters than the gateway takes for a piece of a secret: an answer that
	// repeats the question is not to tell either.
	right, wrong := secret[:6], strings.Map(func(r rune) rune { return map[bool]rune{true: '1', false: '0'}[r == '0'] }, secret[:6])
	for _, role := range []string{"agent", "viewer"} {
		l.fresh(t, "/asked")
		for _, q := range askings() {
			if role == "viewer" && !strings.HasSuffix(q.path, "/wait") && q.method == http.MethodPost {
				continue
			}
			yes, no := l.put(t, role, q, right), l.put(t, role, q, wrong)
			if limited(yes) || limited(no) {
				l.fresh(t, "/asked")
				yes, no = l.put(t, role, q, right), l.put(t, role, q, wrong)
			}
			if yes != no {
				t.Errorf("a %s learns how a secret begins by %s %s %s:\n%.200s\n%.200s", role, q.method, q.path, q.body, yes, no)
			}
		}
	}
	l.fresh(t, "/asked")
	visible := asking{http.MethodPost, "/wait", `{"text": "ASKED", "timeout": 300}`}
	if l.put(t, "agent", visible, l.site.Beacon().Value[:12]) == l.put(t, "agent", visible, "beacon-of-none") {
		t.Error("an agent cannot even ask about what is no secret")
	}
	structure := asking{http.MethodPost, "/wait", `{"selector": "#ASKED", "timeout": 300}`}
	if l.put(t, "agent", structure, "seen") == l.put(t, "agent", structure, "none") {
		t.Error("an agent cannot even ask what there is on a page")
	}
}

func limited(answer string) bool { return strings.HasPrefix(answer, "429 ") }

// fresh opens a page in a new session, which has made no look-up yet.
func (l *leak) fresh(t *testing.T, path string) {
	t.Helper()
	before := l.session
	l.session = l.curl(t, "agent").open(`{}`)
	t.Cleanup(func() { l.session = before })
	l.show(t, path)
}

// passing matches the variable parts of an answer.
var passing = regexp.MustCompile(`"(correlationId|instance|id|timestamp|durationMs|elapsed\w*|hash|sha256)": ?("[^"]*"|[0-9.]+),?`)

// put asks, and returns the answer without its variable parts.
func (l *leak) put(t *testing.T, role string, q asking, text string) string {
	t.Helper()
	got := l.as(t, role).do(q.method, l.at(strings.Replace(q.path, "ASKED", text, 1)), strings.Replace(q.body, "ASKED", text, 1))
	if strings.HasPrefix(got.header.Get("Content-Type"), "image/") {
		return fmt.Sprintf("%d a picture", got.status)
	}
	return fmt.Sprintf("%d %s", got.status, strings.ReplaceAll(passing.ReplaceAllString(string(got.body), ""), text, "ASKED"))
}
