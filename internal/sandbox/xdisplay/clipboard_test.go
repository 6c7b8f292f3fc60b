package xdisplay_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const mebibyte = 1 << 20

// copyWith has xclip own a selection until the test ends.
func copyWith(t *testing.T, s *server, text string, flags ...string) *exec.Cmd {
	t.Helper()
	testenv.Require(t, testenv.Program("xclip"))
	command := exec.Command("xclip", append([]string{"-i", "-quiet"}, flags...)...)
	command.Env = s.environ()
	command.Stdin = strings.NewReader(text)
	startProgram(t, command)
	return command
}

// pasteWith has xclip read a selection.
func pasteWith(t *testing.T, s *server, flags ...string) string {
	t.Helper()
	testenv.Require(t, testenv.Program("xclip"))
	command := exec.CommandContext(testwait.Context(t), "xclip", append([]string{"-o"}, flags...)...)
	command.Env = s.environ()
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		t.Fatalf("xclip: %v: %.200s", err, output.String())
	}
	return output.String()
}

var clipboardTexts = map[string]string{
	"empty":       "",
	"short":       "Hello, Wörld €ß 你好 🎉\nsecond line\ttab",
	"in one part": strings.Repeat("é0123456", 64<<10/9),
	"in parts":    strings.Repeat("你好 123\n", 20_000),
	"1 MiB":       strings.Repeat("0123456789abcde\n", mebibyte/16),
}

func TestTextIsCopiedToOtherPrograms(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	for name, want := range clipboardTexts {
		for _, selection := range []xdisplay.Selection{xdisplay.Clipboard, xdisplay.Primary} {
			if err := d.WriteClipboard(t.Context(), selection, want); err != nil {
				t.Fatal(err)
			}
			if got := pasteWith(t, s, "-selection", string(selection), "-t", "UTF8_STRING"); got != want {
				t.Errorf("%s, %s: got %d bytes, want %d", name, selection, len(got), len(want))
			}
			if got, err := d.ReadClipboard(t.Context(), selection); err != nil || got != want {
				t.Errorf("%s, %s: read %d bytes, want %d: %v", name, selection, len(got), len(want), err)
			}
		}
	}
	if err := d.WriteClipboard(t.Context(), xdisplay.Clipboard, "grün"); err != nil {
		t.Fatal(err)
	}
	if got := pasteWith(t, s, "-selection", "clipboard", "-t", "STRING"); got != "gr\xfcn" {
		t.Errorf("as Latin-1: %q", got)
	}
	if got := pasteWith(t, s, "-selection", "clipboard", "-t", "TARGETS"); !strings.Contains(got, "UTF8_STRING\n") {
		t.Errorf("targets: %q", got)
	}
}

func TestTextIsReadFromOtherPrograms(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	for name, want := range clipboardTexts {
		for _, selection := range []xdisplay.Selection{xdisplay.Clipboard, xdisplay.Primary} {
			changed := d.ClipboardChanged()
			copyWith(t, s, want, "-selection", string(selection))
			awaitChange(t, changed)
			if got, err := d.ReadClipboard(t.Context(), selection); err != nil || got != want {
				t.Errorf("%s, %s: read %d bytes, want %d: %v", name, selection, len(got), len(want), err)
			}
		}
	}
}

func awaitChange(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	testwait.Receive(t, changed, "the report of a change")
}

func TestTheClipboardOfAnEmptyDisplayIsEmpty(t *testing.T) {
	t.Parallel()
	d := startServer(t).open(t)
	for _, selection := range []xdisplay.Selection{xdisplay.Clipboard, xdisplay.Primary} {
		if got, err := d.ReadClipboard(t.Context(), selection); err != nil || got != "" {
			t.Errorf("%s: %q, %v", selection, got, err)
		}
	}
}

func TestClipboardRefusesBadInput(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	if err := d.WriteClipboard(t.Context(), xdisplay.Clipboard, "before"); err != nil {
		t.Fatal(err)
	}
	for text, code := range map[string]fault.Code{
		strings.Repeat("a", mebibyte+1): fault.LimitReached,
		"\xff":                          fault.InvalidRequest,
		"a\x00b":                        fault.InvalidRequest,
	} {
		if err := d.WriteClipboard(t.Context(), xdisplay.Clipboard, text); fault.CodeOf(err) != code {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	if err := d.WriteClipboard(t.Context(), "secondary", "x"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
	if _, err := d.ReadClipboard(t.Context(), "secondary"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
	if got := pasteWith(t, s, "-selection", "clipboard"); got != "before" {
		t.Errorf("changed to %q", got)
	}
}

func TestALargeClipboardIsRefused(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	changed := d.ClipboardChanged()
	copyWith(t, s, strings.Repeat("a", 2*mebibyte), "-selection", "clipboard")
	awaitChange(t, changed)
	if _, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard); fault.CodeOf(err) != fault.LimitReached {
		t.Error(err)
	}
	// The next text is read.
	changed = d.ClipboardChanged()
	copyWith(t, s, "small", "-selection", "clipboard")
	awaitChange(t, changed)
	if got, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard); err != nil || got != "small" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestBytesThatAreNotTextAreReplaced(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	changed := d.ClipboardChanged()
	copyWith(t, s, "a\xffb\x00c", "-selection", "clipboard")
	awaitChange(t, changed)
	if got, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard); err != nil || got != "a\ufffdbc" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAnOwnerThatDoesNotAnswer stops the owner, so that it holds the clipboard and
// does nothing.
func TestAnOwnerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	changed := d.ClipboardChanged()
	owner := copyWith(t, s, "text", "-selection", "clipboard")
	awaitChange(t, changed)
	if err := stopProcess(owner); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard); fault.CodeOf(err) != fault.ActionTimeout {
		t.Errorf("got %v", err)
	}
	if err := d.WriteClipboard(t.Context(), xdisplay.Clipboard, "new"); err != nil {
		t.Fatal(err)
	}
	if got := pasteWith(t, s, "-selection", "clipboard"); got != "new" {
		t.Errorf("got %q", got)
	}
}

func TestAnotherProgramTakesTheClipboardOver(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	if err := d.WriteClipboard(t.Context(), xdisplay.Clipboard, "ours"); err != nil {
		t.Fatal(err)
	}
	copyWith(t, s, "theirs", "-selection", "clipboard")
	testwait.For(t, "the text of the program", func() bool {
		got, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard)
		return err == nil && got == "theirs"
	})
}

func TestTheClipboardIsSharedWithChromium(t *testing.T) {
	t.Parallel()
	d, c := startEditor(t)
	press := func(keysym uint32) {
		input(t, d, down(xkControl), down(keysym), up(keysym), up(xkControl))
	}
	for name, want := range clipboardTexts {
		if name == "empty" {
			continue
		}
		c.eval("field.value = ''; field.focus()")
		if err := d.WriteClipboard(t.Context(), xdisplay.Clipboard, want); err != nil {
			t.Fatal(err)
		}
		press('v')
		c.until(fmt.Sprintf("field.value.length === %d", len([]rune(strings.ReplaceAll(want, "🎉", "xx")))))
		if got := value[string](c, "field.value"); got != want {
			t.Errorf("%s: the page got another text", name)
		}
		c.eval("field.value += '!'")
		press('a')
		c.until("field.selectionStart === 0 && field.selectionEnd === field.value.length")
		changed := d.ClipboardChanged()
		press('c')
		awaitChange(t, changed)
		testwait.For(t, "the text of the page", func() bool {
			got, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard)
			if len(want) == mebibyte { // with the one character more
				return fault.CodeOf(err) == fault.LimitReached
			}
			return err == nil && got == want+"!"
		})
	}
}
