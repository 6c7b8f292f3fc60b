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
	profileTimeout = 30 * time.Second // for the gateway to send a profile
	exitTimeout    = 10 * time.Second // for a browser to write its data and exit
)

// closeID is the id of the guest's own last call, next to probeID.
const closeID = 1<<31 - 4

// cleanExit is the exit of a browser that has written all its data.
const cleanExit = "the browser exited with status 0"

// LoadProfile unpacks the profile that the browser starts with.
func (g *guest) LoadProfile(r io.Reader) error {
	first := false
	g.state.update(func(s *snapshot) { first, s.profileRequested = !s.profileRequested, true })
	if !g.config.Profile || !first {
		return bridge.ErrNoProfile
	}
	if err := g.config.makeDirs(); err != nil {
		return fmt.Errorf("cannot make the browser's directories: %w", err)
	}
	if err := bundle.Unpack(g.config.profileDir(), r); err != nil {
		return err
	}
	if err := g.config.chown(g.config.profileDir()); err != nil {
		return err
	}
	g.state.update(func(s *snapshot) { s.profileLoaded = true })
	return nil
}

// chown changes the owner of dir and everything below it to the browser's user.
func (c Config) chown(dir string) error {
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

// awaitProfile waits for the profile if the box has one.
func (g *guest) awaitProfile(ctx context.Context) error {
	if !g.config.Profile {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, profileTimeout)
	defer cancel()
	if _, err := g.state.wait(ctx, func(s snapshot) bool { return s.profileLoaded }); err != nil {
		return errors.New("no profile was sent")
	}
	return nil
}

// EndBrowser sends Browser.close and waits until the browser has exited. The
// browser is not restarted. It returns an error for one that was killed, because
// its profile may be incomplete.
func (g *guest) EndBrowser(ctx context.Context) error {
	if !g.config.Profile {
		return bridge.ErrNoProfile
	}
	var b *browser
	first := false
	g.state.update(func(s *snapshot) { b, first, s.closing = s.browser, !s.closing, true })
	g.Thaw()
	if b != nil && first {
		if err := b.send(fmt.Appendf(nil, `{"id":%d,"method":"Browser.close"}`+"\x00", closeID)); err != nil {
			return err
		}
	}
	s, err := g.state.wait(ctx, func(s snapshot) bool { return s.closed })
	if err != nil {
		return err
	}
	if s.process.Exit != cleanExit {
		return errors.New(s.process.Exit)
	}
	return nil
}

// SaveProfile packs the profile after the browser has exited.
func (g *guest) SaveProfile(w io.Writer) error { return bundle.Pack(w, g.config.profileDir()) }

// waitForStop waits for the end of the box after EndBrowser.
func (g *guest) waitForStop(ctx context.Context) error {
	g.state.update(func(s *snapshot) { s.closed = true })
	<-ctx.Done()
	return nil
}

// awaitExit waits for the exit of a browser that EndBrowser is closing.
func (g *guest) awaitExit(ctx context.Context, b *browser) {
	if !g.state.read().closing {
		return
	}
	timer := time.NewTimer(exitTimeout)
	defer timer.Stop()
	select {
	case <-b.process.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}
