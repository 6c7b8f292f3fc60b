package xdisplay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Keysyms of keys (keysymdef.h).
const (
	xkTab, xkISOLeftTab, xkReturn, xkEscape = 0xff09, 0xfe20, 0xff0d, 0xff1b
	xkShift, xkControl, xkCapsLock, xkAlt   = 0xffe1, 0xffe3, 0xffe5, 0xffe9
	xkNumLock, xkKP7, xkHome, xkEnd         = 0xff7f, 0xffb7, 0xff50, 0xff57
	xkDeadAcute, xkEuro, xkCyrillicYa       = 0xfe51, 0x20ac, 0x06d1
	xkLevel3Shift                           = 0xfe03
)

// editor is a page with a text field that has the focus, and a record of events.
const editor = `<style>body { margin: 0 } textarea { width: 95vw; height: 200px; font: 12px sans-serif }</style>
<textarea id=field autofocus></textarea>
<script>
const field = document.getElementById('field');
let log = [];
for (const kind of ['keydown', 'keyup'])
	addEventListener(kind, e => log.push(kind + ' ' + e.key + ' ' + e.code + (e.repeat ? ' repeat' : '')));
for (const kind of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'auxclick'])
	addEventListener(kind, e => log.push([kind, e.button, e.clientX, e.clientY, e.shiftKey ? 'shift' : ''].join(' ').trim()));
addEventListener('contextmenu', e => e.preventDefault());
addEventListener('wheel', e => log.push('wheel ' + Math.sign(e.deltaX) + ' ' + Math.sign(e.deltaY)));
</script>`

// startEditor opens the editor and clicks into its field.
func startEditor(t testing.TB) (*xdisplay.Display, *chromium) {
	t.Helper()
	s := startServer(t)
	d := s.open(t)
	return d, startEditorOn(t, s, d)
}

func startEditorOn(t testing.TB, s *server, d *xdisplay.Display) *chromium {
	t.Helper()
	c := startChromium(t, s, editor)
	testwait.For(t, "the focus of the field", func() bool { // a window that is not drawn yet drops clicks
		input(t, d, click(100, 100)...)
		return c.eval("document.hasFocus() && document.activeElement === field && log.some(l => l.startsWith('click'))") == "true"
	})
	input(t, d, down(xkShift), up(xkShift)) // after the last click
	c.until("log.at(-1) === 'keyup Shift ShiftLeft'")
	c.eval("log = []")
	return c
}

func TestTextIsTypedIntoChromium(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	for _, want := range []string{
		"Hello, Wörld €ß 你好 🎉 áèñ @#{}[]|~",
		"plain text,\twith tab? no: <>!\"$%^&*()_+-=`';:/\\ 0123456789",
		"Привет, мир. Ελληνικά. עברית العربية ไทย हिन्दी 日本語テキスト 한국어",
		"👩‍👩‍👧‍👦 e\u0301 \u00a0… “quotes” –—",
		"line one\nline two\n\nline four",
	} {
		want = strings.ReplaceAll(want, "\t", " ") // a tab leaves the field
		c.eval("field.value = ''")
		input(t, d, text(want))
		c.until(fmt.Sprintf("field.value.length >= %q.length", want))
		if got := value[string](c, "field.value"); got != want {
			t.Errorf("typed %q, got %q", want, got)
		}
	}
}

// TestLongTextOfManyScriptsIsTyped needs far more keysyms than there are spare keys.
func TestLongTextOfManyScriptsIsTyped(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	count := 1500
	if testing.Short() {
		count = 300
	}
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range count {
		switch random.IntN(3) {
		case 0:
			b.WriteRune(rune('a' + random.IntN(26)))
		case 1:
			b.WriteRune(rune(0x4e00 + random.IntN(0x5000))) // Chinese
		case 2:
			b.WriteRune(rune(0x1f300 + random.IntN(0x100))) // pictures
		}
	}
	want := b.String()
	input(t, d, text(want))
	c.until(fmt.Sprintf("field.value.length >= %q.length", want))
	got := value[string](c, "field.value")
	if got != want {
		g, w := []rune(got), []rune(want)
		wrong := 0
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				wrong++
			}
		}
		t.Errorf("%d of %d characters differ, %d came", wrong, len(w), len(g))
	}
}

// TestKeysOfOtherLayoutsHaveTheirKeyInThePage changes the keyboard several times: the
// browser must read it again each time.
func TestKeysOfOtherLayoutsHaveTheirKeyInThePage(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	for _, want := range []string{"ßöé你€я", "αβγ", "жüñ", "אבגדהוזחטיכלמנ", "áàâãåæçèêëìíîïðòóôõøùúûý", "ßöé"} {
		c.eval("log = []")
		for _, r := range want {
			keysym := uint32(r)
			if r > 0xff {
				keysym |= 0x01000000
			}
			input(t, d, down(keysym), up(keysym))
		}
		count := len([]rune(want))
		c.until(fmt.Sprintf("log.length >= %d", 2*count))
		if got := value[string](c, "log.filter(l => l.startsWith('keydown')).map(l => l.split(' ')[1]).join('')"); got != want {
			t.Errorf("pressed %q, the page saw %q", want, got)
		}
	}
}

func TestKeyEventsHaveTheKeysymsKeyAndTheKeysCode(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	for name, test := range map[string]struct {
		events []action.PersonInput
		want   []string
	}{
		"letter": {
			[]action.PersonInput{down('a'), up('a')},
			[]string{"keydown a KeyA", "keyup a KeyA"},
		},
		"capital letter with Shift held": {
			[]action.PersonInput{down(xkShift), down('A'), up('A'), up(xkShift)},
			[]string{"keydown Shift ShiftLeft", "keydown A KeyA", "keyup A KeyA", "keyup Shift ShiftLeft"},
		},
		"Shift released before the letter": {
			[]action.PersonInput{down(xkShift), down('A'), up(xkShift), up('a')},
			[]string{"keydown Shift ShiftLeft", "keydown A KeyA", "keyup Shift ShiftLeft", "keyup a KeyA"},
		},
		"capital letter alone": {
			[]action.PersonInput{down('A'), up('A')},
			[]string{"keydown Shift ShiftLeft", "keydown A KeyA", "keyup Shift ShiftLeft", "keyup a KeyA"},
		},
		"sign of another layout with Shift held": { // Shift+7 on a German keyboard
			[]action.PersonInput{down(xkShift), down('/'), up('/'), up(xkShift)},
			[]string{"keydown Shift ShiftLeft", "keydown / ", "keyup / ", "keyup Shift ShiftLeft"},
		},
		"sign that has two keys": {
			[]action.PersonInput{down('<'), up('<')},
			[]string{"keydown Shift ShiftLeft", "keydown < Comma", "keyup Shift ShiftLeft", "keyup , Comma"},
		},
		"functions": {
			[]action.PersonInput{down(xkHome), up(xkHome), down(xkEscape), up(xkEscape), down(xkReturn), up(xkReturn)},
			[]string{"keydown Home Home", "keyup Home Home", "keydown Escape Escape", "keyup Escape Escape", "keydown Enter Enter", "keyup Enter Enter"},
		},
		"function with Shift held": {
			[]action.PersonInput{down(xkShift), down(xkHome), up(xkHome), up(xkShift)},
			[]string{"keydown Shift ShiftLeft", "keydown Home Home", "keyup Home Home", "keyup Shift ShiftLeft"},
		},
		"keypad without Num Lock": {
			[]action.PersonInput{down(xkKP7), up(xkKP7)},
			[]string{"keydown 7 ", "keyup 7 "},
		},
		"held twice": {
			[]action.PersonInput{down('a'), down('a'), up('a'), up('a')},
			[]string{"keydown a KeyA", "keyup a KeyA"},
		},
		"letter with Caps Lock": {
			[]action.PersonInput{down(xkCapsLock), up(xkCapsLock), down('A'), up('A'), down(xkCapsLock), up(xkCapsLock)},
			[]string{"keydown CapsLock CapsLock", "keyup CapsLock CapsLock", "keydown A KeyA", "keyup A KeyA", "keydown CapsLock CapsLock", "keyup CapsLock CapsLock"},
		},
	} {
		c.eval("log = []; field.value = ''")
		input(t, d, test.events...)
		c.until(fmt.Sprintf("log.length >= %d", len(test.want)))
		if got := value[[]string](c, "log"); !matches(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// matches compares events. One that ends with a space has a code that does not
// matter.
func matches(got, want []string) bool {
	return slices.EqualFunc(got, want, func(g, w string) bool {
		return g == w || strings.HasSuffix(w, " ") && strings.HasPrefix(g, w)
	})
}

func TestTextIsTypedWhileModifiersAreActive(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	const want = "aB/ö你Ö7é"
	for name, modifier := range map[string]uint32{"Shift": xkShift, "Caps Lock": xkCapsLock, "Num Lock": xkNumLock} {
		c.eval("field.value = ''; log = []")
		input(t, d, down(modifier))
		if modifier != xkShift {
			input(t, d, up(modifier))
		}
		input(t, d, text(want))
		if modifier != xkShift {
			input(t, d, down(modifier))
		}
		input(t, d, up(modifier))
		c.until("field.value.length >= 8")
		if got := value[string](c, "field.value"); got != want {
			t.Errorf("with %s: typed %q, got %q", name, want, got)
		}
		input(t, d, down('x'), up('x'))
		c.until("field.value.length >= 9")
		if got := value[string](c, "field.value"); got != want+"x" {
			t.Errorf("after %s: got %q", name, got)
		}
	}
}

func TestDeadKeysComposeInChromium(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	input(t, d, down(xkDeadAcute), up(xkDeadAcute), down('e'), up('e'))
	c.until("field.value.length >= 1")
	if got := value[string](c, "field.value"); got != "é" {
		t.Errorf("got %q", got)
	}
	// Keysyms that are older than those of Unicode.
	c.eval("field.value = ''")
	input(t, d, down(xkEuro), up(xkEuro), down(xkCyrillicYa), up(xkCyrillicYa))
	c.until("field.value.length >= 2")
	if got := value[string](c, "field.value"); got != "€я" {
		t.Errorf("got %q", got)
	}
}

func TestShortcutsWorkInChromium(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	press := func(keysym uint32) []action.PersonInput {
		return []action.PersonInput{down(xkControl), down(keysym), up(keysym), up(xkControl)}
	}
	input(t, d, text("copy me"))
	c.until("field.value === 'copy me'")
	input(t, d, press('a')...)
	c.until("getSelection().toString() === 'copy me'")
	input(t, d, press('c')...)
	input(t, d, down(xkEnd), up(xkEnd))
	input(t, d, press('v')...)
	c.until("field.value === 'copy mecopy me'")
}

func TestPointerReachesThePage(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	offset := value[[2]int](c, "[screenX + (outerWidth - innerWidth), screenY + (outerHeight - innerHeight)]")
	x, y := 300+offset[0], 400+offset[1]
	for name, test := range map[string]struct {
		events []action.PersonInput
		want   []string
	}{
		"click": {click(x, y), []string{"mousedown 0 300 400", "mouseup 0 300 400", "click 0 300 400"}},
		"right button": {
			[]action.PersonInput{at(action.InputButtonDown, x, y, 3), at(action.InputButtonUp, x, y, 3)},
			[]string{"mousedown 2 300 400", "contextmenu 2 300 400", "mouseup 2 300 400", "auxclick 2 300 400"},
		},
		"middle button": {
			[]action.PersonInput{at(action.InputButtonDown, x, y, 2), at(action.InputButtonUp, x, y, 2)},
			[]string{"mousedown 1 300 400", "mouseup 1 300 400", "auxclick 1 300 400"},
		},
		"back": {
			[]action.PersonInput{at(action.InputButtonDown, x, y, 8), at(action.InputButtonUp, x, y, 8)},
			[]string{"mousedown 3 300 400", "mouseup 3 300 400", "auxclick 3 300 400"},
		},
		"Shift and click": {
			slices.Concat([]action.PersonInput{down(xkShift)}, click(x, y), []action.PersonInput{up(xkShift)}),
			[]string{"keydown Shift ShiftLeft", "mousedown 0 300 400 shift", "mouseup 0 300 400 shift", "click 0 300 400 shift", "keyup Shift ShiftLeft"},
		},
		"drag": {
			[]action.PersonInput{at(action.InputButtonDown, x, y, 1), at(action.InputMove, x+50, y+20, 0), at(action.InputButtonUp, x+60, y+30, 1)},
			[]string{"mousedown 0 300 400", "mouseup 0 360 430", "click 0 360 430"},
		},
		"finger": {
			[]action.PersonInput{
				{Kind: action.InputTouchDown, X: x, Y: y, Touch: 3}, {Kind: action.InputTouchDown, X: 5, Y: 5, Touch: 4},
				{Kind: action.InputTouchMove, X: x + 1, Y: y}, {Kind: action.InputTouchUp, X: 5, Y: 5, Touch: 4},
				{Kind: action.InputTouchUp, X: x + 2, Y: y, Touch: 3},
			},
			[]string{"mousedown 0 300 400", "mouseup 0 302 400", "click 0 302 400"},
		},
	} {
		// Two clicks at one place become a double click.
		input(t, d, click(10+offset[0], 500+offset[1])...)
		c.until("log.at(-1) === 'click 0 10 500'")
		c.eval("log = []")
		input(t, d, test.events...)
		c.until(fmt.Sprintf("log.length >= %d", len(test.want)))
		if got := value[[]string](c, "log"); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestWheelScrollsThePage(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	for _, test := range []struct {
		dx, dy int
		want   string
	}{{0, 1, "wheel 0 1"}, {0, -1, "wheel 0 -1"}, {1, 0, "wheel 1 0"}, {-1, 0, "wheel -1 0"}} {
		c.eval("log = []")
		input(t, d, action.PersonInput{Kind: action.InputScroll, X: 300, Y: 400, DX: test.dx, DY: test.dy})
		c.until("log.length >= 1")
		if got := value[[]string](c, "log"); !slices.Equal(got, []string{test.want}) {
			t.Errorf("scroll %d, %d: got %q", test.dx, test.dy, got)
		}
	}
}

func TestAThousandKeysArriveInOrder(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	var events []action.PersonInput
	var want []string
	for i := range 500 {
		letter := uint32('a' + i*7%26)
		events = append(events, down(letter), up(letter))
		for _, kind := range []string{"keydown", "keyup"} {
			want = append(want, fmt.Sprintf("%s %c Key%c", kind, letter, letter-'a'+'A'))
		}
	}
	input(t, d, events...)
	c.until("log.length >= 1000")
	if got := value[[]string](c, "log"); !slices.Equal(got, want) {
		t.Error("the page did not receive the keys in order")
	}
}

func TestReleaseAllReleasesWhatIsHeld(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	input(t, d, down(xkShift), down(xkControl), down('ö'), at(action.InputButtonDown, 300, 400, 1))
	c.until("log.length >= 4")
	c.eval("log = []")
	if err := d.ReleaseAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.until("log.length >= 4")
	got := value[[]string](c, "log.map(l => l.split(' ')[0])")
	slices.Sort(got)
	if want := []string{"click", "keyup", "keyup", "keyup", "mouseup"}; !slices.Equal(slices.Compact(got), slices.Compact(want)) {
		t.Errorf("got %q", got)
	}
	c.eval("log = []; field.focus(); field.value = ''")
	input(t, d, text("q"))
	c.until("field.value === 'q'")
}

func TestBadInputIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	good := at(action.InputMove, 7, 7, 0)
	input(t, d, at(action.InputMove, 1, 2, 0))
	for name, event := range map[string]action.PersonInput{
		"kind":            {Kind: "jump"},
		"left of screen":  at(action.InputMove, -1, 0, 0),
		"below screen":    at(action.InputMove, 0, screenHeight, 0),
		"no button":       at(action.InputButtonDown, 0, 0, 0),
		"wheel as button": at(action.InputButtonDown, 0, 0, 4),
		"button 10":       at(action.InputButtonUp, 0, 0, 10),
		"too far":         {Kind: action.InputScroll, DY: 101},
		"much too far":    {Kind: action.InputScroll, DX: -1 << 63},
		"no keysym":       down(0),
		"control keysym":  down(7),
		"large keysym":    down(0x01110000),
		"surrogate":       down(0x0100d800),
		"bytes":           text("\xff"),
		"control text":    text("a\x1bb"),
		"long text":       text(strings.Repeat("a", 64<<10+1)),
		"finger":          {Kind: action.InputTouchDown, Touch: -1},
	} {
		if err := d.Input(t.Context(), []action.PersonInput{good, event}); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := d.Input(t.Context(), make([]action.PersonInput, 4097)); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("many events: %v", err)
	}
	p, err := d.Pointer(t.Context())
	if err != nil || p.X != 1 || p.Y != 2 {
		t.Errorf("the pointer is at %d, %d (%v): something was sent", p.X, p.Y, err)
	}
}
