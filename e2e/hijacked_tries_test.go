package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

type probe struct{ method, path, body string }

var looks = []probe{
	{"GET", "/snapshot", ""}, {"GET", "/snapshot?filter=interactive", ""}, {"GET", "/snapshot?budget=400", ""}, {"GET", "/markdown", ""}, {"POST", "/extract", `{}`}, {"GET", "/links", ""},
	{"GET", "/find?text=beacon", ""}, {"GET", "/find?regex=.", ""}, {"GET", "/find?regex=%5BA-Za-z0-9%5D%7B4,%7D", ""}, {"GET", "/find?role=button", ""}, {"GET", "/find?role=link", ""},
	{"POST", "/scrape", `{"selectors": {"x": "p", "y": "li", "z": "td"}}`}, {"POST", "/scrape", `{"selectors": {"x": "a@href", "y": "#attr@title", "z": "input@placeholder"}}`}, {"POST", "/scrape", `{"selectors": {"x": "img@alt", "y": "option", "z": "b"}}`},
	{"GET", "/console", ""}, {"GET", "/console?level=error", ""}, {"GET", "/network", ""}, {"GET", "/network?urlPattern=gone", ""}, {"GET", "/tabs", ""}, {"GET", "/status", ""}, {"GET", "/screenshot?labels=true", ""},
	{"GET", "/pdf", ""}, {"GET", "/downloads", ""}, {"POST", "/hover", `{"selector": "#link"}`}, {"POST", "/click", `{"selector": "#button"}`}, {"POST", "/select", `{"selector": "#options", "values": ["x"]}`},
	{"POST", "/press", `{"selector": "#field", "key": "Control+a"}`}, {"POST", "/press", `{"selector": "#field", "key": "Control+c"}`}, {"POST", "/type", `{"selector": "#field", "text": "x"}`}, {"POST", "/scroll", `{"y": 100}`},
	{"POST", "/drag", `{"from": {"selector": "#field"}, "to": {"selector": "#link"}}`}, {"POST", "/batch", `{"steps": [{"verb": "page.snapshot"}, {"verb": "page.find", "args": {"text": "key"}}]}`},
	{"POST", "/click", `{"selector": "#nothing", "timeout": 200}`}, {"POST", "/reload", ""}, {"POST", "/back", ""}, {"POST", "/forward", ""}, {"GET", "/snapshot?diff=true", ""},
}

// reads reads pages of the victim that show its credentials, in every way there
// is.
func (h *hijacked) reads(t *testing.T) {
	for _, page := range []string{"/keys", "/echo?q=x", "/file"} {
		h.fresh(t)
		h.clean(t, "reads", h.goTo(t, h.victim+page))
		for _, p := range looks {
			if page != "/keys" && p.method != http.MethodGet {
				continue // of elements that it does not have
			}
			h.clean(t, "reads", h.curl(t, "agent").do(p.method, h.at(p.path), p.body))
		}
	}
	if live := h.goTo(t, h.victim+"/echo?q=x"); live.status != http.StatusOK || !strings.Contains(string(h.curl(t, "agent").get(h.at("/snapshot")).body), "beacon-of-echo") {
		t.Error("nothing of the page is shown at all")
	}
	told := h.curl(t, "agent").get(h.at("/snapshot")).body
	if !strings.Contains(string(told), "[redacted]") {
		t.Errorf("the page was not shown a cookie: %s", told)
	}
	h.clean(t, "reads", h.curl(t, "agent").post("/v1/browser/crawl", fmt.Sprintf(`{"url": %q, "maxPages": 3}`, h.victim+"/echo?q=x")))
	h.clean(t, "reads", h.curl(t, "agent").get("/v1/sessions/"+h.session))
	h.clean(t, "reads", h.curl(t, "agent").get("/v1/sessions/"+h.session+"/artifacts"))
	h.clean(t, "reads", h.curl(t, "agent").get("/v1/sessions"))
}

// fromOwnPage lets a page of the attacker access the victim, and reads the page.
func (h *hijacked) fromOwnPage(t *testing.T) {
	h.fresh(t)
	for _, name := range hostileTries {
		h.clean(t, "own page", h.curl(t, "agent").post(h.at("/navigate"), fmt.Sprintf(`{"url": %q, "waitUntil": "domcontentloaded"}`, h.hostile+"/try/"+name)))
		<-time.After(50 * time.Millisecond) // for what it does by itself
		for _, p := range []probe{{"GET", "/snapshot", ""}, {"GET", "/console", ""}} {
			h.clean(t, "own page", h.curl(t, "agent").do(p.method, h.at(p.path), p.body))
		}
	}
}

// told returns an answer without its variable parts.
func (h *hijacked) told(t *testing.T, p probe, text string) (string, answer) {
	t.Helper()
	fill := func(s string, escape func(string) string) string { return strings.ReplaceAll(s, "ASKED", escape(text)) }
	quoted := func(s string) string { b, _ := json.Marshal(s); return strings.Trim(string(b), `"`) }
	a := h.curl(t, "agent").do(p.method, h.at(fill(p.path, url.QueryEscape)), fill(p.body, quoted))
	if strings.HasPrefix(a.header.Get("Content-Type"), "image/") {
		return fmt.Sprintf("%d a picture", a.status), a
	}
	out := passing.ReplaceAllString(string(a.body), "")
	out = regexp.MustCompile(`/upload/[0-9a-f]+`).ReplaceAllString(out, "/upload/N")
	out = regexp.MustCompile(`\be[0-9]+\b`).ReplaceAllString(out, "eN")
	out = regexp.MustCompile(`"(data|image|bytes|tokens|width|height|size)": ?("[^"]*"|[0-9]+),?`).ReplaceAllString(out, "")
	for _, s := range []string{text, url.QueryEscape(text), base64.StdEncoding.EncodeToString([]byte(text))} {
		out = strings.ReplaceAll(out, s, "ASKED")
	}
	turned := []byte(text)
	slices.Reverse(turned)
	out = strings.ReplaceAll(out, string(turned), "DEKSA")
	for _, c := range text {
		out = strings.ReplaceAll(out, fmt.Sprintf(`text \"%c\"`, c), `text LETTER`)
		out = strings.ReplaceAll(out, fmt.Sprintf(`listitem \"%c\"`, c), `listitem LETTER`)
	}
	return fmt.Sprintf("%d %s", a.status, out), a
}

// asks are ways to compare a text with the content of a page of the victim, and
// to see the result in the answer.
var asks = []probe{
	{"POST", "/type", `{"selector": "#q", "text": "ASKED", "clear": true}`}, {"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`},
	{"POST", "/wait", `{"text": "ASKED", "timeout": 80}`}, {"POST", "/wait", `{"textGone": "ASKED", "timeout": 80}`}, {"POST", "/wait", `{"url": "ASKED", "timeout": 80}`},
	{"GET", "/find?text=ASKED", ""}, {"GET", "/find?regex=%5EASKED", ""}, {"GET", "/find?name=ASKED", ""}, {"GET", "/network?urlPattern=ASKED", ""}, {"GET", "/find?regex=ASKED.*", ""},
	{"POST", "/wait", `{"selector": "#csrf[value^='ASKED']", "state": "attached", "timeout": 80}`}, {"POST", "/wait", `{"selector": "meta[content*='ASKED']", "state": "attached", "timeout": 80}`},
	{"POST", "/wait", `{"selector": "#data[class*='t-ASKED']", "state": "attached", "timeout": 80}`}, {"POST", "/wait", `{"selector": "html:has([data-token^='ASKED'])", "state": "attached", "timeout": 80}`},
	{"POST", "/wait", `{"selector": "[id=data][class~='t-ASKED']", "state": "detached", "timeout": 80}`}, {"POST", "/wait", `{"selector": ".t-ASKED", "state": "attached", "timeout": 80}`},
	{"POST", "/hover", `{"text": "ASKED", "timeout": 80}`}, {"POST", "/scroll", `{"text": "ASKED", "y": 1, "timeout": 80}`}, {"POST", "/hover", `{"role": "textbox", "name": "ASKED", "timeout": 80}`},
	{"POST", "/scrape", `{"selectors": {"x": "#csrf[value^='ASKED']@id"}}`}, {"POST", "/scrape", `{"selectors": {"x": "p:contains('ASKED')"}}`}, {"GET", "/screenshot?selector=" + url.QueryEscape("[data-token^='ASKED']"), ""},
	{"POST", "/navigate", `{"url": "VICTIM/echo?q=ASKED"}`}, {"POST", "/navigate", `{"url": "VICTIM/ASKED"}`}, {"POST", "/navigate", `{"url": "HOSTILE/try/none?ASKED"}`}, {"POST", "/navigate", `{"url": "VICTIM/app#ASKED"}`},
	{"POST", "/upload", `{"selector": "#f", "files": [{"name": "ASKED.txt", "bytes": "eA=="}]}`},
	{"POST", "/batch", `{"steps": [{"verb": "page.type", "args": {"selector": "#q", "text": "ASKED", "clear": true}}, {"verb": "page.snapshot"}]}`},
	{"POST", "/press", `{"selector": "#q", "key": "ASKED"}`}, {"POST", "/select", `{"selector": "#q", "values": ["ASKED"]}`}, {"POST", "/dialog", `{"accept": true, "text": "ASKED"}`},
	{"POST", "/execute", `{"expression": "document.title == 'ASKED'"}`}, {"POST", "/fill-secret", `{"selector": "#q", "secret": "ASKED"}`}, {"POST", "/crawl", `{"url": "VICTIM/echo?q=ASKED", "maxPages": 1}`},
	{"GET", "/downloads/ASKED", ""}, {"POST", "/tabs", `{"url": "VICTIM/echo?q=ASKED"}`},
}

// guesses asks each question with a right and a wrong beginning, with as many
// characters as redaction leaves, and reads the page afterwards.
func (h *hijacked) guesses(t *testing.T) {
	for _, secret := range []struct{ name, text string }{{"token", strings.ReplaceAll(hijackedToken, ".", "")}, {"cookie", hijackedCookie}} {
		for _, letters := range map[string][]int{"token": {15}, "cookie": {5}}[secret.name] {
			right := secret.text[:letters]
			wrong := right[:letters-1] + map[bool]string{true: "0", false: "1"}[right[letters-1] != '0']
			h.fresh(t)
			for _, p := range asks {
				p.body = strings.NewReplacer("VICTIM", h.victim, "HOSTILE", h.hostile).Replace(p.body)
				if h.probes++; h.probes > 10 {
					h.fresh(t)
				}
				var said [2]string
				for i, text := range []string{right, wrong} {
					changes := p.method == http.MethodPost && p.path != "/wait" // it may change the page
					if changes || i == 0 {
						h.goTo(t, h.victim+"/app")
					}
					first, a := h.told(t, p, text)
					h.clean(t, "guesses", a, right, wrong, hijackedToken[:letters+1])
					said[i] = first
					if changes {
						then, b := h.told(t, probe{"GET", "/snapshot", ""}, text)
						h.clean(t, "guesses", b, right, wrong, hijackedToken[:letters+1], reversed(right))
						said[i] += "\n" + then
					}
				}
				if said[0] != said[1] {
					t.Errorf("%d letters of the %s can be asked for by %s %s %s:\n%.700s\n---\n%.700s", letters, secret.name, p.method, p.path, p.body, said[0], said[1])
				}
			}
		}
	}
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}

// disguises are encodings of a guess.
var disguises = map[string]func(string) string{
	"plain": func(s string) string { return s }, "upper": strings.ToUpper, "lower": strings.ToLower, "reversed": reversed,
	"base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64u": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + s)) },
	"hex":     func(s string) string { return hex.EncodeToString([]byte(s)) },
	"percent": func(s string) string {
		out := ""
		for _, c := range []byte(s) {
			out += fmt.Sprintf("%%%02X", c)
		}
		return out
	},
	"entities": func(s string) string {
		out := ""
		for _, c := range s {
			out += fmt.Sprintf("&#%d;", c)
		}
		return out
	},
	"escapes": func(s string) string {
		out := ""
		for _, c := range s {
			out += fmt.Sprintf(`\u%04x`, c)
		}
		return out
	},
	"spaced": func(s string) string { return strings.Join(strings.Split(s, ""), " ") },
	"joined": func(s string) string { return strings.Join(strings.Split(s, ""), "\u200d") },
	"dashed": func(s string) string { return strings.Join(strings.Split(s, ""), "-") },
	"lines":  func(s string) string { return strings.Join(strings.Split(s, ""), "\n") },
	"wide": func(s string) string {
		out := ""
		for _, c := range s {
			out += string(c - '!' + '！')
		}
		return out
	},
	"tags":   func(s string) string { return strings.Join(strings.Split(s, ""), "</b><b>") },
	"inside": func(s string) string { return "aaaa" + s + "bbbb" },
}

// caught sends what redaction would hide, in each encoding and argument. The
// session must be paused, and right and wrong guesses must be refused alike
// afterwards.
func (h *hijacked) caught(t *testing.T) {
	h.fresh(t)
	guess := hijackedCookie[:17]
	sends := func(name string, send func() answer) {
		h.goTo(t, h.victim+"/app")
		a := send()
		h.clean(t, "caught", a, guess)
		var problem struct{ Code string }
		if json.Unmarshal(a.body, &problem) != nil || problem.Code != string(fault.CredentialDetected) {
			t.Errorf("%s: not caught: %d %.300s", name, a.status, a.body)
			return
		}
		_, right := h.told(t, probe{"POST", "/type", `{"selector": "#q", "text": "ASKED"}`}, hijackedCookie[17:30])
		_, wrong := h.told(t, probe{"POST", "/type", `{"selector": "#q", "text": "ASKED"}`}, "nothing of it")
		strip := func(a answer) string { return passing.ReplaceAllString(string(a.body), "") }
		if strip(right) != strip(wrong) {
			t.Errorf("%s: right %s, wrong %s", name, right.body, wrong.body)
		}
		h.curl(t, "operator").post("/v1/sessions/"+h.session+"/resume", `{"note": "go on"}`).object(http.StatusOK)
	}
	for name, disguise := range disguises {
		sends("typed "+name, func() answer {
			_, a := h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`}, disguise(guess))
			return a
		})
	}
	for _, p := range asks {
		if strings.Contains(p.path, "/downloads/") {
			continue // no such address
		}
		p.body = strings.NewReplacer("VICTIM", h.victim, "HOSTILE", h.hostile).Replace(p.body)
		if strings.Contains(p.body, "contains(") || p.path == "/press" || p.path == "/crawl" {
			continue // not read at all, or of no session
		}
		sends(p.path+p.body, func() answer { _, a := h.told(t, p, guess); return a })
	}
	sends("content of a file", func() answer {
		_, a := h.told(t, probe{"POST", "/upload", `{"selector": "#f", "files": [{"name": "a.txt", "bytes": "ASKED"}]}`}, base64.StdEncoding.EncodeToString([]byte(guess)))
		return a
	})
	sends("two calls", func() answer {
		h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`}, guess[:9])
		_, a := h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED"}`}, guess[9:])
		return a
	})
	sends("two fields", func() answer {
		h.told(t, probe{"POST", "/type", `{"selector": "#q", "text": "ASKED", "clear": true}`}, guess[:9])
		_, a := h.told(t, probe{"POST", "/type", `{"selector": "#n", "text": "ASKED", "clear": true}`}, guess[9:])
		return a
	})
	sends("a name", func() answer {
		return h.curl(t, "agent").post("/v1/sessions", fmt.Sprintf(`{"name": %q}`, strings.ToLower(guess)))
	})
	sends("a reason", func() answer {
		return h.curl(t, "agent").post("/v1/sessions/"+h.session+"/request-human", fmt.Sprintf(`{"reason": %q}`, guess), "Prefer: wait=0")
	})
}

// refused tries everything that agents may not do.
func (h *hijacked) refused(t *testing.T) {
	h.fresh(t)
	h.goTo(t, h.victim+"/keys")
	for _, p := range []probe{
		{"GET", "/cookies", ""}, {"GET", "/content", ""}, {"GET", "/har", ""}, {"GET", "/har?headers=true", ""}, {"GET", "/network?headers=true", ""}, {"GET", "/cdp", ""},
		{"POST", "/execute", `{"expression": "document.cookie"}`}, {"POST", "/execute", `{"expression": "localStorage.jwt"}`}, {"POST", "/capture", `{"domain": "localhost"}`}, {"GET", "/contexts", ""},
		{"POST", "/fill-secret", `{"selector": "#field", "secret": "password"}`}, {"POST", "/cookies", `{"cookies": [{"name": "sid", "value": "x", "url": "http://localhost/"}]}`},
	} {
		a := h.curl(t, "agent").do(p.method, h.at(p.path), p.body, "Prefer: wait=0")
		h.clean(t, "refused", a)
		if a.status == http.StatusOK && p.path != "/contexts" {
			t.Errorf("%s is an agent's: %.300s", a.what, a.body)
		}
	}
	for _, path := range strings.Fields("/v1/approvals /v1/audit /v1/audit/export /v1/audit/verify /v1/tokens /v1/events /v1/policy /v1/capability /v1/runs /v1/whoami /v1/health /v1/sessions/" + h.session + "/grants /v1/sessions/" + h.session + "/replay") {
		if path == "/v1/events" {
			continue // a stream; refused as the others are, and tested with them
		}
		h.clean(t, "refused", h.curl(t, "agent").get(path))
	}
	for _, p := range []probe{
		{"POST", "/v1/credentials/check", `{"domain": "localhost"}`}, {"POST", "/v1/policy/explain", `{"verb": "page.execute"}`}, {"POST", "/v1/verbs/cookie.list", `{}`}, {"POST", "/v1/verbs/page.content", `{}`},
		{"POST", "/v1/verbs/credential.capture", `{"domain": "localhost"}`}, {"POST", "/v1/verbs/audit.query", `{}`}, {"POST", "/v1/tokens", `{"name": "mine", "role": "operator"}`}, {"POST", "/v1/sessions/" + h.session + "/resume", `{}`},
		{"POST", "/v1/sessions/" + h.session + "/take", `{}`}, {"GET", "/v1/artifacts/none", ""},
	} {
		h.clean(t, "refused", h.curl(t, "agent").do(p.method, p.path, p.body))
	}
}

// tools tries the same over MCP: tools, resources, prompts and completions.
func (h *hijacked) tools(t *testing.T) {
	h.fresh(t)
	h.goTo(t, h.victim+"/keys")
	a := h.streamable(t, h.token("agent"), "2025-11-25")
	text := func(kind string, v any, err error) {
		t.Helper()
		b, _ := json.Marshal(v)
		if err != nil {
			b = append(b, err.Error()...)
		}
		h.clean(t, "mcp", answer{what: kind, body: b})
	}
	for _, tool := range strings.Fields("browser_snapshot browser_extract browser_find browser_console browser_network browser_tabs browser_markdown browser_links browser_cookies browser_content browser_session browser_screenshot") {
		result, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: object{"session": h.session}})
		if err != nil {
			text(tool, nil, err)
			continue
		}
		if tool == "browser_screenshot" {
			result.Content = nil
		}
		text(tool, result, nil)
	}
	resources, err := a.ListResources(t.Context(), nil)
	text("resources", resources, err)
	if err == nil {
		for _, r := range resources.Resources {
			if strings.Contains(r.MIMEType, "image") || strings.Contains(r.MIMEType, "pdf") {
				continue
			}
			read, err := a.ReadResource(t.Context(), readOf(r.URI))
			text("resource "+r.URI, read, err)
		}
	}
	templates, err := a.ListResourceTemplates(t.Context(), nil)
	text("templates", templates, err)
	prompts, err := a.ListPrompts(t.Context(), nil)
	text("prompts", prompts, err)
}

func readOf(uri string) *sdk.ReadResourceParams { return &sdk.ReadResourceParams{URI: uri} }
