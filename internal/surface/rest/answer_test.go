package rest_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAnswersHaveTheDocumentedShape(t *testing.T) {
	page := &action.Page{URL: "https://a.example/", Title: "A"}
	cases := map[string]struct {
		method, target, body string
		result               action.Result
		want                 string
	}{
		"navigate": {
			"POST", "/v1/browser/navigate", `{"url":"a.example"}`,
			action.Result{Page: page, Data: &action.Navigated{URL: page.URL, Title: "A", Status: 200}},
			`{"url":"https://a.example/","title":"A","status":200}`,
		},
		"back":     {"POST", "/v1/browser/back", "", action.Result{Data: page}, `{"url":"https://a.example/","title":"A"}`},
		"wait":     {"POST", "/v1/browser/wait", "{}", action.Result{Data: &action.Waited{}}, `{"found":false}`},
		"snapshot": {"GET", "/v1/browser/snapshot", "", action.Result{Data: &action.Snapshot{Text: "page", URL: "u", Title: "t"}}, `{"snapshot":"page","url":"u","title":"t"}`},
		"content":  {"GET", "/v1/browser/content?selector=main", "", action.Result{Page: page, Data: &action.HTML{HTML: "h", URL: "u", Title: "t"}}, `{"html":"h","url":"u","title":"t"}`},
		"markdown": {"GET", "/v1/browser/markdown?full=true", "", action.Result{Page: page, Data: &action.Marked{Markdown: "# m", URL: "u", Title: "t"}}, `{"markdown":"# m","url":"u","title":"t"}`},
		"links":    {"GET", "/v1/browser/links", "", action.Result{Page: page, Data: &action.LinkListing{Links: []action.Link{{Href: "h", Text: "t"}}, URL: "u"}}, `{"links":[{"href":"h","text":"t"}],"url":"u"}`},
		"scrape": {
			"POST", "/v1/browser/scrape", `{"selectors":{"title":"h1"},"url":"a.example"}`,
			action.Result{Page: page, Data: &action.Scraped{Data: map[string][]string{"title": {"T"}}, URL: "u", Title: "t"}}, `{"data":{"title":["T"]},"url":"u","title":"t"}`,
		},
		"execute": {
			"POST", "/v1/browser/execute", `{"expression":"1","awaitPromise":true}`,
			action.Result{Data: &action.Executed{Result: json.RawMessage(`{"a":1}`), Type: "object"}}, `{"result":{"a":1},"type":"object"}`,
		},
		"execute without a value": {"POST", "/v1/browser/execute", `{"expression":";"}`, action.Result{Data: &action.Executed{Type: "undefined"}}, `{"result":null,"type":"undefined"}`},
		"click with all that can stand beside": {
			"POST", "/v1/browser/click", `{"ref":"e1"}`,
			action.Result{Page: page, Data: &action.Acted{OK: true}, Modal: &action.Dialog{Kind: "alert", Message: "hi"}, Notes: []string{"n"}},
			`{"ok":true,"page":{"url":"https://a.example/","title":"A"},"modal":{"kind":"alert","message":"hi"},"notes":["n"]}`,
		},
		"cookies": {
			"GET", "/v1/browser/cookies?url=https://a.example/", "",
			action.Result{Data: &action.CookieListing{Cookies: []action.Cookie{{Name: "a", Value: "1", Domain: ".a.example", Path: "/", Expires: -1, Secure: true}}}},
			`{"cookies":[{"name":"a","value":"1","domain":".a.example","path":"/","expires":-1,"httpOnly":false,"secure":true,"sameSite":""}]}`,
		},
		"no cookies":      {"GET", "/v1/browser/cookies", "", action.Result{Data: &action.CookieListing{Cookies: []action.Cookie{}}}, `{"cookies":[]}`},
		"cookies set":     {"POST", "/v1/browser/cookies", `{"cookies":[{"name":"a","value":""}]}`, action.Result{Data: &action.CookiesSet{OK: true}}, `{"ok":true}`},
		"cookies deleted": {"DELETE", "/v1/browser/cookies?name=a&domain=a.example", "", action.Result{Data: &action.CookiesDeleted{OK: true, Deleted: 2}}, `{"ok":true,"deleted":2}`},
		"tabs": {
			"GET", "/v1/browser/tabs", "",
			action.Result{Page: page, Data: &action.TabListing{Tabs: []action.Tab{{ID: "T1", URL: "u", Title: "t", Active: true}}}},
			`{"tabs":[{"id":"T1","url":"u","title":"t","active":true}],"page":{"url":"https://a.example/","title":"A"}}`,
		},
		"activate": {
			"POST", "/v1/browser/tabs/T1/activate", "", action.Result{Page: page, Data: &action.Tab{ID: "T1", URL: "u", Title: "t", Active: true}},
			`{"id":"T1","url":"u","title":"t","active":true}`,
		},
		"close tab": {"DELETE", "/v1/browser/tabs/T1", "", action.Result{Data: &action.Closed{OK: true}}, `{"ok":true}`},
		"console": {
			"GET", "/v1/browser/console?level=error&limit=5&clear=true", "",
			action.Result{Data: &action.ConsoleListing{Messages: []action.ConsoleMessage{{Level: "error", Text: "x", URL: "u", Line: 3, Timestamp: time.UnixMilli(1_700_000_000_123).UTC()}}}},
			`{"messages":[{"level":"error","text":"x","url":"u","line":3,"timestamp":"2023-11-14T22:13:20.123Z"}]}`,
		},
		"network": {
			"GET", "/v1/browser/network?limit=5&urlPattern=%5C.js%24", "",
			action.Result{Data: &action.NetworkListing{Requests: []action.NetworkRequest{{URL: "u", Method: "GET", Status: 200, MimeType: "text/html", ResponseSize: 10, Duration: 1.5, Timestamp: time.UnixMilli(1_700_000_000_123).UTC()}}}},
			`{"requests":[{"url":"u","method":"GET","status":200,"mimeType":"text/html","responseSize":10,"duration":1.5,"timestamp":"2023-11-14T22:13:20.123Z"}]}`,
		},
		"nothing": {"POST", "/v1/browser/click", `{"ref":"e1"}`, action.Result{}, `{}`},
		"notes only": {
			"POST", "/v1/browser/click", `{"ref":"e1"}`, action.Result{Notes: []string{"n"}}, `{"notes":["n"]}`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.result.Session = "s1"
			w := build(t, answering(c.result)).do(request(c.method, c.target, c.body))
			if w.Code != http.StatusOK || w.Body.String() != c.want {
				t.Errorf("got %d %s\nwant    %s", w.Code, w.Body, c.want)
			}
			if w.Header().Get("Glovebox-Session") != "s1" || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
}

func TestATabThatIsOpenedIs201(t *testing.T) {
	d := answering(action.Result{Data: &action.Tab{ID: "T1", URL: "https://a.example/", Title: "A", Active: true}})
	w := build(t, d).do(request("POST", "/v1/browser/tabs", `{"url":"a.example"}`))
	if want := `{"id":"T1","url":"https://a.example/","title":"A","active":true}`; w.Code != http.StatusCreated || w.Body.String() != want {
		t.Errorf("got %d %s, want 201 %s", w.Code, w.Body, want)
	}
	if args := d.last(t).Args.(*action.OpenTab); args.URL != "a.example" {
		t.Errorf("it went to %q", args.URL)
	}
	build(t, d).do(request("GET", "/v1/browser/network?limit=5&urlPattern=%5C.js%24", ""))
	if args := d.last(t).Args.(*action.ReadNetwork); args.Limit != 5 || args.Pattern != `\.js$` {
		t.Errorf("it asked for %+v", args)
	}
	for _, bad := range []string{"/v1/browser/console?level=loud", "/v1/browser/console?limit=1001", "/v1/browser/network?clear=perhaps", "/v1/browser/console?clear=perhaps"} {
		wantProblem(t, build(t, d).do(request("GET", bad, "")), http.StatusBadRequest, fault.InvalidRequest)
	}
}

func TestScreenshotsAndFilesAreBytes(t *testing.T) {
	shot := answering(action.Result{Data: &action.Screenshot{Format: "webp", Bytes: []byte("pixels")}})
	w := build(t, shot).do(request("GET", "/v1/browser/screenshot", ""))
	if w.Body.String() != "pixels" || w.Header().Get("Content-Type") != "image/webp" || w.Header().Get("Glovebox-Cut") != "" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	cut := answering(action.Result{Data: &action.Screenshot{Format: "png", Cut: true, Bytes: []byte("pixels")}})
	w = build(t, cut).do(request("GET", "/v1/browser/screenshot?fullPage=true&labels=true", ""))
	if w.Header().Get("Glovebox-Cut") != "true" || !cut.last(t).Args.(*action.TakeScreenshot).Labels {
		t.Errorf("a cut picture has %v for %+v", w.Header(), cut.last(t).Args)
	}
	d := answering(action.Result{Data: &action.PDF{Bytes: []byte("%PDF")}})
	w = build(t, d).do(request("GET", "/v1/browser/pdf?format=letter&landscape=true&printBackground=true&scale=0.5", ""))
	if w.Body.String() != "%PDF" || w.Header().Get("Content-Type") != "application/pdf" || *d.last(t).Args.(*action.PrintPDF) != (action.PrintPDF{Format: "letter", Landscape: true, PrintBackground: true, Scale: 0.5}) {
		t.Errorf("%v %s %+v", w.Header(), w.Body, d.last(t).Args)
	}
	for _, query := range []string{"scale=NaN", "scale=Inf", "scale=3", "scale=x", "format=a3"} {
		wantProblem(t, build(t, d).do(request("GET", "/v1/browser/pdf?"+query, "")), 400, fault.InvalidRequest)
	}
	hostile := &action.File{Artifact: action.Artifact{Name: "a\r\nSet-Cookie: x=\"y\"/../ü.html", MediaType: "text/html"}, Bytes: []byte("<script>")}
	w = build(t, answering(action.Result{Data: hostile})).do(request("GET", "/v1/artifacts/f1", ""))
	h := w.Header()
	if h.Get("Content-Type") != "application/octet-stream" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Set-Cookie") != "" {
		t.Errorf("headers %v", h)
	}
	if got := h.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") || strings.ContainsAny(got, "\r\n/\\<") {
		t.Errorf("disposition %q", got)
	}
}

func TestScrapeRefusesWhatIsNoMapOfSelectors(t *testing.T) {
	d := answering(action.Result{})
	for _, body := range []string{`{}`, `{"selectors":{}}`, `{"selectors":{"a":""}}`, `{"selectors":{"":"h1"}}`, `{"selectors":{"a":1}}`, `{"selectors":["h1"]}`, `{"selectors":{"a":"x","a":"y"}}`, `{"selectors":{"a":"\u0000"}}`} {
		wantProblem(t, build(t, d).do(request("POST", "/v1/browser/scrape", body)), 400, fault.InvalidRequest)
	}
	wantProblem(t, build(t, d).do(request("POST", "/v1/browser/execute", `{"awaitPromise":true}`)), 400, fault.InvalidRequest)
}

func TestQuestionThatWaitsIs202(t *testing.T) {
	expires := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	result := action.Result{Session: "s1", Pending: &action.Pending{Approval: "q1", Expires: expires, Risk: action.High}}
	w := build(t, answering(result)).do(request("POST", "/v1/browser/click", `{"ref":"e1"}`))
	want := `{"state":"pending","approvalId":"q1","expires":"2026-11-20T12:00:00Z","risk":"HIGH"}`
	if w.Code != http.StatusAccepted || w.Body.String() != want || w.Header().Get("Location") != "/v1/approvals/q1/status" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	w = build(t, answering(result)).do(request("POST", "/v1/verbs/page.click", `{"args":{"ref":"e1"}}`))
	if w.Code != http.StatusAccepted || !strings.Contains(w.Body.String(), `"approvalId":"q1"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestFaultsAreProblemDocuments(t *testing.T) {
	for _, code := range fault.Codes() {
		d := &door{answer: func(action.Call) (action.Result, error) {
			return action.Result{}, fault.New(code, "it failed").Hinted("do this").With("rule", "r1").Because(errors.New("inner secret"))
		}}
		w := build(t, d).do(request("POST", "/v1/browser/back", ""))
		p := wantProblem(t, w, code.Info().Status, code)
		if p.Details["rule"] != "r1" || *p.Retryable != fault.New(code, "").Retryable() || strings.Contains(w.Body.String(), "inner secret") {
			t.Errorf("%s: %s", code, w.Body)
		}
		if got := w.Header().Get("Retry-After"); (code == fault.LimitReached) != (got != "") {
			t.Errorf("%s: Retry-After %q", code, got)
		}
		if got := w.Header().Get("WWW-Authenticate"); (code == fault.Unauthenticated) != (got != "") {
			t.Errorf("%s: WWW-Authenticate %q", code, got)
		}
	}
}

func TestErrorsThatAreNoFaultsStayInside(t *testing.T) {
	for name, answer := range map[string]func(action.Call) (action.Result, error){
		"error": func(action.Call) (action.Result, error) { return action.Result{}, errors.New("/var/lib/inner") },
		"panic": func(action.Call) (action.Result, error) { panic("/var/lib/inner") },
		"data that is no JSON": func(action.Call) (action.Result, error) {
			return action.Result{Data: func() {}}, nil
		},
	} {
		h := build(t, &door{answer: answer})
		w := h.do(request("POST", "/v1/browser/back", ""))
		wantProblem(t, w, http.StatusInternalServerError, fault.Internal)
		if strings.Contains(w.Body.String(), "/var/lib") {
			t.Errorf("%s: the cause is shown: %s", name, w.Body)
		}
	}
}

func TestLimitSaysWhenToComeBack(t *testing.T) {
	d := &door{answer: func(action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.LimitReached, "too many").Hinted("wait").With("retryAfterSeconds", 17)
	}}
	if got := build(t, d).do(request("POST", "/v1/sessions", "")).Header().Get("Retry-After"); got != "17" {
		t.Errorf("Retry-After %q, want 17", got)
	}
}

func TestDescriptionListsEveryRoute(t *testing.T) {
	w := build(t, refusing()).do(request("GET", "/openapi.json", ""))
	var doc struct {
		OpenAPI string                               `json:"openapi"`
		Paths   map[string]map[string]map[string]any `json:"paths"`
		Parts   struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any `json:"properties"`
				Required   []string                  `json:"required"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("version %q", doc.OpenAPI)
	}
	for _, v := range action.Offered() {
		op := doc.Paths["/v1"+v.Path][strings.ToLower(v.Method)]
		if op == nil || op["summary"] != v.Summary {
			t.Errorf("%s is not described", v.Name)
		}
		if strings.HasPrefix(v.Path, "/browser/") && doc.Paths["/v1/sessions/{session}"+v.Path] == nil {
			t.Errorf("%s is not described below a session", v.Name)
		}
	}
	typed := doc.Parts.Schemas["TypeArgs"]
	if typed.Properties["text"]["description"] != "The text to type" || len(typed.Required) != 1 {
		t.Errorf("page.type takes %+v", typed)
	}
	for _, ref := range strings.Split(w.Body.String(), `"$ref": "#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(ref, `"`)
		if _, found := doc.Parts.Schemas[name]; !found {
			t.Errorf("the schema %s is missing", name)
		}
	}
}
