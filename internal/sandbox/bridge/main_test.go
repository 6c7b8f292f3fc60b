package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a guest without a browser: what is sent to it comes back.
type echo struct {
	health   sandbox.Health
	noScreen atomic.Bool
	silent   atomic.Bool // takes messages, answers none

	frozen    atomic.Bool
	freezeErr error // why it does not freeze

	keeps  *bytes.Buffer // its profile; nil for none
	hangs  error         // why its browser does not end
	broken error         // why its profile breaks off
}

func (e *echo) Display(context.Context) error {
	if e.noScreen.Load() {
		return errors.New("no screen")
	}
	return nil
}

func (e *echo) Version(context.Context) (Version, error) { return Version{Browser: "Echo/1"}, nil }

func (e *echo) Health() sandbox.Health { return e.health }

func (e *echo) Freeze(context.Context) error {
	if e.freezeErr != nil {
		return e.freezeErr
	}
	e.frozen.Store(true)
	return nil
}

func (e *echo) Thaw() { e.frozen.Store(false) }

func (e *echo) TakeProfile(r io.Reader) error {
	if e.keeps == nil {
		return ErrNoProfile
	}
	_, err := io.Copy(e.keeps, r)
	return err
}

func (e *echo) EndBrowser(context.Context) error {
	if e.keeps == nil {
		return ErrNoProfile
	}
	return e.hangs
}

// GiveProfile breaks off where broken says so, after what there is.
func (e *echo) GiveProfile(w io.Writer) error {
	_, err := w.Write(e.keeps.Bytes())
	return errors.Join(err, e.broken)
}

func (e *echo) Carry(ctx context.Context, conn *websocket.Conn) {
	defer func() { _ = conn.CloseNow() }()
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		if e.silent.Load() {
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

// rig is one box: its key, the guest's end and what it takes to link to it.
type rig struct {
	t        *testing.T
	boot     Boot
	key      *Key
	dir      string
	folders  Folders
	guest    *echo
	verifier *Verifier
	dialer   *Dialer
	cancel   context.CancelFunc
	ended    chan error
}

func newRig(t *testing.T, lease time.Duration) *rig {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{
		t: t, key: key, dir: filepath.Join(t.TempDir(), "s"), guest: &echo{}, folders: Folders{Upload: t.TempDir(), Download: t.TempDir()}, ended: make(chan error, 1),
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

// dial runs the guest's end until the test ends.
func (r *rig) dial() {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.ended <- r.dialer.Run(ctx)
	}()
	r.t.Cleanup(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			r.t.Error("the dialer does not end")
		}
	})
}

// listen makes the gateway's end, closed when the test ends.
func (r *rig) listen(change func(*LinkOptions)) *Link {
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

func (r *rig) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *rig) stream(l *Link) sandbox.Stream {
	r.t.Helper()
	s, err := l.CDP(r.context())
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = s.Close() })
	return s
}

func echoes(t *testing.T, s sandbox.Stream, text string) {
	t.Helper()
	if err := s.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(); err != nil || string(got) != text {
		t.Fatalf("%d bytes came back of %d, %v", len(got), len(text), err)
	}
}

// loopback dials a listener of the test.
func loopback(t *testing.T, address string) *net.TCPConn {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}
