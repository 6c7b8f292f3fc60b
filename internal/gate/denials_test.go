package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestADeniedRequestIsRefusedWhenItsPageSendsItAgain presses a button of a page that works on
// a copy of its own: it tries until the server has the deletion. People are asked once, and
// again only if the agent acts again.
func TestADeniedRequestIsRefusedWhenItsPageSendsItAgain(t *testing.T) {
	w := newWire(t, atWire)
	const page = `window.tries = 0;
		const sync = () => fetch('/rows/1', {method: 'DELETE', body: 'id=1'}).then(() => document.title = 'synced', () => {
			document.title = 'tried ' + ++tries;
			if (tries % 3) setTimeout(sync, 50);
		});
		document.body.innerHTML = '<button id=b>Delete row 1</button><button id=c>Archive</button>';
		b.onclick = sync; c.onclick = sync`
	w.as(operator, "page.execute", &action.Execute{Expression: page}, 0)
	title := func() string { return w.as(operator, "page.snapshot", &action.TakeSnapshot{}, 0).Page.Title }

	answered := w.answers(false)
	_, err := w.testGate.Call(t.Context(), action.Call{Verb: "page.click", Caller: agent, Args: &action.Click{Locator: named("#b")}, Wait: time.Minute})
	wantCode(t, "the deletion", err, fault.ApprovalDenied)
	answered()
	if hint := fault.From(err).Hint; !strings.Contains(hint, "reload") {
		t.Errorf("the hint does not say how to see what the server has: %s", hint)
	}
	testwait.For(t, "the page to try three times", func() bool { return title() == "tried 3" })
	if q := w.asked(); len(q) != 0 || w.did() != "" {
		t.Errorf("asked again: %+v, done %q", q, w.did())
	}
	told := 0
	w.pageSessions.mu.Lock()
	for _, said := range w.pageSessions.said {
		if strings.Contains(said, "its own copy") {
			told++
		}
	}
	w.pageSessions.mu.Unlock()
	if told > 1 {
		t.Errorf("the agent is told %d times", told)
	}

	answered = w.answers(true)
	w.as(agent, "page.click", &action.Click{Locator: named("#c")}, time.Minute)
	answered()
	testwait.For(t, "the row to go", func() bool { return w.did() == "DELETE /rows/1" })
}
