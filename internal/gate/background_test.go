package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestWhatAPageSendsAllTheTimeIsNotAskedAboutWithAnAct deletes on a page that tells its state to
// the server before and after each act, in the same bytes. People are asked about the deletion
// alone. If nothing else explains a HIGH act, they are asked about the state too.
func TestWhatAPageSendsAllTheTimeIsNotAskedAboutWithAnAct(t *testing.T) {
	w := newWire(t, atWire)
	w.as(operator, "page.execute", &action.Execute{Expression: `window.tell = () => fetch('/api/state', {method: 'POST', body: 'x=1'});
		document.body.innerHTML = '<button id=next onclick="tell()">Next page</button>' +
			'<button id=one onclick="tell(); fetch(\'/rows/1\', {method: \'DELETE\'}).then(tell)">Delete row 1</button>' +
			'<button id=two onclick="tell()">Delete row 2</button>'`}, 0)
	if r := w.press("next", time.Second); r.Pending != nil || len(w.asked()) != 0 {
		t.Fatalf("a plain act is asked about: %+v", r.Pending)
	}
	answered := w.answers(true)
	w.press("one", time.Minute)
	if q := answered(); q.Request == nil || q.Request.Method != "DELETE" || len(q.Requests) != 0 {
		t.Errorf("question %+v about %+v", q, q.Request)
	}
	testwait.For(t, "the state after the deletion", func() bool { return strings.Count(w.did(), "POST /api/state") == 3 })
	if q := w.asked(); len(q) != 0 || !strings.Contains(w.did(), "DELETE /rows/1") {
		t.Errorf("asked again %+v, done %s", q, w.did())
	}
	r := w.press("two", 100*time.Millisecond)
	if r.Pending == nil || strings.Count(w.did(), "POST /api/state") != 3 {
		t.Errorf("an act that sends only that: %+v, done %s", r.Pending, w.did())
	}
	w.as(operator, "approval.answer", &action.Answer{ID: r.Pending.Approval}, 0)
}
