package engine_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// awkward are values that would be code, markup or nothing, if they were not
// handed over as data.
var awkward = map[string]string{
	"script": `');alert(1)//`, "quotes": "\"'`\\", "markup": "</script><script>document.title='x'</script>", "line": "a\nb\r\nc",
	"separator": "a\u2028b\u2029c", "astral": "\U0001F600 \U00010348", "nul": "a\x00b", "empty": "", "template": "${document.title}",
	"__proto__": "own", "length": "7", "getItem": "not a function", "long": strings.Repeat("long ", 20_000),
}

// listing is what storage has, past items that are named like its methods.
const listing = "JSON.stringify([localStorage, sessionStorage].map(s => Array.from({length: Object.getOwnPropertyDescriptor(Storage.prototype, 'length').get.call(s)}, " +
	"(_, i) => { const k = Storage.prototype.key.call(s, i); return [k, Storage.prototype.getItem.call(s, k)] })))"

// confess has a page say what its storage had at its first line.
const confess = "<!doctype html><script>var first = " + listing + "</script>"

// confessed reads what a page's storage had at its first line, and has now.
func (tr *trial) confessed() (local, session map[string]string) {
	tr.t.Helper()
	return entries(tr.t, tr.eval("first"))
}

func entries(t testing.TB, text string) (local, session map[string]string) {
	t.Helper()
	var both [2][][2]string
	if err := json.Unmarshal([]byte(text), &both); err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	maps := [2]map[string]string{{}, {}}
	for i, list := range both {
		for _, e := range list {
			maps[i][e[0]] = e[1]
		}
	}
	return maps[0], maps[1]
}

func wantItems(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d items, want %d", what, len(got), len(want))
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s is %.80q, want %.80q", what, name, got[name], text)
		}
	}
}

func stocked(origin string, local, session map[string]string) credentials.Set {
	u, _ := url.Parse(origin)
	return credentials.Set{Domain: u.Hostname(), Origin: origin, Version: "1", LocalStorage: keep(local), SessionStorage: keep(session)}
}

func TestAPagesFirstLineSeesItsStorage(t *testing.T) {
	s, _ := noting(t, map[string]string{"/": confess})
	var tr *trial
	tr = start(t, ready(&tr, stocked(s.URL, awkward, awkward)))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	local, session := tr.confessed()
	wantItems(t, "localStorage", local, awkward)
	wantItems(t, "sessionStorage", session, awkward)
}

// TestStorageIsForOneOriginsTopDocument: not for another port of its host, nor
// another site, before and after it and in its frames, nor for its own frames
// below another site.
func TestStorageIsForOneOriginsTopDocument(t *testing.T) {
	neighbour, _ := noting(t, map[string]string{"/": confess})
	var s, far string
	inside := func(address string) string { return confess + `<iframe src="` + address + `"></iframe>` }
	pages := map[string]string{"/own": confess}
	server, _ := noting(t, pages)
	s, far = server.URL, elsewhere(server)
	pages["/"], pages["/top"], pages["/over"] = inside(far+"/own"), inside(s+"/own"), confess
	items := map[string]string{"token": "canary-token"}
	var tr *trial
	tr = start(t, ready(&tr, stocked(s, items, items)))
	wire := tap(tr)
	for _, stop := range []struct {
		url   string
		given bool
	}{{far + "/over", false}, {neighbour.URL, false}, {far + "/top", false}, {s + "/", true}, {far + "/over", false}, {neighbour.URL, false}} {
		tr.must("page.goto", &action.Goto{URL: stop.url})
		local, session := tr.confessed()
		if got := len(local)+len(session) == 2; got != stop.given || len(local)+len(session) == 1 {
			t.Errorf("%s has %v and %v", stop.url, local, session)
		}
	}
	for _, origin := range wire.given(t, "canary-token") {
		if origin != s {
			t.Errorf("a document of %s was handed the secret", origin)
		}
	}
}

// tapped is what went over the wire.
type tapped struct {
	mu      sync.Mutex
	out, in [][]byte
}

func tap(tr *trial) *tapped {
	var w tapped
	tr.lane.mu.Lock()
	defer tr.lane.mu.Unlock()
	tr.lane.overhear = func(direction string, message []byte) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if direction == ">" {
			w.out = append(w.out, message)
		} else {
			w.in = append(w.in, message)
		}
	}
	return &w
}

// given are the origins of the documents that a secret was sent to. It is sent
// as an argument of a call in one document, and in no other way.
func (w *tapped) given(t testing.TB, secret string) (origins []string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, message := range w.out {
		if !strings.Contains(string(message), secret) {
			continue
		}
		var m struct {
			Method string
			Params struct {
				Function string `json:"functionDeclaration"`
				Unique   string `json:"uniqueContextId"`
			}
		}
		must(t, json.Unmarshal(message, &m))
		if m.Method != "Runtime.callFunctionOn" || strings.Contains(m.Params.Function, secret) || m.Params.Unique == "" {
			t.Errorf("the secret is in a call of %s", m.Method)
		}
		origins = append(origins, w.originOf(m.Params.Unique))
	}
	if len(origins) == 0 {
		t.Error("the secret was sent to nobody")
	}
	return origins
}

func (w *tapped) originOf(unique string) string {
	for _, message := range w.in {
		var m struct {
			Method string
			Params struct {
				Context struct{ UniqueID, Origin string }
			}
		}
		if json.Unmarshal(message, &m) == nil && m.Method == "Runtime.executionContextCreated" && m.Params.Context.UniqueID == unique {
			return m.Params.Context.Origin
		}
	}
	return "nowhere"
}

// TestStorageIsPutInOnce: a site may change its own.
func TestStorageIsPutInOnce(t *testing.T) {
	s, _ := noting(t, map[string]string{"/": confess})
	items := map[string]string{"token": "canary"}
	set := stocked(s.URL, items, items)
	tr := start(t, func(o *engine.Options) { o.Prepare = func(context.Context, string) error { return nil } })
	must(t, tr.Inject(tr.ctx, set))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.eval("localStorage.token = 'changed'; sessionStorage.clear(); 1")
	tr.must("page.goto", &action.Goto{URL: s.URL})
	local, session := tr.confessed()
	wantItems(t, "localStorage", local, map[string]string{"token": "changed"})
	wantItems(t, "sessionStorage", session, nil)
	tr.must("tab.open", &action.OpenTab{URL: s.URL})
	local, session = tr.confessed()
	wantItems(t, "localStorage of a new tab", local, map[string]string{"token": "changed"})
	wantItems(t, "sessionStorage of a new tab", session, items)
	set.Version, set.LocalStorage, set.SessionStorage = "2", keep(map[string]string{"other": "new"}), nil
	must(t, tr.Inject(tr.ctx, set))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	local, session = tr.confessed()
	wantItems(t, "localStorage of a new version", local, map[string]string{"other": "new"})
	wantItems(t, "sessionStorage of a new version", session, nil)
}

// TestStorageIsThereHoweverTheTabComes: by a link, a form that posts, a popup
// and a redirect of another site. The page's own breakpoints change nothing.
func TestStorageIsThereHoweverTheTabComes(t *testing.T) {
	for _, way := range []string{"link", "post", "popup", "redirect", "goto"} {
		t.Run(way, func(t *testing.T) {
			pages := map[string]string{"/in": "<script>debugger</script>" + confess, "/blank": "<title>start</title>"}
			server, seen := noting(t, pages)
			far := elsewhere(server)
			pages["/start"] = `<script>setInterval("debugger", 1)</script><a href="` + server.URL + `/in">link</a><a target=_blank href="` + server.URL +
				`/in">popup</a><form method=post action="` + server.URL + `/in"><button>post</button></form>`
			pages["/hop"] = "-> " + server.URL + "/in"
			var tr *trial
			items := map[string]string{"token": "canary-token"}
			tr = start(t, ready(&tr, stocked(server.URL, items, nil)))
			wire := tap(tr)
			tr.must("page.goto", &action.Goto{URL: far + "/start"})
			switch way {
			case "redirect":
				tr.must("page.goto", &action.Goto{URL: far + "/hop"})
			case "goto":
				tr.must("page.goto", &action.Goto{URL: server.URL + "/in"})
			default:
				tr.must("page.click", &action.Click{Locator: action.Locator{Text: way}})
				tr.waitURL("/in") // a busy machine opens a hidden tab in more than a click waits
			}
			local, _ := tr.confessed()
			wantItems(t, way, local, items)
			if n := len(seen.to("/in")); n != 1 {
				t.Errorf("the page was asked for %d times", n)
			}
			for _, origin := range wire.given(t, "canary-token") {
				if origin != server.URL {
					t.Errorf("a document of %s was handed the secret", origin)
				}
			}
			if tabs := tr.tabs(); way == "popup" && len(tabs) != 2 || way != "popup" && len(tabs) != 1 {
				t.Errorf("there are %d tabs", len(tabs))
			}
		})
	}
}

// TestSessionStorageComesWithACallThatNamesTheAddress: a link may not lead into
// a page without it.
func TestSessionStorageComesWithACallThatNamesTheAddress(t *testing.T) {
	pages := map[string]string{"/in": confess}
	server, seen := noting(t, pages)
	pages["/start"] = `<a href="` + server.URL + `/in">link</a>`
	pages["/hop"] = "-> " + server.URL + "/in"
	var tr *trial
	items := map[string]string{"token": "canary"}
	tr = start(t, ready(&tr, stocked(server.URL, nil, items)))
	far := elsewhere(server)
	tr.must("page.goto", &action.Goto{URL: far + "/start"})
	r := tr.must("page.click", &action.Click{Locator: action.Locator{Text: "link"}})
	if notes := strings.Join(r.Notes, " "); !strings.Contains(notes, "names the address") {
		t.Errorf("notes %q", notes)
	}
	tr.refuse(fault.CredentialsUnavailable, "page.goto", &action.Goto{URL: far + "/hop"})
	if n := len(seen.to("/in")); n > 0 {
		t.Errorf("the page was asked for %d times", n)
	}
	tr.must("page.goto", &action.Goto{URL: server.URL + "/in"})
	_, session := tr.confessed()
	wantItems(t, "sessionStorage", session, items)
}

// TestAPageThatSpinsKeepsNobodyFromStorage: the hidden tab does not need it.
func TestAPageThatSpinsKeepsNobodyFromStorage(t *testing.T) {
	testenv.Heavy(t)
	server, _ := noting(t, map[string]string{"/in": confess, "/spin": "<title>spins</title><script>onload = () => setTimeout(() => { for (;;); })</script>"})
	var tr *trial
	items := map[string]string{"token": "canary"}
	tr = start(t, ready(&tr, stocked(server.URL, items, nil)))
	tr.must("page.goto", &action.Goto{URL: elsewhere(server) + "/spin"})
	tr.must("page.goto", &action.Goto{URL: server.URL + "/in"})
	local, _ := tr.confessed()
	wantItems(t, "localStorage", local, items)
}
