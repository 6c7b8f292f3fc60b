package xdisplay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestTextIsTypedIntoXterm(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	file := filepath.Join(t.TempDir(), "typed")
	testenv.Require(t, testenv.Program("xterm"))
	command := exec.Command("xterm", "-u8", "-geometry", "80x24+0+0", "-e", "sh", "-c", "printf ready > '"+file+".ready'; head -n 3 > '"+file+"'; sleep 60")
	command.Env = append(s.environ(), "LC_ALL=C.UTF-8")
	startProgram(t, command)
	testwait.For(t, "xterm", func() bool { _, err := os.Stat(file + ".ready"); return err == nil })
	const want = "Hello, Wörld €ß 你好 🎉 áèñ @#{}[]|~\nПривет мир αβγδεζηθικλμνξοπρστυ\nplain\n"
	input(t, d, at(action.InputMove, 100, 100, 0))
	testwait.For(t, "the window", func() bool {
		p, err := d.Pointer(t.Context())
		return err == nil && p.Window != 0
	})
	input(t, d, text(want))
	var got string
	testwait.For(t, "the text in the file", func() bool {
		read, _ := os.ReadFile(file)
		got = string(read)
		return strings.Count(got, "\n") == 3
	})
	if got != want {
		t.Errorf("typed %q, got %q", want, got)
	}
}
