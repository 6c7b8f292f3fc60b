package session_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// onDisplay is a driver whose boxes have a real display.
type onDisplay struct {
	*driver
	display *xdisplay.Display
}

type boxOnDisplay struct {
	sandbox.Box
	display *xdisplay.Display
}

func (d onDisplay) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Box, error) {
	b, err := d.driver.Start(ctx, spec)
	return boxOnDisplay{b, d.display}, err
}

func (b boxOnDisplay) Input(ctx context.Context, events []action.PersonInput) error {
	return b.display.Input(ctx, events)
}

func (b boxOnDisplay) SettleInput(ctx context.Context) error { return b.display.Settle(ctx) }

func (b boxOnDisplay) ReleaseInput(ctx context.Context) error { return b.display.ReleaseAll(ctx) }

func (b boxOnDisplay) Pointer(ctx context.Context) (action.DesktopPointer, error) {
	p, err := b.display.Pointer(ctx)
	return action.DesktopPointer{X: p.X, Y: p.Y}, err
}

// startDisplay starts an X server that ends with the test, and connects to it.
func startDisplay(t *testing.T, width, height int) (name string, display *xdisplay.Display) {
	t.Helper()
	testenv.Require(t, testenv.Program("Xvfb"))
	number, writer, err := os.Pipe()
	must(t, err)
	defer number.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", width, height), "-nolisten", "tcp", "-noreset", "-r")
	server.ExtraFiles = []*os.File{writer}
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	must(t, server.Start())
	_ = writer.Close()
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL)
		_ = server.Wait()
	})
	if end, limited := testwait.Deadline(t); limited {
		_ = number.SetReadDeadline(end)
	}
	said, err := io.ReadAll(io.LimitReader(number, 16))
	must(t, err)
	n := strings.TrimSpace(string(said))
	display, err = xdisplay.Open(t.Context(), ":"+n, "/tmp/.X11-unix/X"+n, "")
	must(t, err)
	t.Cleanup(display.Close)
	return ":" + n, display
}

// heardPaths are the paths that a site was asked for.
type heardPaths struct {
	mu    sync.Mutex
	paths []string
}

func (h *heardPaths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.paths = append(h.paths, r.URL.Path)
	h.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, `<!doctype html><title>Desk</title><style>body{margin:0} *{position:absolute;left:20px;width:300px;height:40px}</style>
<a href="/link" style="top:20px" onmousedown="event.preventDefault()">Link</a><input style="top:80px" aria-label=Notes><textarea style="top:140px" aria-label=Text></textarea>`)
}

func (h *heardPaths) has(path string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.paths, path)
}

// windowed is a session of an agent in a real browser with windows on a real display.
type windowed struct {
	*rig
	t     *testing.T
	id    string
	site  string
	heard *heardPaths
}

func startWindowed(t *testing.T) windowed {
	testenv.Require(t, testenv.Chromium)
	heard := &heardPaths{}
	site := httptest.NewServer(heard)
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	const width, height = 1280, 720
	name, display := startDisplay(t, width, height)
	r := newRig(t, realPages, func(r *rig) {
		r.options.Config.Network.AllowPrivate = []string{strings.TrimPrefix(site.URL, "http://")}
		r.options.Config.MaxActions, r.options.Config.MaxFailures, r.options.Config.StartTimeout = 100000, 100000, time.Hour
		r.options.Config.IdleTimeout, r.options.Config.MaxAge = time.Hour, time.Hour
		r.options.Driver = onDisplay{r.driver, display}
		r.engine.Browser = func(sandbox.Spec) (sandboxtest.Browser, error) {
			c, err := browsertest.StartOnDisplay(name, fmt.Sprintf("--window-size=%d,%d", width, height))
			return chromium{c}, err
		}
	})
	s := r.start(alice, action.SessionStart{URL: site.URL})
	return windowed{rig: r, t: t, id: s.ID, site: site.URL, heard: heard}
}

func (w windowed) tabs() []action.Tab {
	w.t.Helper()
	result, err := w.call(w.t.Context(), admin, "tab.list", w.id, new(action.None))
	must(w.t, err)
	return result.Data.(*action.TabListing).Tabs
}

// unchanged expects the one tab, its page and its size as they were.
func (w windowed) unchanged(after string) {
	w.t.Helper()
	if tabs := w.tabs(); len(tabs) != 1 || tabs[0].URL != w.site+"/" {
		w.t.Errorf("after %s the tabs are %+v", after, tabs)
	}
}

// TestAgentsDoNotReachTheBrowsersOwnInterface tries the address bar, the tab strip, menus and
// shortcuts of a real browser window.
func TestAgentsDoNotReachTheBrowsersOwnInterface(t *testing.T) {
	w := startWindowed(t)
	w.agentIsRefusedBesideThePage()
	w.keysReachThePageAlone()
	w.menusAreOutOfReach()
	w.theAddressBarIsOutOfReach()
}

func (w windowed) agentIsRefusedBesideThePage() {
	w.t.Helper()
	for _, y := range []int{5, 20, 45, 60, 80} {
		for _, x := range []int{20, 100, 300, 640, 1260} {
			for verb, args := range map[string]any{
				"desktop.mouse_click": &action.MouseClick{MouseMove: at(x, y)}, "desktop.mouse_down": &action.MouseButton{X: &x, Y: &y},
				"desktop.mouse_up": &action.MouseButton{X: &x, Y: &y}, "desktop.mouse_move": new(at(x, y)),
				"desktop.mouse_drag": &action.MouseDrag{StartX: 60, StartY: 127, EndX: x, EndY: y}, // the link
			} {
				if err := w.asGate(alice, verb, w.id, args); fault.CodeOf(err) != fault.DeniedByPolicy {
					w.t.Errorf("%s at %d, %d: %v", verb, x, y, err)
				}
			}
		}
	}
	w.unchanged("input beside the page")
}

// browserKeys are keys that Chromium itself acts on.
const browserKeys = "Control+l Alt+d F6 Shift+F6 Control+k Control+e Control+t Control+n Control+Shift+n Control+Shift+t Control+o Control+s Control+p " +
	"Control+j Control+h Control+d Control+Shift+d Control+u F12 Control+Shift+i Control+Shift+j Control+Shift+c Alt+f Alt+e F10 Shift+F10 Alt+Home Alt+ArrowLeft Control+Tab " +
	"Control+1 Control+9 Control+PageDown F11 F1 F7 Shift+Escape Control+Shift+Delete Control+Shift+b Control+Shift+o Control+Shift+a Control+f F3 Control+g " +
	"Control++ Control+- Control+Shift+w Control+F4 Control+w Alt+F4 ContextMenu"

// keysReachThePageAlone presses keys by page.press, which refuses none, and by the verbs
// of the display.
func (w windowed) keysReachThePageAlone() {
	w.t.Helper()
	for _, key := range strings.Fields(browserKeys) {
		must(w.t, errOf(w.call(w.t.Context(), alice, "page.press", w.id, &action.Press{Key: key})))
		if err := w.asGate(alice, "desktop.key_press", w.id, &action.KeyPress{Key: key}); fault.CodeOf(err) != fault.DeniedByPolicy {
			w.t.Errorf("%s: %v", key, err)
		}
		w.unchanged(key)
	}
	for range 8 { // out of the page
		must(w.t, w.asGate(alice, "desktop.key_press", w.id, &action.KeyPress{Key: "Tab"}))
	}
	for _, key := range []string{"Enter", " ", "ArrowDown", "Enter"} {
		w.hits(key)
	}
	w.unchanged("Tab")
}

// hits presses and releases a key as an agent.
func (w windowed) hits(key string) {
	w.t.Helper()
	must(w.t, w.asGate(alice, "desktop.key_down", w.id, &action.KeyHold{Key: key}))
	must(w.t, w.asGate(alice, "desktop.key_up", w.id, &action.KeyHold{Key: key}))
}

// menusAreOutOfReach opens the menu of the link, and tries to use it.
func (w windowed) menusAreOutOfReach() {
	w.t.Helper()
	must(w.t, w.asGate(alice, "desktop.mouse_click", w.id, &action.MouseClick{MouseMove: at(60, 127), Button: "right"}))
	for range 3 {
		w.hits("ArrowDown")
	}
	must(w.t, w.asGate(alice, "desktop.mouse_move", w.id, new(at(500, 400))))
	w.hits("Enter")
	w.unchanged("the menu of a link")
}

// person uses the browser as an operator who has taken the session over.
func (w windowed) person(verb string, args any) {
	w.t.Helper()
	must(w.t, errOf(w.call(w.t.Context(), admin, verb, w.id, args)))
}

// theAddressBarIsOutOfReach has a person leave an address in the address bar, which has the
// focus then, and an agent press Enter.
func (w windowed) theAddressBarIsOutOfReach() {
	w.t.Helper()
	bar := func(text string) {
		w.t.Helper()
		w.person("desktop.mouse_click", &action.MouseClick{MouseMove: at(400, 60)})
		w.person("desktop.key_press", &action.KeyPress{Key: "a", Modifiers: action.KeyModifiers{Ctrl: true}})
		w.person("desktop.key_type", &action.KeyType{Text: text})
	}
	w.hands(admin, "session.take", w.id, &action.Hands{})
	bar(w.site + "/left")
	w.hands(admin, "session.hand_back", w.id, &action.HandBack{})
	w.hits("Enter")
	must(w.t, w.asGate(alice, "desktop.key_press", w.id, &action.KeyPress{Key: "Enter"}))
	must(w.t, w.asGate(alice, "desktop.mouse_click", w.id, &action.MouseClick{MouseMove: at(60, 187)})) // the field
	must(w.t, w.asGate(alice, "desktop.key_type", w.id, &action.KeyType{Text: w.site + "/typed\n"}))
	w.unchanged("Enter")
	w.hands(admin, "session.take", w.id, &action.Hands{})
	bar(w.site + "/person")
	w.person("desktop.key_press", &action.KeyPress{Key: "Enter"})
	testwait.For(w.t, "the address that a person typed", func() bool { return w.heard.has("/person") })
	for _, path := range []string{"/left", "/typed"} {
		if w.heard.has(path) {
			w.t.Errorf("an agent opened %s", path)
		}
	}
	w.personOpensATab(func() {
		w.person("desktop.mouse_click", &action.MouseClick{MouseMove: at(60, 127), Button: "right"}) // the link
		w.person("desktop.key_press", &action.KeyPress{Key: "ArrowDown"})
		w.person("desktop.key_press", &action.KeyPress{Key: "Enter"})
	})
	w.personOpensATab(func() {
		w.person("desktop.key_press", &action.KeyPress{Key: "t", Modifiers: action.KeyModifiers{Ctrl: true}})
	})
}

// personOpensATab repeats what a person does until it has opened a tab: a menu needs a
// moment to open.
func (w windowed) personOpensATab(do func()) {
	w.t.Helper()
	before := len(w.tabs())
	testwait.For(w.t, "a tab that a person opened", func() bool {
		do()
		return len(w.tabs()) > before
	})
}
