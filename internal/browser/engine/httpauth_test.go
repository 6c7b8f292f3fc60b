package engine_test

import (
	"crypto/md5" //nolint:gosec // what Digest is made of (RFC 2617)
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const canaryPassword = "canary-pass-7351"

func answering(origin, domain, password string) credentials.Set {
	return credentials.Set{Domain: domain, Origin: origin, Version: "1", HTTPAuth: keep(map[string]string{"username": "ada", "password": password})}
}

func md5Of(parts ...string) string {
	sum := md5.Sum([]byte(strings.Join(parts, ":"))) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// digested reports whether a request answers our question by Digest (RFC 2617
// section 3.2.2, quality of protection auth).
func digested(r *http.Request) bool {
	said := map[string]string{}
	for part := range strings.SplitSeq(strings.TrimPrefix(r.Header.Get("Authorization"), "Digest "), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		said[name] = strings.Trim(value, `"`)
	}
	want := md5Of(md5Of("ada", "x", canaryPassword), "n0nce", said["nc"], said["cnonce"], "auth", md5Of(r.Method, said["uri"]))
	return said["username"] == "ada" && said["response"] == want
}

// locked is a server that asks for a password, and counts those that were wrong.
func locked(t *testing.T, pages map[string]string) (s *httptest.Server, seen *asked, wrong *atomic.Int32) {
	t.Helper()
	seen, wrong = &asked{}, &atomic.Int32{}
	s = listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.note(r)
		user, password, given := r.BasicAuth()
		scheme, right := `Basic realm="x"`, user == "ada" && password == canaryPassword
		if strings.HasPrefix(r.URL.Path, "/digest") {
			scheme, right, given = `Digest realm="x", nonce="n0nce", qop="auth", algorithm=MD5`, digested(r), r.Header.Get("Authorization") != ""
		}
		if text, known := pages[r.URL.Path]; known && (right || strings.HasPrefix(r.URL.Path, "/open")) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(text))
			return
		}
		if given && !right {
			wrong.Add(1)
		}
		w.Header().Set("WWW-Authenticate", scheme)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	return s, seen, wrong
}

// TestAStoredPasswordAnswersItsOrigin by Basic and Digest, also where only a part
// of a page is asked about, and says so once.
func TestAStoredPasswordAnswersItsOrigin(t *testing.T) {
	pages := map[string]string{
		"/": "<title>basic</title>", "/digest": "<title>digest</title>", "/data": "data",
		"/open": `<title>open</title><script>document.done = fetch("/data").then(r => r.text())</script>`,
	}
	for path, title := range map[string]string{"/": "basic", "/digest": "digest", "/open": "open"} {
		s, _, wrong := locked(t, pages)
		var told []string
		var tr *trial
		tr = start(t, ready(&tr, answering(s.URL, "127.0.0.1", canaryPassword)), func(o *engine.Options) {
			o.Authenticated = func(domain, origin, scheme string) { told = append(told, domain+" "+origin+" "+scheme) }
		})
		r := tr.must("page.goto", &action.Goto{URL: s.URL + path})
		tr.wantTitle(title)
		if path == "/open" {
			tr.wantEval("document.done", "data")
		}
		tr.must("page.goto", &action.Goto{URL: s.URL + path})
		_ = tr.Browser.Close()
		want := map[string]string{"/": "Basic", "/digest": "Digest", "/open": "Basic"}[path]
		if len(told) != 1 || told[0] != "127.0.0.1 "+s.URL+" "+want || wrong.Load() != 0 {
			t.Errorf("%s: told %q, %d wrong passwords", path, told, wrong.Load())
		}
		if path != "/open" && !strings.Contains(fmt.Sprint(r.Notes), "answered the HTTP authentication") || strings.Contains(fmt.Sprint(r.Notes), "canary") {
			t.Errorf("%s: notes %q", path, r.Notes)
		}
	}
}

// TestAWrongPasswordIsGivenOnce, and the fault says that it was.
func TestAWrongPasswordIsGivenOnce(t *testing.T) {
	withWindows(t)
	for _, path := range []string{"/", "/digest"} {
		s, _, wrong := locked(t, map[string]string{"/": "", "/digest": ""})
		var tr *trial
		tr = start(t, ready(&tr, answering(s.URL, "127.0.0.1", "canary-wrong-9")))
		for range 2 {
			f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: s.URL + path})
			if !strings.Contains(f.Message, "did not take the stored") || !strings.Contains(f.Hint, "operator") || strings.Contains(f.Error(), "canary") {
				t.Errorf("%s: %v, hint %q", path, f, f.Hint)
			}
		}
		if wrong.Load() != 1 {
			t.Errorf("%s: the password was given %d times", path, wrong.Load())
		}
	}
}

// TestAPasswordIsForItsOriginAlone: not for another port, site or proxy, not for
// what pages of others load from it, and not for schemes that are not known.
func TestAPasswordIsForItsOriginAlone(t *testing.T) {
	withWindows(t)
	s, seen, _ := locked(t, map[string]string{"/": "<title>in</title>", "/frame": "framed"})
	second, others, _ := locked(t, map[string]string{"/": ""})
	evil, _ := noting(t, map[string]string{"/": `<title>evil</title><img src="` + s.URL + `/image"><iframe src="` + s.URL + `/frame"></iframe><script>
		document.done = fetch("` + s.URL + `/fetched", {mode: "no-cors", credentials: "include"}).then(() => 1, () => 1)</script>`})
	var tr *trial
	tr = start(t, ready(&tr, answering(s.URL, "127.0.0.1", canaryPassword)))
	if err := tr.Inject(tr.ctx, answering(s.URL, "127.0.0.1", canaryPassword)); err != nil {
		t.Fatal(err)
	}
	tr.must("page.goto", &action.Goto{URL: elsewhere(evil)})
	tr.eval("document.done")
	for _, address := range []string{second.URL, elsewhere(s)} {
		if f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: address}); !strings.Contains(f.Hint, "httpAuth") {
			t.Errorf("%s: %v, hint %q", address, f, f.Hint)
		}
	}
	for _, r := range append(others.to("/"), seen.to("/")...) {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("%s was given the password of another origin", r.Host)
		}
	}
	tr.must("page.goto", &action.Goto{URL: s.URL})
	tr.wantTitle("in")
	for _, from := range []string{elsewhere(evil), evil.URL} { // the browser knows the password by now
		if r := tr.must("page.goto", &action.Goto{URL: from}); strings.Contains(fmt.Sprint(r.Notes), "did not finish") {
			t.Errorf("%s: %q", from, r.Notes)
		}
		tr.eval("document.done")
	}
	for _, path := range []string{"/image", "/frame", "/fetched"} {
		for _, r := range seen.to(path) {
			if r.Header.Get("Authorization") != "" {
				t.Errorf("%s was given the password for a page of another origin", path)
			}
		}
		if len(seen.to(path)) < 3 {
			t.Errorf("%s was asked for %d times", path, len(seen.to(path)))
		}
	}
}

// TestOnlyKnownSchemesAreAnswered, and proxies never.
func TestOnlyKnownSchemesAreAnswered(t *testing.T) {
	var given atomic.Int32
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization")+r.Header.Get("Proxy-Authorization") != "" {
			given.Add(1)
		}
		if scheme := strings.TrimPrefix(r.URL.Path, "/"); scheme != "proxy" {
			w.Header().Set("WWW-Authenticate", scheme)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Proxy-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	var tr *trial
	tr = start(t, ready(&tr, answering(s.URL, "127.0.0.1", canaryPassword)))
	for _, path := range []string{"/NTLM", "/Negotiate", "/Bearer", "/proxy"} {
		_, _ = tr.do("page.goto", &action.Goto{URL: s.URL + path})
	}
	if given.Load() != 0 {
		t.Errorf("%d requests had an answer", given.Load())
	}
}
