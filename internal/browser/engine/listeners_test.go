package engine_test

import (
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

// What only a script makes a control of, and nothing in the page's markup or
// style, has a reference and can be pressed.
func TestElementsThatOnlyListenAreControls(t *testing.T) {
	tr := start(t)
	tr.visit(`<title></title><div id=a>Clicks</div><div id=b>Presses</div><span id=c>Points</span><p id=d>Is handed one</p><section id=e><template shadowrootmode=closed><i id=f>In a shadow</i></template></section>
		<div id=list><p>One</p><p>Two</p><button>Three</button></div><p id=h>Only hovers</p><p>Plain</p><div id=late>Late</div>
		<iframe srcdoc="<b id=g>In a frame</b><script>g.addEventListener('click', () => parent.document.title += 'frame;')</script>"></iframe>
		<script>const tell = e => document.title += e.currentTarget.id + ';';
		a.addEventListener('click', tell); b.addEventListener('mousedown', tell); c.addEventListener('pointerdown', tell); d.onclick = tell;
		h.addEventListener('mouseover', () => 0); list.addEventListener('click', () => document.title += 'list;'); document.addEventListener('click', () => 0)</script>`)
	for _, name := range []string{"Clicks", "Presses", "Points", "Is handed one", "In a frame"} {
		refs := tr.refsOf("", name)
		if len(refs) != 1 || refs[0] == "" {
			t.Fatalf("%s has references %q in\n%s", name, refs, tr.snap())
		}
		tr.must("page.click", &action.Click{Locator: action.Locator{Ref: refs[0]}})
	}
	tr.wantTitle("a;b;c;d;frame;")
	for _, name := range []string{"Only hovers", "Plain", "One", "Late"} {
		if refs := tr.refsOf("", name); len(refs) == 1 && refs[0] != "" {
			t.Errorf("%s has the reference %s", name, refs[0])
		}
	}
	tr.eval(`late.addEventListener('click', tell); document.title = ''; 0`)
	tr.must("page.click", &action.Click{Locator: action.Locator{Ref: tr.refsOf("", "Late")[0]}})
	tr.wantTitle("late;")
}

// What a page may answer late is known only of events that its world is told of.
func TestWorldsAreToldOfWhatIsWaitedFor(t *testing.T) {
	for verb, kinds := range engine.HeardBy {
		for _, kind := range kinds {
			if !slices.Contains(injected.ReactionEvents, kind) {
				t.Errorf("%s waits for what answers %s", verb, kind)
			}
		}
	}
}
