package rest_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// canary is a value in bad requests that no answer and no log line may contain.
const canary = "hunter2hunter2"

// route is one route of a verb.
type route struct {
	verb   *action.Verb
	method string
	target string // variables filled in
	body   string // a good one
	query  bool   // its arguments travel in the query
}

// routes lists every route of every verb, and the generic one of each.
func routes(t *testing.T) []route {
	t.Helper()
	fill := strings.NewReplacer("{session}", "s1", "{id}", "a1")
	var all []route
	for i := range action.Verbs {
		v := action.Verbs[i]
		if v.Path == "" { // no surface offers it
			continue
		}
		query := v.Method == http.MethodGet || v.Method == http.MethodDelete
		all = append(all, route{v, v.Method, fill.Replace("/v1" + v.Path), bodies[v.Name], query})
		if strings.HasPrefix(v.Path, "/browser/") {
			all = append(all, route{v, v.Method, fill.Replace("/v1/sessions/{session}" + v.Path), bodies[v.Name], query})
		}
		all = append(all, route{v, http.MethodPost, "/v1/verbs/" + v.Name, genericBody(t, v), false})
	}
	return all
}

// victim is a surface that receives bad requests, with its door.
type victim struct {
	house
	door *door
}

func newVictim(t *testing.T) victim {
	t.Helper()
	d := answering(action.Result{})
	return victim{build(t, d), d}
}

// refuses sends a request and expects a problem document with a 4xx status. The
// request must not be repeated in the answer, logged or passed on.
func (v victim) refuses(t *testing.T, r *http.Request) {
	t.Helper()
	v.log.Reset()
	w := v.do(r)
	if w.Code < 400 || w.Code >= 500 {
		t.Errorf("%s %s: %d %.200s", r.Method, r.URL.Path, w.Code, w.Body)
		return
	}
	code := fault.InvalidRequest
	if w.Code == http.StatusNotFound {
		code = fault.NotFound
	}
	wantProblem(t, w, w.Code, code)
	if v.door.count() != 0 {
		t.Fatalf("%s %s: the call came through: %+v", r.Method, r.URL.Path, v.door.calls)
	}
	if strings.Contains(w.Body.String(), canary) || strings.Contains(v.log.String(), canary) {
		t.Errorf("%s %s: a value is repeated:\n%s\n%s", r.Method, r.URL.Path, w.Body, v.log)
	}
}

// spoiled returns bodies that every route must refuse, whatever its arguments
// are.
func spoiled(good string) map[string]string {
	rest := strings.TrimPrefix(good, "{")
	if rest != "}" && rest != "" {
		rest = "," + rest
	} else {
		rest = "}"
	}
	with := func(field string) string { return "{" + field + rest }
	return map[string]string{
		"no JSON":            canary,
		"open":               `{`,
		"open string":        `{"x":"` + canary,
		"open list":          `{"x":["` + canary + `"`,
		"without a value":    `{"x":}`,
		"without a colon":    `{"x" "` + canary + `"}`,
		"comma at the end":   `{"x":"` + canary + `",}`,
		"comment":            "/* " + canary + " */ {}",
		"single quotes":      `{'x':'` + canary + `'}`,
		"bare name":          `{x:1}`,
		"two values":         `{} {}`,
		"text behind":        `{} ` + canary,
		"closed twice":       `{}}`,
		"NUL behind":         "{}\x00",
		"NaN":                `{"x":NaN}`,
		"hexadecimal":        `{"x":0x1F}`,
		"leading zero":       `{"x":01}`,
		"control character":  "{\"x\":\"" + canary + "\x01\"}",
		"unknown escape":     `{"x":"` + canary + `\x41"}`,
		"lone surrogate":     with(`"x":"\ud800` + canary + `"`),
		"surrogates swapped": with(`"x":"\udc00\ud800"`),
		"bad UTF-8":          with("\"x\":\"" + canary + "\xff\""),
		"overlong UTF-8":     with("\"x\":\"\xc0\xaf\""),
		"bad UTF-8 in names": with("\"\xff\":1"),
		"byte order mark":    "\xef\xbb\xbf" + good,
		"UTF-16":             "\xff\xfe{\x00}\x00",
		"a list":             `["` + canary + `"]`,
		"a list of objects":  `[{}]`,
		"a string":           `"` + canary + `"`,
		"a number":           `7`,
		"true":               `true`,
		"unknown field":      with(`"x-unknown":"` + canary + `"`),
		"unknown object":     with(`"x-unknown":{"a":["` + canary + `"]}`),
		"prototype":          with(`"__proto__":{"admin":true}`),
		"empty name":         with(`"":"` + canary + `"`),
		"name twice":         `{"x":"` + canary + `","x":"` + canary + `"}`,
		"huge number":        with(`"x":1e999`),
		"deep objects":       strings.Repeat(`{"x":`, 10_000) + "1" + strings.Repeat("}", 10_000),
		"deep lists":         `{"x":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}",
		"deep and open":      strings.Repeat(`[`, 100_000),
		"oversized":          `{"x":"` + strings.Repeat("a", 1<<20) + `"}`,
	}
}

func TestNoRouteTakesASpoiledBody(t *testing.T) {
	v := newVictim(t)
	for _, at := range routes(t) {
		if at.query { // which takes no body, not even a good one
			v.refuses(t, request(at.method, at.target, `{}`))
			v.refuses(t, request(at.method, at.target, canary))
			continue
		}
		for name, body := range spoiled(at.body) {
			t.Run(at.target+" "+name, func(t *testing.T) { v.refuses(t, request(at.method, at.target, body)) })
		}
	}
}

// TestNoFieldTakesAnotherType gives each field of each verb a value of every
// wrong JSON type.
func TestNoFieldTakesAnotherType(t *testing.T) {
	v := newVictim(t)
	values := map[string]string{
		"string": `"` + canary + `"`, "bool": `true`, "int": `7`, "float64": `1.5`, "slice": `["` + canary + `"]`,
		"map": `{"` + canary[:4] + `":"x"}`, "huge": `1e999`, "number list": `[[1]]`, "deep": strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	}
	takes := map[string][]string{"float64": {"int"}, "int64": {"int"}, "struct": {"map"}, "interface": {"string", "bool", "int", "float64", "slice", "map", "number list"}}
	for _, at := range routes(t) {
		if at.query || strings.HasPrefix(at.target, "/v1/verbs/") {
			continue
		}
		for _, f := range action.Fields(reflect.TypeOf(at.verb.NewArgs())) {
			kind := f.Type.Kind().String()
			if kind == "ptr" {
				kind = f.Type.Elem().Kind().String()
			}
			for name, value := range values {
				if name == kind || slices.Contains(takes[kind], name) {
					continue
				}
				body := fmt.Sprintf(`{%q:%s}`, f.Name, value)
				t.Run(at.target+" "+f.Name+" "+name, func(t *testing.T) { v.refuses(t, request(at.method, at.target, body)) })
			}
		}
	}
}

func TestNoRouteTakesABodyOfAnotherMediaType(t *testing.T) {
	v := newVictim(t)
	for _, at := range routes(t) {
		if at.query || at.body == "" {
			continue
		}
		for _, kind := range []string{"", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=utf-16", "application/json, text/html", "application/ld+json", "*/*", canary} {
			r := request(at.method, at.target, at.body)
			r.Header.Del("Content-Type")
			if kind != "" {
				r.Header.Set("Content-Type", kind)
			}
			v.refuses(t, r)
		}
		for _, encoding := range []string{"gzip", "br", "identity, gzip"} {
			r := request(at.method, at.target, at.body)
			r.Header.Set("Content-Encoding", encoding)
			v.refuses(t, r)
		}
	}
}

func TestNoRouteTakesParametersItDoesNotKnow(t *testing.T) {
	v := newVictim(t)
	for _, at := range routes(t) {
		queries := []string{"x=" + canary, "=" + canary, "%00=1", "x[]=1", "access_token=" + canary, "%ff=1", "a=%zz", "session[]=a", "session=a;b", "session=a%00", "session=%ff", "session=a&session=b"}
		if at.verb.Name != "audit.query" && at.verb.Name != "audit.export" { // whose filter may be any text
			queries = append(queries, "session=..%2f..", "session=a%0d%0aX:1")
		}
		if at.query {
			for _, f := range action.Fields(reflect.TypeOf(at.verb.NewArgs())) {
				if name := f.Tag.Get("query"); name != "" {
					queries = append(queries, name+"=1&"+name+"=1", strings.ToUpper(name)+"=1", name+"=%00", name+"=%ff", name+"[]=1")
				}
			}
		}
		for _, query := range queries {
			t.Run(at.method+" "+at.target+" "+query, func(t *testing.T) {
				r := request(at.method, at.target, at.body)
				r.URL.RawQuery = query
				v.refuses(t, r)
			})
		}
	}
}

func TestNoRouteTakesASessionThatIsNoName(t *testing.T) {
	v := newVictim(t)
	for _, at := range routes(t) {
		if !strings.Contains(at.verb.Path, "/browser/") || strings.HasPrefix(at.target, "/v1/verbs/") {
			continue
		}
		for _, name := range []string{"a b", "a/b", "..", "../x", "a\x00b", "a\r\nX-Evil: 1", "a\tb", "ü", strings.Repeat("a", 65), "<script>", "-a", canary + "!"} {
			r := request(at.method, at.target, at.body)
			r.Header["Glovebox-Session"] = []string{name}
			v.refuses(t, r)
		}
		r := request(at.method, at.target, at.body)
		r.Header["Glovebox-Session"] = []string{"a", "b"}
		v.refuses(t, r)
	}
}

// TestNoPathClimbs puts invalid ids into paths.
func TestNoPathClimbs(t *testing.T) {
	v := newVictim(t)
	bad := []string{"..", "%2e%2e", "..%2f..%2fetc", "%2e%2e%2fetc%2fpasswd", "a%00b", "a%2fb", "a%5cb", "a%0d%0ab", "%ff", "a%20b", "%252e%252e", "a;b", strings.Repeat("a", 65), "-", "%c0%af"}
	for _, verb := range action.Verbs {
		if verb.Path == "" {
			continue
		}
		for _, path := range []string{"/v1" + verb.Path, "/v1/sessions/{session}" + verb.Path} {
			for _, variable := range []string{"{id}", "{session}"} {
				if !strings.Contains(path, variable) || strings.Count(path, "{session}") > 1 {
					continue
				}
				for _, name := range bad {
					target := strings.NewReplacer("{session}", "s1", "{id}", "a1").Replace(strings.Replace(path, variable, name, 1))
					t.Run(verb.Method+" "+target, func(t *testing.T) { v.refuses(t, request(verb.Method, target, bodies[verb.Name])) })
				}
			}
		}
	}
}

// TestOtherMethodsAre405WithAllow sends to every path each method for which it
// has no route, including HEAD.
func TestOtherMethodsAre405WithAllow(t *testing.T) {
	v := newVictim(t)
	takes := map[string][]string{"/v1/health": {"GET"}, "/healthz": {"GET"}, "/readyz": {"GET"}, "/openapi.json": {"GET"}, "/docs": {"GET"}}
	for _, at := range routes(t) {
		takes[at.target] = append(takes[at.target], at.method)
	}
	for target, methods := range takes {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "HEAD", "get", "X" + canary} {
			if slices.Contains(methods, method) {
				continue
			}
			w := v.do(request(method, target, ""))
			wantProblem(t, w, http.StatusMethodNotAllowed, fault.InvalidRequest)
			want := slices.Compact(slices.Sorted(slices.Values(methods)))
			if got := w.Header().Get("Allow"); got != strings.Join(want, ", ") {
				t.Errorf("%s %s: Allow is %q, want %q", method, target, got, want)
			}
			if v.door.count() != 0 || strings.Contains(w.Body.String(), canary) {
				t.Errorf("%s %s: %d calls, %s", method, target, v.door.count(), w.Body)
			}
		}
	}
}

// TestABlankBodyIsRefusedOnEveryRoute: blanks on each that takes a body, and no
// body at all on each that needs one.
func TestABlankBodyIsRefusedOnEveryRoute(t *testing.T) {
	v := newVictim(t)
	tried := 0
	for _, to := range routes(t) {
		if to.query {
			continue
		}
		for _, blank := range []string{" ", "\n", " \r\n\t ", ""} {
			if blank == "" && !needsBody(to) {
				continue
			}
			before := v.door.count()
			w := v.do(request(to.method, to.target, blank))
			if w.Code != http.StatusBadRequest || v.door.count() != before {
				t.Errorf("%s %s with %q: %d %.200s", to.method, to.target, blank, w.Code, w.Body)
			}
			tried++
		}
	}
	if tried < 200 {
		t.Errorf("only %d requests were tried", tried)
	}
}

// needsBody reports whether a call on a verb's own route has arguments that it
// cannot do without.
func needsBody(to route) bool {
	return !strings.HasPrefix(to.target, "/v1/verbs/") && slices.ContainsFunc(action.Fields(reflect.TypeOf(to.verb.NewArgs())), func(f action.Field) bool {
		return f.Required() && f.Tag.Get("path") == ""
	})
}
