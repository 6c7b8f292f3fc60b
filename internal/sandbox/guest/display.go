package guest

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// x11SocketDir is where X servers make their sockets. Their libraries fix the path.
const x11SocketDir = "/tmp/.X11-unix"

const displayDialTimeout = time.Second // for the display to accept a connection

// startDisplay starts Xvfb and returns its name when its socket answers. Xvfb
// chooses a free number and writes it to a pipe (-displayfd).
func (g *guest) startDisplay(ctx context.Context) (*child, string, error) {
	ctx, cancel := context.WithTimeout(ctx, g.config.DisplayTimeout)
	defer cancel()
	// Xvfb can make this directory only as root.
	if err := os.Mkdir(x11SocketDir, 0o777|os.ModeSticky); err == nil {
		_ = os.Chmod(x11SocketDir, 0o777|os.ModeSticky) // regardless of the umask
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, "", fmt.Errorf("cannot make %s: %w", x11SocketDir, err)
	}
	if err := g.config.writeCookie(); err != nil {
		return nil, "", err
	}
	number, numberWriter, err := os.Pipe()
	if err != nil {
		return nil, "", fmt.Errorf("cannot make a pipe: %w", err)
	}
	defer func() { _ = number.Close() }()
	command := g.command(g.config.Xvfb, "", xvfbFlags(g.config)...)
	command.ExtraFiles = []*os.File{numberWriter} // becomes file descriptor 3
	command.Stdout, command.Stderr = g.log.writer("Xvfb: "), g.log.writer("Xvfb: ")
	p, err := g.children.start("display", command)
	_ = numberWriter.Close()
	if err != nil {
		return nil, "", err
	}
	name, err := awaitDisplay(ctx, g.config.displaySocketPrefix(), number, p)
	if err != nil {
		p.stop(displayGrace)
		return nil, "", err
	}
	return p, name, nil
}

// xvfbFlags returns the command line of the display server.
func xvfbFlags(c Config) []string {
	flags := []string{
		"-displayfd", "3", // choose a free number and write it to file descriptor 3
		"-screen", "0", fmt.Sprintf("%dx%dx24", c.Width, c.Height),
		"-dpi", strconv.Itoa(c.DPI),
		"-nolisten", "tcp", // only the socket
		"-noreset", // keep its state when the last client disconnects
	}
	if c.Shared {
		flags = append(flags,
			"-nolisten", "unix", // only the abstract socket, which the network namespace confines; no file that others see
			"-auth", c.cookieFile(),
		)
	}
	return flags
}

// displaySocketPrefix returns the name of the display's socket without its number.
func (c Config) displaySocketPrefix() string {
	if c.Shared {
		return "@" + x11SocketDir + "/X" // unix(7): abstract
	}
	return x11SocketDir + "/X"
}

// displayState returns the current state of the display's process. A display whose socket
// does not answer counts as ended.
func (c Config) displayState(display sandbox.Process, screen string) sandbox.Process {
	if !display.Running {
		return display
	}
	conn, err := net.DialTimeout("unix", c.displaySocketPrefix()+strings.TrimPrefix(screen, ":"), displayDialTimeout)
	if err != nil {
		return sandbox.Process{PID: display.PID, Exit: "its socket does not answer"}
	}
	_ = conn.Close()
	return display
}

// awaitDisplay reads the display's number from the pipe and dials its socket.
func awaitDisplay(ctx context.Context, socketName string, number *os.File, p *child) (string, error) {
	stop := context.AfterFunc(ctx, func() { _ = number.SetReadDeadline(time.Now()) })
	defer stop()
	said, err := io.ReadAll(io.LimitReader(number, 16))
	text := strings.TrimSpace(string(said))
	if _, numeric := strconv.Atoi(text); err != nil || numeric != nil {
		return "", displayError(ctx, p)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socketName+text)
	if err != nil {
		return "", fmt.Errorf("the display's socket does not answer: %w", err)
	}
	_ = conn.Close()
	return ":" + text, nil
}

func displayError(ctx context.Context, p *child) error {
	select {
	case <-p.done:
		return errors.New("the display " + p.exit)
	case <-ctx.Done():
		return errors.New("the display did not answer in time")
	}
}

// command returns the command of a program in the box: with its own process group
// and environment, and never as root.
func (g *guest) command(path, display string, args ...string) *exec.Cmd {
	command := exec.Command(path, args...)
	command.Env = g.config.environ(display)
	command.Dir = g.config.Dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(g.config.UID), Gid: uint32(g.config.UID)}
	}
	return command
}

const (
	anyDisplay = 0xffff               // FamilyWild, the family of an Xauthority entry for every display
	cookieName = "MIT-MAGIC-COOKIE-1" // xsecurity(7)
	cookieSize = 16                   // bytes
)

// cookieFile returns the path of the display's Xauthority file, empty when only the
// box's own programs can reach the display.
func (c Config) cookieFile() string {
	if !c.Shared {
		return ""
	}
	return filepath.Join(c.Dir, "display.cookie")
}

// writeCookie writes a new cookie: an Xauthority(7) file with one entry for every
// display.
func (c Config) writeCookie() error {
	path := c.cookieFile()
	if path == "" {
		return nil
	}
	key := make([]byte, cookieSize)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	entry := binary.BigEndian.AppendUint16(nil, anyDisplay)
	for _, field := range [][]byte{nil, nil, []byte(cookieName), key} { // address, number, name, data
		entry = binary.BigEndian.AppendUint16(entry, uint16(len(field)))
		entry = append(entry, field...)
	}
	if err := os.WriteFile(path, entry, 0o600); err != nil {
		return fmt.Errorf("cannot write the display's cookie: %w", err)
	}
	if os.Getuid() == 0 {
		return os.Chown(path, c.UID, c.UID)
	}
	return nil
}
