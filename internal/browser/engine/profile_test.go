package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

// TestAClientSharesTheTabsOfABrowserWithAProfile: its tabs are in the
// browser's own context, not in one that was made for the session.
func TestAClientSharesTheTabsOfABrowserWithAProfile(t *testing.T) {
	tr := start(t, func(o *engine.Options) { o.Keeps = true })
	tr.visit(`<title>kept</title>`)
	g := tr.connect()
	g.follow()
	a := g.attached(anyPage)
	if got := g.evaluate(a.Session, "document.title"); got != `"kept"` {
		t.Errorf("the client reads %s", got)
	}
	opened := g.open("", "about:blank")
	if opened.Info.Context != a.Info.Context {
		t.Error("a page without a context is not in the session's own")
	}
	g.call("", "Storage.getCookies", nil)
	g.call("", "Target.closeTarget", map[string]string{"targetId": opened.Info.ID})
}
