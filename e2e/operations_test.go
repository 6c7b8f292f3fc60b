package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// excused are operations that a complete run may omit, with the reasons.
var excused = map[string]string{}

// attempt is a successful call of a verb by the operator, on a page of the lab,
// in its own session.
type attempt struct {
	page   string // below /lab/, opened first; the page before stays when empty
	query  string // "?x=y"
	body   string
	header string              // one more, "Name: value"
	id     func(*bench) string // what stands for {id} in the path
	first  func(*bench)        // what must be so before
	after  func(*bench, answer)
}

// bench is the environment of attempts.
type bench struct {
	t       *testing.T
	g       *gateway
	c       curl
	session string
}

// attempts has one attempt for every verb of the table; a verb without one fails.
var attempts = map[string]attempt{
	"session.start":   {body: `{"name": "tried", "width": 800, "height": 600}`, after: func(b *bench, a answer) { b.archive(a.object(http.StatusOK)["id"].(string)) }},
	"session.list":    {query: "?include_archived=true"},
	"session.show":    {},
	"session.close":   {first: (*bench).another},
	"session.archive": {first: (*bench).another},

	"session.pause":         {body: `{"reason": "a look"}`, after: func(b *bench, _ answer) { b.done("session.resume", "") }},
	"session.resume":        {body: `{"note": "go on"}`, first: func(b *bench) { b.done("session.pause", "") }},
	"session.take":          {body: `{"reason": "my turn"}`, after: func(b *bench, _ answer) { b.done("session.hand_back", "") }},
	"session.hand_back":     {body: `{"note": "signed in"}`, first: func(b *bench) { b.done("session.take", "") }},
	"session.allow":         {body: `{"host": "docs.example.com", "for": "page"}`},
	"session.request_human": {body: `{"reason": "a captcha"}`, header: "Prefer: wait=0", after: func(b *bench, _ answer) { b.done("session.resume", "") }},

	"browser.start":  {body: `{"dpi": 96, "streamFrameRate": 30}`},
	"browser.stop":   {first: (*bench).another},
	"browser.status": {},
	"profile.list":   {},
	"profile.create": {body: `{"name": "tried"}`, after: func(b *bench, a answer) {
		b.done("profile.delete", fmt.Sprintf(`{"id": %q}`, a.object(http.StatusCreated)["id"]))
	}},
	"profile.delete": {id: (*bench).profile},
	"profile.export": {id: (*bench).profile, after: func(b *bench, _ answer) { b.forgetsProfile() }},
	"profile.import": {id: (*bench).profile, body: `{"file": "W3sibmFtZSI6ICJuIiwgInZhbHVlIjogInYiLCAiZG9tYWluIjogImxvY2FsaG9zdCJ9XQ=="}`,
		after: func(b *bench, _ answer) { b.forgetsProfile() }},

	"page.goto":    {body: `{"url": "SITE/lab/controls", "waitUntil": "domcontentloaded", "timeout": 120000}`},
	"page.back":    {page: "controls"},
	"page.forward": {},
	"page.reload":  {page: "controls", body: `{"ignoreCache": true}`},
	"page.click":   {page: "controls", query: "?changes=true", body: `{"selector": "#count", "button": "left", "clickCount": 1}`},
	"page.type":    {page: "controls", body: `{"selector": "#q", "text": "Ada & Søn", "clear": true}`},
	"page.press":   {page: "controls", body: `{"selector": "#q", "key": "Tab"}`},
	"page.select":  {page: "controls", body: `{"selector": "#colour", "value": "Green"}`},
	"page.hover":   {page: "controls", body: `{"selector": "#below"}`},
	"page.drag":    {page: "controls", body: `{"from": {"selector": "h1"}, "to": {"selector": "#q"}, "offsetX": 3, "offsetY": 3}`},
	"page.upload":  {page: "files", body: `{"selector": "#file", "files": [{"name": "a.txt", "bytes": "aGVsbG8="}]}`},
	"page.fill_secret": {page: "account", body: `{"selector": "[name=word]", "secret": "password", "domain": "localhost"}`,
		first: (*bench).keeps, after: func(b *bench, _ answer) { b.forgets() }},
	"page.resize":     {page: "controls", body: `{"width": 800, "height": 600}`},
	"page.batch":      {page: "controls", body: `{"steps": [{"verb": "page.click", "args": {"selector": "#count"}}, {"verb": "page.find", "args": {"text": "show"}}]}`},
	"page.scroll":     {page: "controls", body: `{"y": 100}`},
	"page.dialog":     {page: "dialog", body: `{"accept": true, "text": "Ada"}`, first: func(b *bench) { b.done("page.click", `{"selector": "button"}`) }},
	"page.wait_for":   {page: "controls", body: `{"selector": "#end", "state": "visible", "timeout": 2000}`},
	"page.extract":    {query: "?mode=text"},
	"page.snapshot":   {query: "?depth=5&urls=true&max_tokens=800&interactive=true&viewport=true"},
	"page.find":       {page: "controls", query: "?text=show&role=button&limit=3"},
	"page.screenshot": {query: "?format=webp&quality=60&fullPage=true"},
	"page.console":    {page: "controls", query: "?level=error&limit=5&clear=true"},
	"page.network":    {query: "?limit=5&urlPattern=lab&headers=true"},
	"page.har":        {query: "?headers=true"},
	"page.content":    {page: "controls", query: "?selector=h1"},
	"page.markdown":   {query: "?full=true&images=true"},
	"page.links":      {page: "controls"},
	"page.scrape":     {body: `{"selectors": {"title": "h1", "links": "a@href"}, "url": "SITE/lab/controls"}`},
	"page.execute":    {page: "controls", body: `{"expression": "({a: [1, null, 'x']})"}`},
	"page.pdf":        {query: "?format=letter&scale=0.5"},
	"page.crawl":      {body: `{"url": "SITE/warren/", "maxPages": 2, "extract": "links"}`},

	"cookie.list":   {query: "?url=http://localhost/"},
	"cookie.set":    {body: `{"cookies": [{"name": "a", "value": "1", "domain": "localhost", "sameSite": "Lax"}]}`},
	"cookie.delete": {query: "?name=a&domain=localhost"},
	"tab.list":      {},
	"tab.open":      {body: `{"url": "SITE/lab/controls"}`},
	"tab.activate":  {id: (*bench).tab},
	"tab.close":     {id: (*bench).tab},

	"download.list": {query: "?wait=100"},
	"download.get":  {id: (*bench).download},
	"download.read": {id: (*bench).orders, after: func(b *bench, a answer) {
		if !strings.Contains(string(a.body), "2041;99.50") {
			b.t.Errorf("%s: %s", a.what, a.body)
		}
	}},
	"download.cancel": {id: (*bench).download},

	"run.start":  {body: `{"url": "SITE/lab/controls", "domain_allowlist": ["localhost"], "actions": [{"type": "wait", "ms": 1}], "timeout": 120000}`, header: "Prefer: wait=300"},
	"run.list":   {query: "?state=ended&limit=5"},
	"run.show":   {id: (*bench).run, query: "?wait=60"},
	"run.cancel": {id: (*bench).run},
	"run.resume": {id: (*bench).pausedRun, body: `{"guidance": "go on", "actions": [{"type": "go_back"}]}`},

	"capability.show": {},

	"session.replay": {query: "?limit=20"},

	"artifact.list": {},
	"artifact.put":  {body: `{"name": "a.txt", "mediaType": "text/plain", "bytes": "aGVsbG8="}`},
	"artifact.get":  {id: (*bench).artifact},

	"cdp.attach":    {},
	"desktop.watch": {},

	"desktop.screenshot":        {query: "?format=jpeg&quality=60&scale=0.5&showCursor=true"},
	"desktop.screenshot_region": {query: "?x=10&y=20&width=200&height=100"},
	"desktop.pointer":           {},
	"desktop.display":           {},
	"desktop.windows":           {},
	"desktop.window_focused":    {first: func(b *bench) { b.done("desktop.window_focus", fmt.Sprintf(`{"id": %q}`, b.window())) }},
	"desktop.window_focus":      {id: (*bench).window},
	"desktop.window_move":       {id: (*bench).window, body: `{"x": 0, "y": 0}`},
	"desktop.window_resize":     {id: (*bench).window, body: `{"width": 1280, "height": 720}`},
	"desktop.mouse_move":        {page: "controls", body: `{"x": 300, "y": 300}`},
	"desktop.mouse_click":       {page: "controls", body: `{"x": 300, "y": 300}`},
	"desktop.mouse_down":        {body: `{"x": 640, "y": 60}`},
	"desktop.mouse_up":          {body: `{}`},
	"desktop.mouse_drag":        {body: `{"startX": 640, "startY": 60, "endX": 700, "endY": 61}`},
	"desktop.mouse_scroll":      {page: "controls", body: `{"x": 300, "y": 300, "deltaY": 2}`},
	"desktop.key_type":          {page: "controls", body: `{"text": "a"}`},
	"desktop.key_press":         {page: "controls", body: `{"key": "Tab", "modifiers": {"shift": true}}`},
	"desktop.key_down":          {body: `{"key": "Shift"}`},
	"desktop.key_up":            {body: `{"key": "Shift"}`},
	"desktop.clipboard_set":     {body: `{"text": "Ada", "selection": "both"}`},
	"desktop.clipboard":         {query: "?selection=primary"},

	"approval.status": {id: (*bench).question},
	"approval.list":   {query: "?state=all"},
	"approval.show":   {id: (*bench).question},
	"approval.answer": {id: (*bench).question, body: `{"approve": false, "reason": "not today"}`},
	"policy.show":     {},
	"policy.explain":  {body: `{"verb": "page.click", "args": {"ref": "e1"}, "element": {"role": "button", "name": "Delete"}}`},
	"grant.list":      {},
	"grant.revoke":    {id: (*bench).granted},
	"events.follow":   {query: "?kinds=session,answer&after=0"},
	"audit.query":     {query: "?limit=20&verb=page.click"},
	"audit.export":    {query: "?format=csv&verb=page.click"},
	"audit.verify":    {},

	"token.create": {body: `{"name": "tried", "role": "viewer", "expiresIn": 600}`, after: func(b *bench, a answer) {
		b.done("token.revoke", fmt.Sprintf(`{"id": %q}`, a.object(http.StatusCreated)["id"]))
	}},
	"token.list":   {query: "?all=true"},
	"token.revoke": {id: (*bench).token},
	"token.whoami": {},

	"credential.capture": {body: `{"domain": "localhost", "only": ["captured"], "localStorage": false, "sessionStorage": false, "mode": "merge", "expires": "2090-01-01T00:00:00Z"}`,
		first: func(b *bench) {
			b.done("cookie.set", `{"cookies": [{"name": "captured", "value": "canary-captured", "domain": "localhost"}]}`)
		}, after: func(b *bench, _ answer) { b.forgets() }},
	"credential.check": {body: `{"domain": "app.example.com"}`},
}

// everyOperation calls every verb at each of its routes, and by its name. The
// client checks everything against the description.
func everyOperation(t *testing.T, g *gateway) {
	testenv.Heavy(t)
	b := &bench{t: t, g: g, c: g.curl(t, "operator")}
	b.session = b.c.open(`{"name": "bench"}`)
	b.open("controls")
	for _, v := range action.Verbs {
		if v.Path == "" { // no surface offers it
			continue
		}
		try, known := attempts[v.Name]
		if _, names := v.OnElement(action.Locator{}); names && !known {
			try, known = attempt{page: "controls", body: `{"selector": "#agree"}`}, true
		}
		if !known {
			t.Errorf("%s has no attempt", v.Name)
			continue
		}
		paths := []string{"/v1" + v.Path}
		if strings.HasPrefix(v.Path, "/browser/") || strings.HasPrefix(v.Path, "/desktop/") {
			paths = append(paths, "/v1/sessions/{session}"+v.Path)
		}
		for _, path := range paths {
			t.Run(v.Name, func(t *testing.T) {
				at := *b
				at.t, at.c.t = t, t
				at.try(v, try, path)
			})
		}
	}
	b.done("session.show", "")
	b.c.get("/v1/health").object(http.StatusOK)
	b.c.get("/healthz").object(http.StatusOK)
	b.c.get("/readyz").object(http.StatusOK)
}

func (b *bench) try(v *action.Verb, try attempt, path string) {
	b.t.Helper()
	if try.page != "" {
		b.open(try.page)
	}
	if try.first != nil {
		try.first(b)
	}
	if try.id != nil {
		path = strings.Replace(path, "{id}", try.id(b), 1)
	}
	path = strings.Replace(path, "{session}", b.session, 1)
	var headers []string
	if try.header != "" {
		headers = append(headers, try.header)
	}
	got := b.c.do(v.Method, path+try.query, strings.ReplaceAll(try.body, "SITE", b.g.site), headers...)
	want := max(v.Status, http.StatusOK)
	if got.status != want {
		b.t.Errorf("%s: %d, want %d\n%.300q", got.what, got.status, want, got.body)
		return
	}
	if try.after != nil {
		try.after(b, got)
	}
}

func (b *bench) open(page string) {
	b.t.Helper()
	b.done("page.goto", fmt.Sprintf(`{"url": "%s/lab/%s"}`, b.g.site, page))
}

// done makes a call by the verb's name in the bench's session.
func (b *bench) done(verb, args string) object {
	b.t.Helper()
	if args == "" {
		args = "{}"
	}
	return b.c.post("/v1/verbs/"+verb, fmt.Sprintf(`{"session": %q, "args": %s}`, b.session, args)).object(http.StatusOK)
}

// keeps stores a login in the vault, and makes sure that the gateway uses it.
func (b *bench) keeps() {
	b.t.Helper()
	b.g.keeps(b.t)
	b.done("credential.check", `{"domain": "localhost"}`)
}

// forgets removes the site's login from the vault.
func (b *bench) forgets() {
	b.t.Helper()
	if _, complaint, status := b.g.command(b.t, "vault", "remove", "localhost"); status != 0 {
		b.t.Errorf("vault remove: %d %s", status, complaint)
	}
}

// another replaces the bench's session for one attempt.
func (b *bench) another() {
	b.t.Helper()
	b.session = b.c.open(`{}`)
}

func (b *bench) archive(id string) {
	b.t.Helper()
	b.c.post("/v1/sessions/"+id+"/archive", "").object(http.StatusOK)
}

func (b *bench) profile() string {
	b.t.Helper()
	made, _ := b.done("profile.create", `{"name": "tried"}`)["data"].(object)
	return fmt.Sprint(made["id"])
}

// forgetsProfile deletes it.
func (b *bench) forgetsProfile() {
	b.t.Helper()
	b.done("profile.delete", `{"id": "tried"}`)
}

func (b *bench) tab() string {
	b.t.Helper()
	tab, _ := b.done("tab.open", "")["data"].(object)
	return fmt.Sprint(tab["id"])
}

// window is the id of a window of the display.
func (b *bench) window() string {
	b.t.Helper()
	listing, _ := b.done("desktop.windows", "")["data"].(object)
	windows, _ := listing["windows"].([]any)
	if len(windows) == 0 {
		b.t.Fatal("the display has no window")
	}
	return fmt.Sprint(windows[0].(object)["id"])
}

// download is the id of a download that is done.
func (b *bench) download() string { return b.downloaded("/lab/download") }

// orders is the same of one that is text.
func (b *bench) orders() string { return b.downloaded("/lab/orders.csv") }

func (b *bench) downloaded(path string) string {
	b.t.Helper()
	went, _ := b.done("page.goto", fmt.Sprintf(`{"url": "%s%s"}`, b.g.site, path))["data"].(object)
	b.done("download.list", `{"wait": 5000}`)
	return fmt.Sprint(went["download"])
}

func (b *bench) artifact() string {
	b.t.Helper()
	b.done("page.screenshot", "")
	files, _ := b.c.get("/v1/sessions/" + b.session + "/artifacts").object(http.StatusOK)["artifacts"].([]any)
	if len(files) == 0 {
		b.t.Fatal("a screenshot left no artifact")
	}
	return files[0].(object)["id"].(string)
}

// question lets the agent make a call that needs an approval.
func (b *bench) question() string {
	b.t.Helper()
	agent := b.g.curl(b.t, "agent")
	b.done("page.goto", fmt.Sprintf(`{"url": "%s/login"}`, b.g.site))
	b.done("page.click", `{"text": "Continue as demo user"}`)
	b.done("page.goto", fmt.Sprintf(`{"url": "%s/invoices/%s"}`, b.g.site, b.g.app.Invoices()[0].ID))
	waits := agent.post("/v1/sessions/"+b.session+"/browser/click", `{"role": "button", "name": "Delete invoice"}`, "Prefer: wait=0").object(http.StatusAccepted)
	return waits["approvalId"].(string)
}

// token is the name of a token that may be revoked.
func (b *bench) token() string {
	b.t.Helper()
	made, _ := b.done("token.create", `{"name": "to.revoke", "role": "agent"}`)["data"].(object)
	return fmt.Sprint(made["name"])
}

// run starts a run that ends soon.
func (b *bench) run() string {
	b.t.Helper()
	return b.c.post("/v1/runs", b.g.batch("/lab/controls", `{"type": "go_back"}`)).object(http.StatusAccepted)["run_id"].(string)
}

// pausedRun is a run that asks for guidance.
func (b *bench) pausedRun() string {
	b.t.Helper()
	miss := `{"type": "search_text", "text": "nowhere"}`
	id := b.c.post("/v1/runs", b.g.batch("/lab/controls", strings.Join([]string{miss, miss, miss}, ","))).object(http.StatusAccepted)["run_id"].(string)
	testwait.For(b.t, "the run to pause", func() bool { return b.c.get("/v1/runs/" + id).object(http.StatusOK)["state"] == "paused" })
	return id
}
