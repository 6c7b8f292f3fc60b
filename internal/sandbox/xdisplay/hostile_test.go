package xdisplay_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
	"github.com/gloveboxhq/glovebox/internal/sandbox/xdisplay"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// hostile is another program on the display, which does not keep to the rules.
type hostile struct {
	t      *testing.T
	conn   *x11.Conn
	window uint32
}

// startHostile opens a window that is shown.
func startHostile(t *testing.T, s *server) *hostile {
	t.Helper()
	conn, err := x11.Dial(t.Context(), s.socket, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	h := &hostile{t: t, conn: conn, window: conn.NewID()}
	h.do(x11.NewRequest(1, 0).U32(h.window, conn.Setup().Root).I16(5, 5).U16(100, 100, 0, 1).U32(0, 1<<11, 1<<22))
	h.do(x11.NewRequest(8, 0).U32(h.window)) // MapWindow
	return h
}

func (h *hostile) do(r *x11.Request) {
	h.t.Helper()
	if err := h.conn.Do(h.t.Context(), r); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hostile) atom(name string) uint32 {
	h.t.Helper()
	atom, err := h.conn.Atom(h.t.Context(), name)
	if err != nil {
		h.t.Fatal(err)
	}
	return atom
}

func (h *hostile) setText(window, property, typed uint32, text string) {
	h.t.Helper()
	h.do(x11.NewRequest(18, 0).U32(window, property, typed).U8(8, 0, 0, 0).U32(uint32(len(text))).Text(text))
}

// own takes the clipboard, and answers each request for it with answer.
func (h *hostile) own(answer func(requestor, target, property uint32)) {
	h.t.Helper()
	clipboard := h.atom("CLIPBOARD")
	h.do(x11.NewRequest(22, 0).U32(h.window, clipboard, 0))
	ended := make(chan struct{})
	h.t.Cleanup(func() { h.conn.Close(); <-ended })
	go func() {
		defer close(ended)
		for event := range h.conn.Events() {
			if event.Kind() != 30 {
				continue
			}
			r := event.Read(4)
			now := r.U32()
			r.Skip(4)
			requestor, selection, target, property := r.U32(), r.U32(), r.U32(), r.U32()
			answer(requestor, target, property)
			_ = h.conn.Send(x11.NewRequest(25, 0).U32(requestor, 0).U8(31, 0, 0, 0).U32(now, requestor, selection, target, property, 0, 0))
		}
	}()
}

func (h *hostile) write(window, property, typed uint32, format byte, bytes string) {
	_ = h.conn.Send(x11.NewRequest(18, 0).U32(window, property, typed).U8(format, 0, 0, 0).
		U32(uint32(len(bytes) / int(format/8))).Text(bytes))
}

func TestOwnersOfTheClipboardThatBreakTheRules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer func(h *hostile, utf8, incremental uint32) func(requestor, target, property uint32)
		want   string
		code   fault.Code
	}{
		"says it wrote, and did not": {
			answer: func(*hostile, uint32, uint32) func(uint32, uint32, uint32) { return func(uint32, uint32, uint32) {} },
		},
		"writes numbers": {
			answer: func(h *hostile, utf8, _ uint32) func(uint32, uint32, uint32) {
				return func(requestor, _, property uint32) { h.write(requestor, property, utf8, 32, "12345678") }
			},
		},
		"begins parts and never goes on": {
			answer: func(h *hostile, _, incremental uint32) func(uint32, uint32, uint32) {
				return func(requestor, _, property uint32) { h.write(requestor, property, incremental, 32, "\xff\xff\xff\x7f") }
			},
			code: fault.ActionTimeout,
		},
		"writes parts for ever": {
			answer: func(h *hostile, utf8, incremental uint32) func(uint32, uint32, uint32) {
				return func(requestor, _, property uint32) {
					h.write(requestor, property, incremental, 32, "\x01\x00\x00\x00")
					_ = h.conn.Send(x11.NewRequest(25, 0).U32(requestor, 0).U8(31, 0, 0, 0).
						U32(0, requestor, h.atomNow("CLIPBOARD"), utf8, property, 0, 0))
					for range 200 {
						if !h.awaitRemoval(requestor, property) {
							return
						}
						h.write(requestor, property, utf8, 8, strings.Repeat("x", 60_000))
					}
				}
			},
			code: fault.LimitReached,
		},
	} {
		s := startServer(t)
		d := s.open(t)
		h := startHostile(t, s)
		changed := d.ClipboardChanged()
		h.own(test.answer(h, h.atom("UTF8_STRING"), h.atom("INCR")))
		awaitChange(t, changed)
		got, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard)
		if test.code == "" && (err != nil || got != test.want) || test.code != "" && fault.CodeOf(err) != test.code {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// awaitRemoval waits until the reader has taken a part. It reports false when the
// connection has ended.
func (h *hostile) awaitRemoval(window, property uint32) bool {
	for {
		p, err := h.conn.Property(h.t.Context(), window, property, 0, false)
		if err != nil || p.Type == 0 {
			return err == nil
		}
	}
}

// atomNow is atom in a goroutine of its own.
func (h *hostile) atomNow(name string) uint32 {
	atom, _ := h.conn.Atom(h.t.Context(), name)
	return atom
}

// TestFalseEventsAreIgnored sends events that only the server should send.
func TestFalseEventsAreIgnored(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	h := startHostile(t, s)
	if err := d.WriteClipboard(t.Context(), xdisplay.Clipboard, "ours"); err != nil {
		t.Fatal(err)
	}
	clipboard := h.atom("CLIPBOARD")
	reply, err := h.conn.Call(t.Context(), x11.NewRequest(23, 0).U32(clipboard))
	if err != nil {
		t.Fatal(err)
	}
	owner := x11.NewReader(reply, 8).U32()
	root := h.conn.Setup().Root
	for kind := 2; kind < 35; kind++ {
		detail := byte(0)
		if kind == 33 {
			detail = 8
		}
		for _, fill := range []uint32{0, root, clipboard, 1<<32 - 1} {
			for _, to := range []uint32{owner, root} {
				request := x11.NewRequest(25, 0).U32(to, 0).U8(byte(kind), detail, 0, 0).U32(1<<31-1, owner, clipboard, fill, fill, fill, fill)
				if err := h.conn.Send(request); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := h.conn.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := d.ReadClipboard(t.Context(), xdisplay.Clipboard); err != nil || got != "ours" {
		t.Errorf("%q, %v", got, err)
	}
	if got := d.Info(); got.Width != screenWidth || got.Height != screenHeight {
		t.Errorf("the screen is %+v", got)
	}
	input(t, d, text("q"))
}

// TestAProgramThatBlocksTheServer holds the server, as GrabServer allows any program.
func TestAProgramThatBlocksTheServer(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	h := startHostile(t, s)
	h.do(x11.NewRequest(36, 0)) // GrabServer
	var callers sync.WaitGroup
	for name, call := range map[string]func() error{
		"windows":    func() error { return errorOf(d.Windows(t.Context())) },
		"input":      func() error { return d.Input(t.Context(), []action.PersonInput{down('a'), up('a')}) },
		"screenshot": func() error { return errorOf(d.Screenshot(t.Context(), xdisplay.Screenshot{})) },
		"clipboard":  func() error { return errorOf(d.ReadClipboard(t.Context(), xdisplay.Clipboard)) },
	} {
		callers.Go(func() {
			if err := call(); fault.CodeOf(err) != fault.ActionTimeout {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	callers.Wait()
	h.do(x11.NewRequest(37, 0)) // UngrabServer
	if _, err := d.Windows(t.Context()); err != nil {
		t.Error(err)
	}
}

func errorOf[T any](_ T, err error) error { return err }

func TestADisplayThatEndsIsReported(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	if err := s.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	testwait.Receive(t, d.Done(), "the end of the display")
	for name, err := range map[string]error{
		"windows": errorOf(d.Windows(t.Context())), "input": d.Input(t.Context(), nil), "release": d.ReleaseAll(t.Context()),
		"screenshot": errorOf(d.Screenshot(t.Context(), xdisplay.Screenshot{})), "cursor": errorOf(d.Cursor(t.Context())),
		"read": errorOf(d.ReadClipboard(t.Context(), xdisplay.Clipboard)), "write": d.WriteClipboard(t.Context(), xdisplay.Clipboard, "x"),
	} {
		if fault.CodeOf(err) != fault.NotActive {
			t.Errorf("%s: %v", name, err)
		}
	}
	var f *fault.Fault
	if _, err := xdisplay.Open(t.Context(), s.name, s.socket, ""); !errors.As(err, &f) || f.Code != fault.StartFailed {
		t.Errorf("open: %v", err)
	}
}

// TestDisplayOfASharedNetwork is as the guest starts it there: an abstract socket,
// and a cookie.
func TestDisplayOfASharedNetwork(t *testing.T) {
	t.Parallel()
	cookie := func(last byte) string {
		path := filepath.Join(t.TempDir(), "cookie")
		name := "MIT-MAGIC-COOKIE-1"
		entry := append([]byte{0xff, 0xff, 0, 0, 0, 0, 0, byte(len(name))}, name...)
		entry = append(append(entry, 0, 16), append([]byte("0123456789abcde"), last)...)
		if err := os.WriteFile(path, entry, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right := cookie('f')
	s := startServer(t, "-nolisten", "unix", "-auth", right)
	for name, file := range map[string]string{"another": cookie('g'), "none": "", "no file": "/nowhere"} {
		if d, err := xdisplay.Open(t.Context(), s.name, "@"+s.socket, file); fault.CodeOf(err) != fault.StartFailed {
			t.Errorf("cookie %s: %v", name, err)
			if err == nil {
				d.Close()
			}
		}
	}
	d, err := xdisplay.Open(t.Context(), s.name, "@"+s.socket, right)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.Info(); got != (xdisplay.Info{Name: s.name, Width: screenWidth, Height: screenHeight}) {
		t.Errorf("got %+v", got)
	}
	input(t, d, text("q"))
}

// TestTheScreenMayChangeItsSize makes it smaller with RANDR.
func TestTheScreenMayChangeItsSize(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	d := s.open(t)
	h := startHostile(t, s)
	randr, err := h.conn.Extension(t.Context(), "RANDR")
	if err != nil {
		t.Fatal(err)
	}
	root := h.conn.Setup().Root
	call := func(r *x11.Request) *x11.Reader {
		reply, err := h.conn.Call(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return x11.NewReader(reply, 8)
	}
	call(x11.NewRequest(randr.Opcode, 0).U32(1, 3))              // QueryVersion
	resources := call(x11.NewRequest(randr.Opcode, 8).U32(root)) // GetScreenResources
	now, config := resources.U32(), resources.U32()
	resources.Skip(16)
	crtc := resources.U32()
	call(x11.NewRequest(randr.Opcode, 21).U32(crtc, now, config).I16(0, 0).U32(0).U16(1, 0)) // SetCrtcConfig: off
	h.do(x11.NewRequest(randr.Opcode, 7).U32(root).U16(640, 400).U32(160, 100))              // SetScreenSize
	testwait.For(t, "the new size", func() bool { return d.Info().Width == 640 && d.Info().Height == 400 })
	if picture, err := d.Screenshot(t.Context(), xdisplay.Screenshot{}); err != nil || picture.Width != 640 || picture.Height != 400 {
		t.Errorf("a picture of %d × %d: %v", picture.Width, picture.Height, err)
	}
	if err := d.Input(t.Context(), []action.PersonInput{at(action.InputMove, 700, 10, 0)}); fault.CodeOf(err) != fault.InvalidRequest {
		t.Error(err)
	}
}
