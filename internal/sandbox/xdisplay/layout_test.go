package xdisplay_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestAnotherLayoutIsUsed gives the display a German keyboard while it is open.
func TestAnotherLayoutIsUsed(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.Program("setxkbmap"))
	s := startServer(t)
	d := s.open(t)
	c := startEditorOn(t, s, d)
	input(t, d, text("ö y z"))
	c.until("field.value === 'ö y z'")
	command := exec.CommandContext(t.Context(), "setxkbmap", "de")
	command.Env = s.environ()
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, test := range []struct {
		keysym uint32
		want   []string
	}{
		{'z', []string{"keydown z KeyY", "keyup z KeyY"}},
		{0xf6, []string{"keydown ö Semicolon", "keyup ö Semicolon"}},
		{0xd6, []string{"keydown Shift ShiftLeft", "keydown Ö Semicolon", "keyup Shift ShiftLeft", "keyup ö Semicolon"}},
		{'@', []string{"keydown AltGraph AltRight", "keydown @ KeyQ", "keyup AltGraph AltRight", "keyup q KeyQ"}},
	} {
		c.eval("log = []; field.value = ''")
		input(t, d, down(test.keysym), up(test.keysym))
		c.until(fmt.Sprintf("log.length >= %d", len(test.want)))
		if got := value[[]string](c, "log"); !slices.Equal(got, test.want) {
			t.Errorf("keysym %#x: got %q, want %q", test.keysym, got, test.want)
		}
	}
	c.eval("log = []; field.value = ''")
	input(t, d, down(xkLevel3Shift), down('@'), up('@'), down('y'), up('y'), up(xkLevel3Shift)) // no layout has y there
	c.until("log.length >= 6")
	if got, want := value[[]string](c, "log.slice(0, 3).concat(log.at(-1), field.value)"), []string{"keydown AltGraph AltRight", "keydown @ KeyQ", "keyup @ KeyQ", "keyup AltGraph AltRight", "@y"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	const want = "Zwölf Boxkämpfer: {[]}\\~|@ €ß 你好 äÄ"
	c.eval("field.value = ''")
	input(t, d, text(want))
	c.until(fmt.Sprintf("field.value.length >= %d", len([]rune(want))))
	if got := value[string](c, "field.value"); got != want {
		t.Errorf("typed %q, got %q", want, got)
	}
}

func TestAHeldKeyRepeats(t *testing.T) {
	t.Parallel()
	s := startServer(t, "r")
	d := s.open(t)
	c := startEditorOn(t, s, d)
	input(t, d, down('a'))
	c.until("log.filter(l => l === 'keydown a KeyA repeat').length >= 3")
	input(t, d, up('a'))
	c.until("log.at(-1) === 'keyup a KeyA'")
	// A press of the key for a text releases it first.
	c.eval("log = []; field.value = ''")
	input(t, d, down('a'), text("a"))
	c.until("log.at(-1) === 'keyup a KeyA' && log.filter(l => l === 'keydown a KeyA').length === 2")
}

// TestTheLongestTextIsTyped types as much as a call allows.
func TestTheLongestTextIsTyped(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	d, c := startEditor(t)
	c.eval("field.style.display = 'none'; typed = ''; addEventListener('keypress', e => typed += e.key); null")
	want := strings.Repeat("The quick brown fox. ", (64<<10)/21)
	if err := d.Input(t.Context(), []action.PersonInput{text(want)}); err != nil {
		t.Fatal(err)
	}
	c.until(fmt.Sprintf("typed.length >= %d", len(want)))
	if got := value[string](c, "typed"); got != want {
		t.Error("the page got another text")
	}
}

func TestCloseLeavesTheKeyboardAsItWas(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	h := startHostile(t, s)
	mapping := func() string {
		reply, err := h.conn.Call(t.Context(), x11.NewRequest(101, 0).U8(8, 248, 0, 0)) // GetKeyboardMapping
		if err != nil {
			t.Fatal(err)
		}
		return string(reply[32:])
	}
	before := mapping()
	d, err := xdisplay.Open(t.Context(), s.name, s.socket, "")
	if err != nil {
		t.Fatal(err)
	}
	input(t, d, text("öäü 你好"), down(xkShift), down('ö'))
	if mapping() == before {
		t.Error("the keyboard has no key for the text")
	}
	d.Close()
	if mapping() != before {
		t.Error("the keyboard is another one")
	}
	reply, err := h.conn.Call(t.Context(), x11.NewRequest(44, 0)) // QueryKeymap
	if err != nil {
		t.Fatal(err)
	}
	if strings.Trim(string(reply[8:40]), "\x00") != "" {
		t.Error("keys are held")
	}
}

// TestKeysOfAnEarlierConnectionAreUsedAgain fills all spare keys with a connection
// that does not free them, as one that was killed.
func TestKeysOfAnEarlierConnectionAreUsedAgain(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	earlier := s.open(t)
	input(t, earlier, text("абвгдежзийклмнопрстуфхцчшщъыьэюя"))
	d := s.open(t)
	c := startEditorOn(t, s, d)
	const want = "αβγδεζηθικλμνξοπρστυφχψω яюэ"
	input(t, d, text(want))
	c.until(fmt.Sprintf("field.value.length >= %d", len([]rune(want))))
	if got := value[string](c, "field.value"); got != want {
		t.Errorf("typed %q, got %q", want, got)
	}
}

func TestInputEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	c := startEditorOn(t, s, d)
	// The page cannot tell that text comes: while it does, its timers do not run.
	other, err := x11.Dial(t.Context(), s.socket, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	ctx, cancel := context.WithCancel(testwait.Context(t))
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		var b strings.Builder
		for r := rune(0x4e00); b.Len() < 60_000; r++ { // takes half a minute
			b.WriteRune(r)
		}
		var err error
		for err == nil {
			if err = d.Input(ctx, []action.PersonInput{down(xkShift), text(b.String())}); err == nil && ctx.Err() != nil {
				err = errors.New("it was carried out to its end")
			}
		}
		ended <- err
	}()
	for changes := 0; changes < 256; { // of more keys than there are: some were used for several characters
		switch event := testwait.Receive(t, other.Events(), "changes of the keyboard"); event.Kind() {
		case 34: // MappingNotify
			changes++
		case 0:
			t.Fatal("the display ended")
		}
	}
	cancel()
	if err := testwait.Receive(t, ended, "the end of the input"); fault.CodeOf(err) != fault.ActionTimeout {
		t.Errorf("got %v", err)
	}
	if err := d.ReleaseAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.until("log.includes('keyup Shift ShiftLeft')")
	c.eval("field.value = ''")
	input(t, d, text("aö你"))
	c.until("field.value === 'aö你'")
}
