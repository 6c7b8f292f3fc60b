package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// socketDir is where X servers listen; the path is fixed in their libraries.
const socketDir = "/tmp/.X11-unix"

const socketLimit = time.Second // for the display to take a connection

// startDisplay starts Xvfb and returns when its socket answers, with the
// display's name. Xvfb picks a free number and says which (-displayfd).
func (g *guest) startDisplay(ctx context.Context) (*child, string, error) {
	ctx, cancel := context.WithTimeout(ctx, g.c.DisplayTimeout)
	defer cancel()
	// Xvfb makes this directory only as root.
	if err := os.Mkdir(socketDir, 0o777|os.ModeSticky); err == nil {
		_ = os.Chmod(socketDir, 0o777|os.ModeSticky) // whatever the umask took
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, "", fmt.Errorf("cannot make %s: %w", socketDir, err)
	}
	if err := g.c.writeCookie(); err != nil {
		return nil, "", err
	}
	number, says, err := os.Pipe()
	if err != nil {
		return nil, "", fmt.Errorf("cannot make a pipe: %w", err)
	}
	defer func() { _ = number.Close() }()
	command := g.command(g.c.Xvfb, "", xvfbFlags(g.c)...)
	command.ExtraFiles = []*os.File{says} // 3
	command.Stdout, command.Stderr = g.log.writer("Xvfb: "), g.log.writer("Xvfb: ")
	p, err := g.children.start("display", command)
	_ = says.Close()
	if err != nil {
		return nil, "", err
	}
	name, err := displayName(ctx, g.c.displaySocket(), number, p)
	if err != nil {
		p.stop(displayGrace)
		return nil, "", err
	}
	return p, name, nil
}

// xvfbFlags returns the flags of the display.
func xvfbFlags(c Config) []string {
	flags := []string{
		"-displayfd", "3", // picks a free number, says it there
		"-screen", "0", fmt.Sprintf("%dx%dx24", c.Width, c.Height),
		"-dpi", strconv.Itoa(c.DPI),
		"-nolisten", "tcp", // its socket is the only door
		"-noreset", // keeps its state when the last client leaves
	}
	if c.Shared {
		flags = append(flags,
			"-nolisten", "unix", // no file among others' files: the abstract socket, which a network namespace keeps in
			"-auth", c.cookie(),
		)
	}
	return flags
}

// displaySocket is the name of the display's socket, but for its number.
func (c Config) displaySocket() string {
	if c.Shared {
		return "@" + socketDir + "/X" // unix(7): abstract
	}
	return socketDir + "/X"
}

// seen is the display's process as it is now: one whose socket does not answer
// is as good as none.
func (c Config) seen(display sandbox.Process, screen string) sandbox.Process {
	if !display.Running {
		return display
	}
	conn, err := net.DialTimeout("unix", c.displaySocket()+strings.TrimPrefix(screen, ":"), socketLimit)
	if err != nil {
		return sandbox.Process{PID: display.PID, Exit: "its socket does not answer"}
	}
	_ = conn.Close()
	return display
}

// displayName reads the number and dials the socket once.
func displayName(ctx context.Context, socketName string, number *os.File, p *child) (string, error) {
	stop := context.AfterFunc(ctx, func() { _ = number.SetReadDeadline(time.Now()) })
	defer stop()
	said, err := io.ReadAll(io.LimitReader(number, 16))
	text := strings.TrimSpace(string(said))
	if _, numeric := strconv.Atoi(text); err != nil || numeric != nil {
		return "", displayFailure(ctx, p)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socketName+text)
	if err != nil {
		return "", fmt.Errorf("the display's socket does not answer: %w", err)
	}
	_ = conn.Close()
	return ":" + text, nil
}

func displayFailure(ctx context.Context, p *child) error {
	select {
	case <-p.done:
		return errors.New("the display " + p.exit)
	case <-ctx.Done():
		return errors.New("the display did not answer in time")
	}
}

// command prepares a program of the box: its own group, nothing of our
// environment, and never root.
func (g *guest) command(path, display string, args ...string) *exec.Cmd {
	command := exec.Command(path, args...)
	command.Env = g.c.environ(display)
	command.Dir = g.c.Dir
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(g.c.UID), Gid: uint32(g.c.UID)}
	}
	return command
}
