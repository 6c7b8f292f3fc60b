package bridge

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echoGuest is a guest without a browser. It sends each message back.
type echoGuest struct {
	health   sandbox.Health
	noScreen atomic.Bool
	silent   atomic.Bool // reads messages without an answer
	ignored  func()      // called for each of them; may be nil

	frozen    atomic.Bool
	freezeErr error // returned by Freeze

	profile    *bytes.Buffer // nil for a box without a profile
	endErr     error         // returned by EndBrowser
	profileErr error         // returned by SaveProfile, after the profile
}

func (e *echoGuest) Display(context.Context) error {
	if e.noScreen.Load() {
		return errors.New("no screen")
	}
	return nil
}

func (e *echoGuest) Version(context.Context) (Version, error) { return Version{Browser: "Echo/1"}, nil }

func (e *echoGuest) CanCapture(context.Context) error { return errors.New("nothing to see") }

func (e *echoGuest) ServeVideo(context.Context, *websocket.Conn, sandbox.VideoSpec) {}

func (e *echoGuest) Input(context.Context, []action.PersonInput) error {
	return fault.New("made_up", "no \x1b[31mkeyboard").Hinted("type elsewhere")
}

func (e *echoGuest) SettleInput(context.Context) error { return nil }

func (e *echoGuest) ReleaseInput(context.Context) error { return nil }

func (e *echoGuest) Clipboard(context.Context, string) (string, error) {
	return strings.Repeat("\x01", 1<<20), nil
}

func (e *echoGuest) SetClipboard(_ context.Context, _, text string) error {
	return fault.New(fault.LimitReached, "%d bytes", len(text)).Hinted("copy less")
}

// Screenshot answers with what a region asks for: no picture, one of another format,
// or a large one.
func (e *echoGuest) Screenshot(_ context.Context, region image.Rectangle, _ action.DesktopShot) (action.Screenshot, error) {
	if region.Min.X == 1 {
		return action.Screenshot{Format: "png", Width: 5, Height: 5, Bytes: []byte("<svg>")}, nil
	}
	var b bytes.Buffer
	shown := image.NewGray(region)
	if region.Min.X == 2 {
		err := jpeg.Encode(&b, shown, nil)
		return action.Screenshot{Format: "png", Width: 5, Height: 5, Bytes: b.Bytes()}, err
	}
	err := png.Encode(&b, shown)
	return action.Screenshot{Format: "svg+xml", Width: -5, Height: 1 << 40, Cut: true, Bytes: b.Bytes()}, err
}

func (e *echoGuest) Pointer(context.Context) (action.DesktopPointer, error) {
	return action.DesktopPointer{X: 1 << 40, Y: -1 << 40, Screen: 9, Window: "../7"}, nil
}

func (e *echoGuest) Screen(context.Context) (action.DesktopDisplay, error) {
	return action.DesktopDisplay{Display: ":9\x1b[2J\n" + strings.Repeat("x", 999), Resolution: action.Resolution{Width: -4, Height: 1 << 40, DPI: -1}}, nil
}

func (e *echoGuest) Windows(context.Context) ([]action.DesktopWindow, error) {
	one := action.DesktopWindow{ID: "0x7", Title: "\x1b[31m\u202egnp.exe\n" + strings.Repeat("x", 9999), X: 1 << 40, Y: -1 << 40, Width: -1, Height: 1 << 40}
	return slices.Repeat([]action.DesktopWindow{one}, 300), nil
}

func (e *echoGuest) ChangeWindow(_ context.Context, c action.WindowChange) error {
	return fault.New(fault.NotFound, "no window %d", c.ID)
}

func (e *echoGuest) Health() sandbox.Health { return e.health }

func (e *echoGuest) Freeze(context.Context) error {
	if e.freezeErr != nil {
		return e.freezeErr
	}
	e.frozen.Store(true)
	return nil
}

func (e *echoGuest) Thaw() { e.frozen.Store(false) }

func (e *echoGuest) LoadProfile(r io.Reader) error {
	if e.profile == nil {
		return ErrNoProfile
	}
	_, err := io.Copy(e.profile, r)
	return err
}

func (e *echoGuest) EndBrowser(context.Context) error {
	if e.profile == nil {
		return ErrNoProfile
	}
	return e.endErr
}

// SaveProfile writes the profile and returns profileErr.
func (e *echoGuest) SaveProfile(w io.Writer) error {
	_, err := w.Write(e.profile.Bytes())
	return errors.Join(err, e.profileErr)
}

func (e *echoGuest) ServeCDP(ctx context.Context, conn *websocket.Conn) {
	defer func() { _ = conn.CloseNow() }()
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		if e.silent.Load() {
			if e.ignored != nil {
				e.ignored()
			}
			continue
		}
		if string(data) == `{"id":2147483646,"method":"Browser.getVersion"}` {
			data = []byte(`{"id":2147483646,"result":{"product":"Echo/1"}}`)
		}
		if err := conn.Write(ctx, kind, data); err != nil {
			return
		}
	}
}

// testBox is a box without processes: its key, its guest, and the settings of a link.
type testBox struct {
	t        *testing.T
	boot     Boot
	key      *Key
	dir      string
	folders  Folders
	guest    *echoGuest
	verifier *Verifier
	dialer   *Dialer
	cancel   context.CancelFunc
	ended    chan error
}

func newTestBox(t *testing.T, lease time.Duration) *testBox {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	r := &testBox{
		t: t, key: key, dir: filepath.Join(t.TempDir(), "s"), guest: &echoGuest{}, folders: Folders{Upload: t.TempDir(), Download: t.TempDir()}, ended: make(chan error, 1),
		boot: Boot{Box: sandbox.NewID(), PublicKey: key.Public(), Lease: lease, Width: 1, Height: 1, DPI: 96},
	}
	if r.verifier, err = NewVerifier(r.boot.PublicKey, r.boot.Box); err != nil {
		t.Fatal(err)
	}
	assignment := NewAssignment(r.boot)
	r.dialer = &Dialer{
		Dir: r.dir, Assignment: assignment, Handler: NewEndpoint(r.verifier, assignment, r.guest, r.folders),
		Lease: lease, Log: slog.New(slog.DiscardHandler),
	}
	return r
}

// dial runs the guest until the test ends.
func (r *testBox) dial() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.ended <- r.dialer.Run(ctx)
	}()
	r.t.Cleanup(func() {
		cancel()
		testwait.Receive(r.t, done, "the end of the dialer")
	})
}

// listen returns the gateway's link, which is closed when the test ends.
func (r *testBox) listen(change func(*LinkOptions)) *Link {
	r.t.Helper()
	o := LinkOptions{Dir: r.dir, Box: r.boot.Box, Home: home, Key: r.key, Lease: r.boot.Lease}
	if change != nil {
		change(&o)
	}
	l, err := Listen(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = l.Close() })
	return l
}

func (r *testBox) context() context.Context { return testwait.Context(r.t) }

func (r *testBox) stream(l *Link) sandbox.Stream {
	r.t.Helper()
	s, err := l.CDP(r.context())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = s.Close() })
	return s
}

func wantEcho(t *testing.T, s sandbox.Stream, text string) {
	t.Helper()
	if err := s.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(); err != nil || string(got) != text {
		t.Fatalf("%d bytes came back of %d, %v", len(got), len(text), err)
	}
}

// limit limits the use of a connection to the time that the test has.
func limit(t *testing.T, conn net.Conn) {
	t.Helper()
	if end, limited := testwait.Deadline(t); limited {
		_ = conn.SetDeadline(end)
	}
}

// dialTCP connects to a listener.
func dialTCP(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}
