package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bundle"
)

const (
	profileWait = 30 * time.Second // for the gateway to send a profile
	endGrace    = 10 * time.Second // for a browser to write what it knows and end
)

// endID is the id of the call that ends the browser, beside probeID.
const endID = 1<<31 - 4

// cleanExit is how a browser ends that has written everything.
const cleanExit = "the browser exited with status 0"

// TakeProfile unpacks what the gateway sends for the browser to start with.
func (g *guest) TakeProfile(r io.Reader) error {
	first := false
	g.state.update(func(s *snapshot) { first, s.taking = !s.taking, true })
	if !g.c.Profile || !first {
		return bridge.ErrNoProfile
	}
	if err := g.c.makeDirs(); err != nil {
		return fmt.Errorf("cannot make the browser's directories: %w", err)
	}
	if err := bundle.Unpack(g.c.profile(), r); err != nil {
		return err
	}
	if err := g.c.give(g.c.profile()); err != nil {
		return err
	}
	g.state.update(func(s *snapshot) { s.taken = true })
	return nil
}

// give makes what is below dir belong to whom the browser runs as.
func (c Config) give(dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, c.UID, c.UID)
	})
}

// awaitProfile returns when there is a profile to start with, where one is
// wanted.
func (g *guest) awaitProfile(ctx context.Context) error {
	if !g.c.Profile {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, profileWait)
	defer cancel()
	if _, err := g.state.wait(ctx, func(s snapshot) bool { return s.taken }); err != nil {
		return errors.New("no profile was sent")
	}
	return nil
}

// EndBrowser asks the browser to end, as closing its last window does, and
// returns when it has. It is not started again. One that did not end by itself
// has perhaps not written everything: that is an error.
func (g *guest) EndBrowser(ctx context.Context) error {
	if !g.c.Profile {
		return bridge.ErrNoProfile
	}
	var b *browser
	first := false
	g.state.update(func(s *snapshot) { b, first, s.ending = s.browser, !s.ending, true })
	g.Thaw()
	if b != nil && first {
		if err := b.send(fmt.Appendf(nil, `{"id":%d,"method":"Browser.close"}`+"\x00", endID)); err != nil {
			return err
		}
	}
	s, err := g.state.wait(ctx, func(s snapshot) bool { return s.ended })
	if err != nil {
		return err
	}
	if s.process.Exit != cleanExit {
		return errors.New(s.process.Exit)
	}
	return nil
}

// GiveProfile packs the profile of the browser that has ended.
func (g *guest) GiveProfile(w io.Writer) error { return bundle.Pack(w, g.c.profile()) }

// rest is what the guest does when its browser was ended: the box waits to be
// ended too.
func (g *guest) rest(ctx context.Context) error {
	g.state.update(func(s *snapshot) { s.ended = true })
	<-ctx.Done()
	return nil
}

// letEnd gives a browser that was asked to end the time to.
func (g *guest) letEnd(ctx context.Context, b *browser) {
	if !g.state.read().ending {
		return
	}
	timer := time.NewTimer(endGrace)
	defer timer.Stop()
	select {
	case <-b.process.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}
