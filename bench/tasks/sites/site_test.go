package sites

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// open begins a run of a site and serves it.
func open(t *testing.T, name string, seed uint64) (*Run, string) {
	t.Helper()
	site, known := Named(name)
	if !known {
		t.Fatalf("no site %s", name)
	}
	server := New("http://127.0.0.1:1")
	run := server.Begin(site, "one", seed)
	served := httptest.NewServer(server)
	t.Cleanup(served.Close)
	return run, served.URL + run.Path
}

func TestEverySiteIsShownAndNotDoneYet(t *testing.T) {
	for _, site := range All() {
		run, address := open(t, site.Name, 7)
		answer, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(answer.Body)
		if answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(page), "<h1>") && !strings.Contains(string(page), "attachShadow") {
			t.Errorf("%s: %d, %v, %s", site.Name, answer.StatusCode, err, page)
		}
		if strings.Contains(run.Goal+run.want, "template:") || strings.Contains(run.Goal+run.want, "<no value>") || run.want == "" {
			t.Errorf("%s: the goal is %q, wanted is %q", site.Name, run.Goal, run.want)
		}
		for _, answer := range []string{"", run.Goal, "undefined"} {
			if run.Verdict(answer) == nil {
				t.Errorf("%s is done by the answer %q", site.Name, answer)
			}
		}
	}
}

func TestWordsAreTheSeedsAlone(t *testing.T) {
	for _, site := range All() {
		first, _ := open(t, site.Name, 1)
		again, _ := open(t, site.Name, 1)
		other, _ := open(t, site.Name, 2)
		if first.want != again.want {
			t.Errorf("%s: %q, and %q", site.Name, first.want, again.want)
		}
		if first.want == other.want && !strings.HasPrefix(first.want, "volume=") {
			t.Errorf("%s wants %q whatever the seed", site.Name, first.want)
		}
	}
}

func TestTheServerJudgesByWhatItWasTold(t *testing.T) {
	run, address := open(t, "contact-form", 3)
	form := url.Values{"person": {run.Told["person"]}, "mail": {run.Told["mail"]}, "topic": {run.Told["topic"]}, "note": {"another"}}
	send := func() {
		t.Helper()
		answer, err := http.PostForm(address+"done", form)
		if err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusNoContent {
			t.Fatal(answer, err)
		}
	}
	send()
	if run.Verdict("") == nil {
		t.Error("another note counts")
	}
	form.Set("note", run.Told["note"])
	send()
	if err := run.Settled(context.Background(), ""); err != nil {
		t.Error(err)
	}
}
