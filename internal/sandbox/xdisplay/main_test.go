package xdisplay_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const (
	screenWidth, screenHeight = 800, 600
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is an Xvfb with a number of its own.
type server struct {
	name, socket string
	process      *exec.Cmd
}

// startServer starts Xvfb, without the repetition of held keys: how often they would
// repeat depends on the machine. It ends with the test.
func startServer(t testing.TB, flags ...string) *server {
	t.Helper()
	testenv.Require(t, testenv.Program("Xvfb"))
	number, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer number.Close()
	flags = append([]string{"-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", screenWidth, screenHeight),
		"-nolisten", "tcp", "-noreset", "-r"}, flags...)
	command := exec.Command("Xvfb", flags...)
	command.ExtraFiles = []*os.File{writer}
	startProgram(t, command)
	_ = writer.Close()
	if end, limited := testwait.Deadline(t); limited {
		_ = number.SetReadDeadline(end)
	}
	said, err := io.ReadAll(io.LimitReader(number, 16))
	if err != nil {
		t.Fatal(err)
	}
	n := strings.TrimSpace(string(said))
	return &server{name: ":" + n, socket: "/tmp/.X11-unix/X" + n, process: command}
}

// startProgram starts a program in a process group of its own, which ends with the
// test.
func startProgram(t testing.TB, command *exec.Cmd) {
	t.Helper()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	command.WaitDelay = time.Second
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
	})
}

// open connects to a display until the test ends.
func (s *server) open(t testing.TB) *xdisplay.Display {
	t.Helper()
	d, err := xdisplay.Open(t.Context(), s.name, s.socket, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func (s *server) environ() []string { return append(os.Environ(), "DISPLAY="+s.name) }

// chromium is a browser on the display with one page, which evaluates what the test
// asks it to.
type chromium struct {
	t       testing.TB
	asked   chan string
	answers chan string
}

const loop = `<script>
(async () => {
	for (;;) {
		const question = await (await fetch('/question')).text();
		let answer;
		try { answer = JSON.stringify(await eval(question)) ?? 'null' } catch (e) { answer = 'error: ' + e }
		await fetch('/answer', {method: 'POST', body: answer});
	}
})();
</script>`

// startChromium opens a page in a window of its own, and waits until it has the focus.
func startChromium(t testing.TB, s *server, page string) *chromium {
	t.Helper()
	testenv.Require(t, testenv.Chromium)
	c := &chromium{t: t, asked: make(chan string), answers: make(chan string, 1)}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>test page</title>"+page+loop)
	})
	routes.HandleFunc("GET /question", func(w http.ResponseWriter, r *http.Request) {
		select {
		case question := <-c.asked:
			_, _ = io.WriteString(w, question)
		case <-r.Context().Done():
		}
	})
	routes.HandleFunc("POST /answer", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.answers <- string(body)
	})
	site := httptest.NewServer(routes)
	t.Cleanup(site.Close)
	dir, err := os.MkdirTemp("", "gb-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	command := exec.Command(testenv.ChromiumPath(), "--app="+site.URL, "--no-sandbox", "--test-type", "--ozone-platform=x11",
		"--user-data-dir="+filepath.Join(dir, "p"), "--no-first-run", "--disable-gpu", "--password-store=basic",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
		"--force-color-profile=srgb", "--window-position=0,0",
		fmt.Sprintf("--window-size=%d,%d", screenWidth, screenHeight), "--disable-features=Translate")
	command.Env = append(s.environ(), "HOME="+dir)
	startProgram(t, command)
	c.until("document.readyState === 'complete' && innerWidth > 300 && await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))")
	return c
}

// eval evaluates an expression in the page and returns its value as JSON.
func (c *chromium) eval(expression string) string {
	c.t.Helper()
	select {
	case c.asked <- expression:
	case <-testwait.Context(c.t).Done():
		c.t.Fatalf("the page does not ask: %s", expression)
	}
	return testwait.Receive(c.t, c.answers, "the page's answer: "+expression)
}

// value evaluates an expression into a value.
func value[T any](c *chromium, expression string) T {
	c.t.Helper()
	var v T
	if answer := c.eval(expression); json.Unmarshal([]byte(answer), &v) != nil {
		c.t.Fatalf("%s: %s", expression, answer)
	}
	return v
}

// until waits until an expression is true.
func (c *chromium) until(expression string) {
	c.t.Helper()
	question := fmt.Sprintf(`(async () => { while (!(%s)) await new Promise(f => setTimeout(f, 5)); return true })()`, expression)
	if answer := c.eval(question); answer != "true" {
		c.t.Fatalf("%s: %s", expression, answer)
	}
}

// input sends input and fails the test if that fails.
func input(t testing.TB, d *xdisplay.Display, events ...action.PersonInput) {
	t.Helper()
	if err := d.Input(t.Context(), events); err != nil {
		t.Fatal(err)
	}
}

func down(keysym uint32) action.PersonInput {
	return action.PersonInput{Kind: action.InputKeyDown, Keysym: keysym}
}

func up(keysym uint32) action.PersonInput {
	return action.PersonInput{Kind: action.InputKeyUp, Keysym: keysym}
}

func text(s string) action.PersonInput {
	return action.PersonInput{Kind: action.InputText, Text: s}
}

func at(kind string, x, y, button int) action.PersonInput {
	return action.PersonInput{Kind: kind, X: x, Y: y, Button: button}
}

func click(x, y int) []action.PersonInput {
	return []action.PersonInput{at(action.InputButtonDown, x, y, 1), at(action.InputButtonUp, x, y, 1)}
}

// stopProcess stops a program, without ending it.
func stopProcess(command *exec.Cmd) error { return command.Process.Signal(syscall.SIGSTOP) }
