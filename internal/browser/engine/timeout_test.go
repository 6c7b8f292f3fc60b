package engine_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestACallThatSaysNoLimitHasTheBrowsers: it was 30 seconds, whatever was
// configured.
func TestACallThatSaysNoLimitHasTheBrowsers(t *testing.T) {
	tr := start(t, func(o *engine.Options) { o.Timeout = time.Second })
	release := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { <-release })
	s := listen(t, mux)
	t.Cleanup(func() { close(release) })
	f := tr.refuse(fault.ActionTimeout, "page.goto", &action.Goto{URL: s.URL})
	if f.Message != "browser_action_timeout:goto:1s" {
		t.Error(f.Message)
	}
	if engine.Within(tr.Browser, 0) != time.Second || engine.Within(tr.Browser, 2*time.Minute) != 2*time.Minute {
		t.Error("a limit of its own does not count")
	}
	long := start(t, func(o *engine.Options) { o.Timeout = 2 * time.Minute })
	if got := engine.Within(long.Browser, 0); got != 2*time.Minute {
		t.Errorf("configured are 2 minutes, it is %s", got)
	}
}
