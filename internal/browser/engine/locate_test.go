package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestAmbiguousTargetsActOnNothingAndAreListed(t *testing.T) {
	tr := start(t)
	tr.visit(`<title>none</title><ul><li>Ada <button onclick="document.title='ada'">Delete</button><li>Bob <button onclick="document.title='bob'">Delete</button></ul>
		<a href=#x onclick="document.title='link'"><b>More</b> <i>More</i></a><button hidden>Send</button><button onclick="document.title='sent'">Send</button>`)
	f := tr.refuse(fault.Ambiguous, "page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Delete", Strict: true}})
	tr.wantTitle("none")
	candidates, _ := f.Details["candidates"].([]string)
	if len(candidates) != 2 || !strings.Contains(candidates[0], "Ada") || !strings.Contains(f.Message, candidates[1]) {
		t.Fatalf("%v, candidates %q", f, candidates)
	}
	_, ref, _ := strings.Cut(candidates[1], "[")
	ref, _, _ = strings.Cut(ref, "]")
	tr.click(action.Locator{Ref: ref})
	tr.wantTitle("bob")
	one := 1
	for want, l := range map[string]action.Locator{
		"bob":  {Role: "button", Name: "Delete", Index: &one, Strict: true},
		"link": {Text: "More", Strict: true},
		"sent": {Role: "button", Name: "Send", Strict: true},
		"ada":  {Role: "button", Name: "Delete"},
	} {
		tr.click(l)
		tr.wantTitle(want)
	}
}

// What is not on a page that has loaded and stands still is answered at once;
// what may still come is waited for.
func TestWhatIsNotThereIsAnsweredAtOnce(t *testing.T) {
	tr := start(t)
	missing := &action.Click{Locator: action.Locator{Role: "button", Name: "Missing"}}
	for name, html := range map[string]string{
		"without scripts": `<button>Save</button>`,
		"with a script":   `<button>Save</button><script>document.title = 'x'</script>`,
	} {
		tr.visit(html)
		f := tr.refuse(fault.NotFound, "page.click", missing)
		if !strings.Contains(f.Message, "stands still") { // and not that its time was over
			t.Errorf("%s: %v", name, f)
		}
	}
	tr.visit(`<button>Save</button><p id=p></p><script>let n = 0;
		const tick = setInterval(() => {
			document.getElementById('p').textContent = ++n;
			if (n === 10) { clearInterval(tick); document.body.insertAdjacentHTML('beforeend', '<button onclick="document.title=1">Missing</button>') }
		}, 120)</script>`)
	tr.click(missing.Locator)
	tr.wantTitle("1")
	tr.visit(`<button>Save</button><script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button onclick="document.title=2">Missing</button>'), 900)</script>`)
	tr.must("page.click", &action.Click{Locator: missing.Locator, Timing: action.Timing{Timeout: 20000}})
	tr.wantTitle("2")
}

// The one element of a name may come a moment after others that contain it.
func TestTheElementThatIsMeantMayStillCome(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><button onclick="document.title='wrong'">Reply to delete it</button><button onclick="document.title='wrong'">Delete all</button><div id=d></div><script>
		setTimeout(() => { document.getElementById('d').innerHTML = '<button onclick="document.title=\'right\'">Delete</button>' }, 300);
	</script>`)
	tr.must("page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Delete", Strict: true}})
	tr.wantTitle("right")
}
