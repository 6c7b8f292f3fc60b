package peer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const (
	peerUser = 10001 // Chromium's sandbox refuses root; the same as in browsertest
	viewport = "1280x720"
)

// Chromium is the path of Debian's browser, or the one that tests are told to use.
func Chromium() string {
	if given := os.Getenv("GLOVEBOX_TEST_CHROMIUM"); given != "" {
		return given
	}
	return "/usr/lib/chromium/chromium"
}

// program is how a server is started.
type program struct {
	path string
	args []string
	env  []string
	user int // the process's, when we are root; 0 leaves it
}

// walled starts Chromium without being told to give its sandbox up, as
// agent-browser tells it wherever it finds itself in a container.
const walled = `#!/bin/sh
left=$#
while [ $left -gt 0 ]; do
	argument=$1
	shift
	left=$((left - 1))
	[ "$argument" = --no-sandbox ] || set -- "$@" "$argument"
done
exec %q "$@"
`

// programs are the peers, each with its own default configuration: without a
// window, with Chromium's sandbox on, with nothing told to their makers.
func programs(modules, chromium string) map[Kind]program {
	playwright := []string{
		filepath.Join(modules, "@playwright/mcp/cli.js"), "--headless", "--isolated", "--sandbox",
		"--executable-path", chromium, "--viewport-size", viewport,
	}
	return map[Kind]program{
		Playwright:      {path: "node", args: playwright},
		PlaywrightTuned: {path: "node", args: append(playwright[:len(playwright):len(playwright)], "--timeout-settle", "0")},
		AgentBrowser: {
			path: agentBrowser(modules), args: []string{"mcp"},
			env: []string{"AGENT_BROWSER_EXECUTABLE_PATH=" + chromium},
		},
		DevTools: {
			path: "node",
			args: []string{
				filepath.Join(modules, "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js"), "--headless", "--isolated",
				"--executablePath", chromium, "--viewport", viewport, "--no-usage-statistics", "--no-performance-crux", "--no-page-id-routing",
			},
			env: []string{"CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS=1", "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS=1"},
		},
	}
}

func openPeer(tb testing.TB, kind Kind, modules string) (*Server, error) {
	tb.Helper()
	f, err := newFamily()
	if err != nil {
		return nil, err
	}
	browser := filepath.Join(f.home, "chromium")
	p, known := programs(modules, browser)[kind]
	if !known {
		return nil, fmt.Errorf("there is no peer %q", kind)
	}
	p.user = peerUser
	if err := os.WriteFile(browser, fmt.Appendf(nil, walled, Chromium()), 0o755); err != nil {
		return nil, fmt.Errorf("cannot write how Chromium is started: %w", err)
	}
	s := &Server{Kind: kind, family: f}
	return s, connect(tb, s, p)
}

// command is the process of a program, in the family's folder, with no more
// of our environment than it needs.
func (p program) command(f *family) (*exec.Cmd, error) {
	path, err := exec.LookPath(p.path)
	if err != nil {
		return nil, fmt.Errorf("cannot find %s: %w", p.path, err)
	}
	c := exec.Command(path, p.args...)
	c.Dir = f.home
	c.Env = append([]string{"HOME=" + f.home, "TMPDIR=" + f.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "DO_NOT_TRACK=1", f.mark}, p.env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 && p.user != 0 {
		c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(p.user), Gid: uint32(p.user)}
		if err := os.Chown(f.home, p.user, p.user); err != nil {
			return nil, fmt.Errorf("cannot hand the folder over: %w", err)
		}
	}
	return c, nil
}
