package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const maxPendingHellos = 4 // connections that have not sent their hello yet

func listenSockets(dir string) (bridge, egress *net.UnixListener, err error) {
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

// listenUnix listens on a socket that every user may dial, because the box runs
// as another user than the gateway. The directory above it, which only the
// gateway may enter, and the mount limit who can reach the socket.
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

// acceptGuests accepts connections on bridge.sock and serves each one.
func (l *Link) acceptGuests() {
	slots := make(chan struct{}, maxPendingHellos)
	for {
		conn, err := l.bridge.Accept()
		if err != nil && retryAccept(l.ctx, err) {
			continue
		}
		if err != nil {
			l.socketFailed(err)
			return
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = conn.Close() // only a hostile box opens so many
			continue
		}
		l.wg.Go(func() {
			guest, err := l.accept(conn)
			<-slots
			if err != nil {
				_ = conn.Close()
				l.options.Log.Warn("refused a guest", "box", l.options.Box, "reason", err)
				return
			}
			l.monitor(guest)
		})
	}
}

// socketFailed ends the link when one of its sockets fails.
func (l *Link) socketFailed(err error) {
	if l.ctx.Err() == nil {
		l.options.Log.Error("a socket of the box broke", "box", l.options.Box, "reason", err)
		l.end(guestUnreachable(l.options.Box).Because(err))
	}
}

const acceptRetryDelay = 100 * time.Millisecond // how long to wait before another accept when resources are short

// retryAccept reports whether a failed accept can be retried because the process is
// short of file descriptors or memory for a moment. It waits a little before it
// returns true.
func retryAccept(ctx context.Context, err error) bool {
	for _, temporary := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
	} {
		if errors.Is(err, temporary) {
			timer := time.NewTimer(acceptRetryDelay)
			defer timer.Stop()
			select {
			case <-timer.C:
				return true
			case <-ctx.Done():
				return false
			}
		}
	}
	return false
}
