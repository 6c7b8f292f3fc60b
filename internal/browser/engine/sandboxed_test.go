package engine_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// A frame in a sandbox has a process of its own, and may navigate before
// anybody is told of it.
func TestTheGuardIsAskedAboutDocumentsOfSandboxedFrames(t *testing.T) {
	tr, told := guarded(t)
	var other string
	reached := make(chan string, 100)
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case strings.HasPrefix(r.Host, "localhost"):
			reached <- r.URL.Path
		case r.URL.Path == "/in":
			_, _ = fmt.Fprintf(w, `<iframe sandbox="allow-scripts" srcdoc='<script>location = "%s/"</script>'></iframe>`, other)
		default:
			_, _ = fmt.Fprint(w, `<title>frames</title>`+strings.Repeat(`<iframe src="/in"></iframe>`, 10))
		}
	}))
	other = elsewhere(s)
	tr.must("page.goto", &action.Goto{URL: s.URL})
	for range 10 {
		select {
		case <-told:
		case path := <-reached:
			t.Fatalf("%s was reached", path)
		case <-tr.ctx.Done():
			t.Fatal("the guard was not asked")
		}
	}
	if len(reached) > 0 {
		t.Error("a document was reached")
	}
}
