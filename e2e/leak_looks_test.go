package e2e

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/e2e/leaksite"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// The expected results of reading a signed-in page.
const (
	told     = "told"     // the page, without its secrets
	withheld = "withheld" // nothing, with a fault
	silent   = "silent"   // nothing of the page's text, or what is not text
)

// look is one way to read a page over REST, and its expected result for an agent
// or a viewer, and for an operator.
type look struct {
	method, path, body string
	agent, operator    string
}

// looks are all routes that tell something of pages.
func (l *leak) looks() []look {
	get, post := http.MethodGet, http.MethodPost
	b := l.at("")
	return []look{
		{get, b + "/snapshot", "", told, told},
		{get, b + "/snapshot?urls=true", "", told, told},
		{get, b + "/snapshot?format=tree&depth=200", "", told, told},
		{get, b + "/extract?mode=text", "", told, told},
		{get, b + "/extract?mode=title", "", told, told},
		{get, b + "/markdown?full=true&images=true", "", told, told},
		{get, b + "/links", "", told, told},
		{get, b + "/find?regex=.&limit=100&context=500", "", told, told},
		{get, b + "/find?role=img&limit=100", "", told, told},
		{post, b + "/scrape", `{"selectors": {"h2": "h2", "p": "p", "link": "a@href", "alt": "img@alt", "label": "button@aria-label", "title": "img@title"}}`, silent, told},
		{post, b + "/scrape", `{"selectors": {"hidden": "input@value", "meta": "meta@content", "data": "div@data-text", "id": "div@id", "class": "div@class"}}`, silent, silent},
		{get, b + "/console?limit=1000", "", told, told},
		{get, b + "/network?limit=1000", "", told, told},
		{get, b + "/network?limit=1000&headers=true", "", withheld, told},
		{get, b + "/har", "", silent, told},
		{get, b + "/har?headers=true", "", withheld, told},
		{get, b + "/tabs", "", told, told},
		{get, b + "/status", "", silent, silent},
		{get, "/v1/sessions/" + l.session, "", silent, silent},
		{get, "/v1/sessions", "", silent, silent},
		{get, b + "/content", "", withheld, told},
		{get, b + "/content?selector=body", "", withheld, told},
		{get, b + "/cookies", "", withheld, silent},
		{post, b + "/execute", `{"expression": "[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.documentElement.outerHTML]"}`, withheld, told},
		{post, b + "/execute", `{"expression": "({[document.title]: {deep: [new Map([[document.title, 1]]), document.title.split(\"\")]}})"}`, withheld, told},
		{get, b + "/pdf", "", silent, silent},
		{post, b + "/wait", `{"text": "all is shown", "timeout": 1000}`, silent, silent},
		{post, b + "/hover", `{"selector": "h2"}`, silent, silent},
		{post, b + "/scroll", `{"y": 50}`, silent, silent},
	}
}

// patiently repeats a call that was refused because of too many look-ups: an
// agent has a burst of failed look-ups, and then one each 10 s.
func patiently(t *testing.T, do func() answer) answer {
	t.Helper()
	for ctx := testwait.Context(t); ; {
		got := do()
		wait, err := strconv.Atoi(got.header.Get("Retry-After"))
		if got.status != http.StatusTooManyRequests || err != nil || ctx.Err() != nil {
			return got
		}
		select {
		case <-time.After(time.Duration(wait) * time.Second):
		case <-ctx.Done():
		}
	}
}

// looked reads in every way as each of some roles, and expects no secret.
func (l *leak) looked(t *testing.T, page string, loud bool, roles ...string) {
	t.Helper()
	for _, role := range roles {
		c := l.as(t, role)
		for _, look := range l.looks() {
			if role == "viewer" && look.method == http.MethodPost && !strings.HasSuffix(look.path, "/wait") {
				continue // viewers only read
			}
			got := patiently(t, func() answer { return c.do(look.method, look.path, look.body) })
			what := fmt.Sprintf("%s of a %s at %s", got.what, role, page)
			got.what = what
			l.clean(t, got)
			want := look.agent
			if role == "operator" {
				want = look.operator
			}
			switch {
			case want == withheld && got.status < 400:
				t.Errorf("%s is not withheld", what)
			case want == told && got.status != http.StatusOK:
				t.Errorf("%s: %d %.300q", what, got.status, got.body)
			case want == told && loud:
				l.lively(t, what, got.body)
			}
		}
	}
}

// rawPlaces reads a page that has the secrets wherever HTML can contain text, and
// where its service worker, sockets and headers put them.
func (l *leak) rawPlaces(t *testing.T) {
	l.fresh(t, "/places")
	l.looked(t, "/places", true, "agent", "viewer", "operator")
	for _, path := range []string{"/header", "/shown?kind=beacon", "/popup?title=x", "/choice", "/asked"} {
		l.show(t, path)
		l.looked(t, path, false, "agent")
	}
}

// taken are the encodings that redaction knows, in the order of leaksite's pages.
var taken = []string{
	"raw", "lower", "url", "url-twice", "url-full", "html", "html-hex", "json", "json-full", "script", "hex", "hex-upper", "hex-colons",
	"base64", "base64-1", "base64-2", "base64url", "base64-lines", "base64-url", "base32", "reversed", "zero-width", "spaces", "elements", "halves",
}

// wholly are those that every role reads: one of each family.
var wholly = []string{"raw", "url", "base64-1", "reversed", "halves"}

// mirrors looks at pages that show what their scripts can read, in every form.
func (l *leak) mirrors(t *testing.T) {
	for group := range slices.Chunk(taken, 5) { // a browser of its own for each: such pages leave much behind
		t.Run(strings.Join(group, " "), func(t *testing.T) {
			l.fresh(t, "/")
			for _, form := range group {
				l.show(t, "/mirror?form="+form)
				roles := []string{"agent"}
				if slices.Contains(wholly, form) {
					roles = append(roles, "viewer", "operator")
				}
				l.looked(t, "a mirror in "+form, true, roles...)
				l.opensWords(t)
			}
		})
	}
}

// notTaken proves that what docs/credentials.md lists as not detected is indeed
// not detected: a cipher of the page's own.
func (l *leak) notTaken(t *testing.T) {
	rot13 := func(r rune) rune {
		switch c := r | 0x20; {
		case c >= 'a' && c < 'n':
			return r + 13
		case c >= 'n' && c <= 'z':
			return r - 13
		}
		return r
	}
	numbers := func(text string) string {
		var all []string
		for _, b := range []byte(text) {
			all = append(all, strconv.Itoa(int(b)+1000))
		}
		return strings.Join(all, " ")
	}
	for form, want := range map[string]string{
		"rot13": strings.Map(rot13, l.canaries[leaksite.Plain]), "decimal": numbers(l.canaries[leaksite.Plain]),
	} {
		l.show(t, "/mirror?form="+form)
		if text := l.as(t, "agent").get(l.at("/extract?mode=text")); !strings.Contains(string(text.body), want) {
			t.Errorf("%s is caught now: say so in docs/credentials.md", form)
		}
	}
}

// opensWords lets the page open a dialog and a tab with secrets in their texts.
func (l *leak) opensWords(t *testing.T) {
	t.Helper()
	c := l.as(t, "agent")
	opened := c.post(l.at("/click"), `{"selector": "#tell"}`)
	l.clean(t, opened)
	l.lively(t, "a dialog", opened.body)
	for _, path := range []string{"/tabs", "/status", "/snapshot"} {
		l.clean(t, c.get(l.at(path)))
	}
	l.clean(t, c.post(l.at("/dialog"), `{"accept": false}`))
	before := l.tabs(t)
	went := c.post(l.at("/click"), `{"selector": "#popup"}`)
	l.clean(t, went)
	went.object(http.StatusOK)
	var after []string
	testwait.For(t, "the other tab", func() bool { after = l.tabs(t); return len(after) > len(before) })
	for _, id := range after {
		if !slices.Contains(before, id) {
			l.clean(t, c.do(http.MethodDelete, l.at("/tabs/"+id), ""))
		}
	}
}

// tabs are the ids of the session's tabs.
func (l *leak) tabs(t *testing.T) (ids []string) {
	t.Helper()
	listed := l.as(t, "agent").get(l.at("/tabs"))
	l.clean(t, listed)
	for _, tab := range listed.object(http.StatusOK)["tabs"].([]any) {
		ids = append(ids, tab.(object)["id"].(string))
	}
	return ids
}

// filesOfPages lets pages offer files whose names and content are secrets, in
// several encodings, and fetches them and all artifacts as each role.
func (l *leak) filesOfPages(t *testing.T) {
	l.fresh(t, "/")
	agent := l.as(t, "agent")
	for _, form := range wholly {
		l.show(t, "/mirror?form="+form)
		l.clean(t, agent.post(l.at("/click"), `{"selector": "#file"}`))
	}
	for _, kind := range []string{leaksite.Session, leaksite.Host, leaksite.Bearer} {
		l.clean(t, agent.post(l.at("/navigate"), fmt.Sprintf(`{"url": "%s/file?kind=%s"}`, l.base, strings.ReplaceAll(kind, " ", "+"))))
	}
	listed := agent.get(l.at("/downloads?wait=20000"))
	l.clean(t, listed)
	l.lively(t, "the list of downloads", listed.body)
	files, _ := listed.object(http.StatusOK)["downloads"].([]any)
	if len(files) < len(wholly)+3 {
		t.Errorf("%d files came", len(files))
	}
	for _, role := range []string{"agent", "operator"} {
		for _, file := range files {
			got := l.as(t, role).get(l.at("/downloads/" + file.(object)["id"].(string)))
			if l.clean(t, got); got.status == http.StatusOK {
				l.lively(t, "a download", got.body)
			}
		}
	}
	for _, path := range []string{"/screenshot", "/har", "/pdf"} {
		l.clean(t, agent.get(l.at(path)))
		l.clean(t, l.as(t, "operator").get(l.at(path)))
	}
	for _, role := range []string{"agent", "viewer", "operator"} {
		c := l.as(t, role)
		kept := c.get("/v1/sessions/" + l.session + "/artifacts")
		l.clean(t, kept)
		artifacts, _ := kept.object(http.StatusOK)["artifacts"].([]any)
		if len(artifacts) == 0 {
			t.Errorf("a %s is shown no artifacts", role)
		}
		for _, artifact := range artifacts {
			l.fetched(c, "/v1/artifacts/"+artifact.(object)["id"].(string))
		}
	}
}

// fetched expects no secret in a file of any type, and returns it.
func (l *leak) fetched(c curl, path string) []byte {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Errorf("%s: %d %v", path, response.StatusCode, err)
	}
	l.clean(c.t, answer{c.t, path, response.StatusCode, response.Header, content})
	return content
}
