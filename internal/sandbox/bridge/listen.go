package bridge

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

const maxAdmits = 4 // connections whose hello is awaited

func listenBoth(dir string) (bridge, egress *net.UnixListener, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, fmt.Errorf("cannot make %s: %w", dir, err)
	}
	if bridge, err = listenUnix(filepath.Join(dir, BridgeSocket)); err != nil {
		return nil, nil, err
	}
	if egress, err = listenUnix(filepath.Join(dir, EgressSocket)); err != nil {
		_ = bridge.Close()
		return nil, nil, err
	}
	return bridge, egress, nil
}

// listenUnix listens on a socket that every user may dial: the box's user is
// not the gateway's. Who may reach the socket at all is decided by the
// directory above it, which only the gateway may enter, and by the mount.
func listenUnix(path string) (*net.UnixListener, error) {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("cannot look at %s: %w", path, err)
	case info.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s is no socket", path)
	default:
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("cannot replace %s: %w", path, err)
		}
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("cannot open %s to the box: %w", path, err)
	}
	return listener, nil
}

// acceptGuests takes every connection on bridge.sock through its hello.
func (l *Link) acceptGuests() {
	slots := make(chan struct{}, maxAdmits)
	for {
		conn, err := l.bridge.Accept()
		if err != nil && scarce(l.ctx, err) {
			continue
		}
		if err != nil {
			l.lost(err)
			return
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = conn.Close() // a box that dials in masses is not worth waiting for
			continue
		}
		l.wg.Go(func() {
			w, err := l.admit(conn)
			<-slots
			if err != nil {
				_ = conn.Close()
				l.o.Log.Warn("refused a guest", "box", l.o.Box, "reason", err)
				return
			}
			l.keep(w)
		})
	}
}

// lost ends the link when one of its sockets broke.
func (l *Link) lost(err error) {
	if l.ctx.Err() == nil {
		l.o.Log.Error("a socket of the box broke", "box", l.o.Box, "reason", err)
		l.end(unreachable(l.o.Box).Because(err))
	}
}
