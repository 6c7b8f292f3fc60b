package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// What scripts slide open step by step is told when it is open.
func TestWhatScriptsSlideOpenIsWaitedFor(t *testing.T) {
	tr := start(t)
	for how, script := range map[string]string{
		"frames": `const step = () => { h += 10; p.style.height = h + 'px'; if (h < 100) requestAnimationFrame(step) }; p.style.display = 'block'; step()`,
		"timer":  `const id = setInterval(() => { p.style.display = 'block'; p.style.height = (h += 10) + 'px'; if (h >= 100) clearInterval(id) }, 16)`,
		"later":  `setTimeout(() => { const step = () => { h += 10; p.style.height = h + 'px'; if (h < 100) requestAnimationFrame(step) }; p.style.display = 'block'; step() }, 60)`,
		"style":  `p.style.cssText = 'display: block; height: 0; overflow: hidden; transition: height 700ms'; p.offsetHeight; p.style.height = '100px'`,
	} {
		tr.visit(`<!doctype html><button id=b>Details</button><div id=p style="display:none;height:0;overflow:hidden"><div style="height:80px"></div>Opened</div><script>
			const p = document.getElementById('p'); let h = 0;
			document.getElementById('b').onclick = () => { ` + script + ` };</script>`)
		tr.sees(bot)
		got := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")})
		if !strings.Contains(got.Text, "Opened") {
			t.Errorf("%s: %+v", how, got)
		}
	}
}

// An act that changed no words says whether it changed nothing, what no words
// describe, or goes on.
func TestAnActWithoutWordsSaysWhatBecameOfIt(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><style>@keyframes slide { from { transform: none } to { transform: translateX(90px) } }</style>
		<button id=none>None</button><button id=draw>Draw</button><button id=colour>Colour</button><button id=slide>Slide</button><button id=steps>Steps</button><button id=play>Play</button>
		<canvas id=c width=200 height=100></canvas><video id=v muted width=20 height=20></video><p id=p>Words</p><p id=q aria-hidden=true>_</p><script>
		const at = id => document.getElementById(id), pen = at('c').getContext('2d');
		pen.fillStyle = 'white'; pen.fillRect(0, 0, 200, 100);
		at('none').onclick = () => {};
		at('draw').onclick = () => { pen.fillStyle = 'red'; pen.fillRect(10, 10, 12, 12) };
		at('colour').onclick = () => { at('p').style.color = 'red' };
		at('slide').onclick = () => { at('p').style.animation = 'slide 20s' };
		at('steps').onclick = () => { let n = 0; setInterval(() => { at('q').style.width = ++n + 'px' }, 16) };
		at('play').onclick = () => { at('v').muted = false };
	</script>`)
	tr.sees(bot)
	for _, c := range []struct{ id, want string }{
		{"none", action.NothingChanged}, {"draw", action.Drawn}, {"none", action.NothingChanged}, {"colour", action.LooksChanged},
		{"play", action.Drawn}, {"slide", action.StillMoving}, {"steps", action.StillMoving},
	} {
		got := tr.told(bot, "page.click", &action.Click{Locator: selector("#" + c.id)})
		if c.id == "steps" && got.Outcome == action.LooksChanged {
			continue // on a busy machine the wait may end between two steps
		}
		if got.Text != "" || got.Outcome != c.want || got.Late != (c.want == action.StillMoving) {
			t.Errorf("%s: %+v, want %q", c.id, got, c.want)
		}
	}
}

// A drawing buffer of WebGL cannot be read: it may show something else.
func TestADrawingThatCannotBeReadMayHaveChanged(t *testing.T) {
	tr := start(t)
	tr.visit(`<!doctype html><button id=b>Turn</button><canvas width=50 height=50></canvas>`)
	tr.sees(bot)
	if got := tr.told(bot, "page.click", &action.Click{Locator: selector("#b")}); got.Outcome != action.Drawn {
		t.Errorf("%+v", got)
	}
}

// What the page before wrote after it was last looked at is told as such.
func TestErrorsOfThePageBeforeAreNotTheNewPages(t *testing.T) {
	tr := start(t)
	s := site(t, map[string]string{"/": `<title>One</title>`, "/two": `<title>Two</title><script>console.error('of the new page')</script>`})
	tr.told(bot, "page.goto", &action.Goto{URL: s.URL})
	tr.eval(`console.error('of the old page')`)
	got := tr.told(bot, "page.goto", &action.Goto{URL: s.URL + "/two"})
	if len(got.Errors) != 2 || !strings.HasPrefix(got.Errors[0], "on the page before: of the old page") || !strings.HasPrefix(got.Errors[1], "of the new page") {
		t.Errorf("%q", got.Errors)
	}
}
