package engine_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func (tr *trial) visitAt(url string) *action.Navigated {
	tr.t.Helper()
	return tr.must("page.goto", &action.Goto{URL: url}).Data.(*action.Navigated)
}

func (tr *trial) waitURL(part string) {
	tr.t.Helper()
	if !tr.must("page.wait_for", &action.WaitFor{URL: part}).Data.(*action.Waited).Found {
		tr.t.Fatalf("%s did not come: at %s", part, tr.Page().URL)
	}
}

func TestAPageOfAServiceWorkerIsReadAndItsRequestsAreSeen(t *testing.T) {
	tr := start(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>registering</title><script>navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => document.title = 'ready')</script>`)
	})
	mux.HandleFunc("/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		script, err := fixtures.ReadFile("testdata/worker.js")
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(script)
	})
	s := listen(t, mux) // it has no /answer
	tr.visitAt(s.URL)
	tr.eval(`navigator.serviceWorker.ready.then(() => new Promise(done => navigator.serviceWorker.controller ? done() : navigator.serviceWorker.oncontrollerchange = done))`)
	if at := tr.visitAt(s.URL + "/answer"); at.Status != 200 || at.Title != "from the worker" {
		t.Errorf("at %+v", at)
	}
	tr.click(action.Locator{Text: "Offline words"})
	var seen []string
	for _, r := range tr.must("page.network", &action.ReadNetwork{}).Data.(*action.NetworkListing).Requests {
		seen = append(seen, strings.TrimPrefix(r.URL, s.URL))
	}
	if all := strings.Join(seen, " "); !strings.Contains(all, "/worker.js") || !strings.Contains(all, "/answer") {
		t.Errorf("requests %s", all)
	}
}

func TestRedirectsAreFollowedToTheirEnd(t *testing.T) {
	tr := start(t)
	mux := http.NewServeMux()
	for n, status := range []int{301, 302, 303, 307, 308} {
		mux.HandleFunc(fmt.Sprint("/", n), func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, fmt.Sprint("/", n+1), status)
		})
	}
	page := func(path, html string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, html)
		})
	}
	page("/5", `<title>end</title>`)
	page("/meta", `<meta http-equiv=refresh content="0;url=/5">`)
	page("/script", `<script>location.replace('/5')</script>`)
	page("/later", `<title>first</title><script>onload = () => setTimeout(() => location = '/5', 50)</script>`)
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	s := listen(t, mux)
	if at := tr.visitAt(s.URL + "/0"); at.URL != s.URL+"/5" || at.Status != 200 || at.Title != "end" {
		t.Errorf("a chain ends at %+v", at)
	}
	for _, path := range []string{"/meta", "/script", "/later"} {
		tr.must("page.goto", &action.Goto{URL: "about:blank"})
		tr.visitAt(s.URL + path)
		tr.waitURL("/5")
		tr.must("page.wait_for", &action.WaitFor{})
		tr.wantTitle("end")
	}
	f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: s.URL + "/loop"})
	if f.Details["error"] != "net::ERR_TOO_MANY_REDIRECTS" {
		t.Errorf("%v with %v", f, f.Details)
	}
}

func TestANavigationWithoutAPageKeepsTheOneBefore(t *testing.T) {
	tr := start(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>kept</title><a href=/nothing>Nothing</a><button onclick="document.title+='!'">Go</button>`)
	})
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s := listen(t, mux)
	tr.visitAt(s.URL)
	r := tr.must("page.goto", &action.Goto{URL: s.URL + "/nothing"})
	if at := r.Data.(*action.Navigated); at.Status != http.StatusNoContent || at.Title != "kept" {
		t.Errorf("%+v", at)
	}
	if a := tr.click(selector("a")); a.NewPage {
		t.Errorf("a link to nothing: %+v", a)
	}
	tr.click(selector("button"))
	tr.wantTitle("kept!")
}

func TestErrorPagesOfServersArePages(t *testing.T) {
	tr := start(t)
	mux := http.NewServeMux()
	for _, status := range []int{400, 401, 403, 404, 410, 429, 500, 503} {
		mux.HandleFunc(fmt.Sprint("/", status), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `<title>%d</title><button onclick="document.title='acted'">Home</button>`, status)
		})
	}
	s := listen(t, mux)
	for _, status := range []int{400, 401, 403, 404, 410, 429, 500, 503} {
		at := tr.visitAt(fmt.Sprint(s.URL, "/", status))
		if at.Status != status || at.Title != fmt.Sprint(status) {
			t.Errorf("%d: %+v", status, at)
		}
		tr.click(selector("button"))
		tr.wantTitle("acted")
	}
}

func TestACertificateThatIsNotTrustedIsAFault(t *testing.T) {
	tr := start(t)
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshakes that fail
	s.StartTLS()
	t.Cleanup(s.Close)
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.Config.ErrorLog = s.Config.ErrorLog
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS10, MinVersion: tls.VersionTLS10} //nolint:gosec // what the browser refuses
	old.StartTLS()
	t.Cleanup(old.Close)
	for url, want := range map[string]string{s.URL: "net::ERR_CERT_AUTHORITY_INVALID", old.URL: "net::ERR_SSL_VERSION_OR_CIPHER_MISMATCH"} {
		f := tr.refuse(fault.NavigationFailed, "page.goto", &action.Goto{URL: url})
		if f.Details["error"] != want {
			t.Errorf("%v with %v, want %s", f, f.Details, want)
		}
	}
	plain := serve(t, `<title>plain</title>`)
	if at := tr.visitAt(plain.URL); at.Title != "plain" {
		t.Errorf("afterwards: %+v", at)
	}
}

func TestFragmentsAreTheSameDocument(t *testing.T) {
	tr := start(t)
	s := tr.visit(`<title>one</title><div style="height:3000px"></div><a id=down href=#up>Up</a><p id=up style="position:absolute;top:0">Top</p>`)
	ref := tr.click(selector("#down")).Element.Ref
	tr.wantEval(`location.hash`, "#up")
	at := tr.visitAt(s.URL + "/#down")
	if at.URL != s.URL+"/#down" || at.Status != 200 {
		t.Errorf("at %+v", at)
	}
	tr.click(action.Locator{Ref: ref}) // refs outlive a move inside the document
	tr.must("page.back", &action.None{})
	if got := tr.Page().URL; got != s.URL+"/#down" {
		t.Errorf("back at %s", got)
	}
}

func TestPagesThatWriteThemselvesAnew(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>old</title><button onclick="document.open(); document.write('<title>new</title><button onclick=document.title+=1>Fresh</button>'); document.close()">Rewrite</button>`)
	tr.click(named("button", "Rewrite"))
	tr.wantTitle("new")
	tr.click(named("button", "Fresh"))
	tr.wantTitle("new1")
	if text := tr.snap(); strings.Contains(text, "Rewrite") || !strings.Contains(text, "Fresh") {
		t.Errorf("the snapshot shows\n%s", text)
	}
}

func TestAPageThatIsNeverIdle(t *testing.T) {
	tr := start(t)
	over := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>busy</title><style>@keyframes k {to {color: red}} b {animation: k 1s infinite}</style><b id=tick>0</b><button onclick="document.title+='!'">Go</button><input>
			<script>setInterval(() => { tick.textContent++; document.body.append(document.createElement('i')) }, 5); const poll = () => fetch('/poll').then(poll, () => {}); poll();
			const draw = () => { tick.style.paddingLeft = Math.random() + 'px'; requestAnimationFrame(draw) }; draw()</script>`)
	})
	mux.HandleFunc("/poll", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	})
	s := listen(t, mux)
	t.Cleanup(func() { close(over) })
	tr.visitAt(s.URL)
	tr.click(selector("button"))
	tr.must("page.type", &action.Type{Locator: selector("input"), Input: "calm"})
	tr.wantTitle("busy!")
	if text := tr.snap(); !strings.Contains(text, `value="calm"`) {
		t.Errorf("the snapshot shows\n%s", text)
	}
	tr.must("page.screenshot", &action.TakeScreenshot{})
	none := 300
	if tr.must("page.wait_for", &action.WaitFor{NetworkIdle: true, Timeout: &none}).Data.(*action.Waited).Found {
		t.Error("a page that polls was called idle")
	}
	f := tr.refuse(fault.ActionTimeout, "page.goto", &action.Goto{URL: s.URL, WaitUntil: "networkidle", Timing: action.Timing{Timeout: 1500}})
	if f.Hint == "" {
		t.Error("no hint")
	}
}

func TestWindowsThatLeaveNoOpener(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{
		"/":    `<title>opener</title><a target=_blank rel=noopener href=/new>Link</a><button onclick="open('/new', '_blank', 'noopener')">Script</button><form target=_blank action=/new><button>Form</button></form><button onclick="open('/new', 'w', 'width=200,height=200')">Small</button>`,
		"/new": `<title>new</title><p>New</p>`,
	})
	for _, name := range []action.Locator{named("link", "Link"), named("button", "Script"), named("button", "Form"), named("button", "Small")} {
		tr.visitAt(s.URL)
		r := tr.must("page.click", &action.Click{Locator: name})
		if !strings.HasPrefix(r.Page.URL, s.URL+"/new") || r.Page.Title != "new" {
			t.Errorf("%s: at %+v, notes %q", name.Name, r.Page, r.Notes)
		}
		tabs := tr.must("tab.list", &action.None{}).Data.(*action.TabListing).Tabs
		for _, tab := range tabs {
			if tab.Active {
				tr.must("tab.close", &action.ByID{ID: tab.ID})
			}
		}
		tr.wantTitle("opener")
	}
}
