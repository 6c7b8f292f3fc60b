package image

import (
	"bufio"
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const aptTimeout = 5 * time.Second // for apt-config, which only reads files

// groupCommand returns a command whose cancellation ends it and all its descendants with
// SIGTERM, so that it can unmount and remove what it made.
func groupCommand(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	run := exec.CommandContext(ctx, name, arguments...)
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return syscall.Kill(-run.Process.Pid, syscall.SIGTERM) }
	run.WaitDelay = killGrace
	return run
}

// hostProxy returns the proxy of the host's apt, empty when apt has none or is not
// installed.
func hostProxy(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, aptTimeout)
	defer cancel()
	out, err := groupCommand(ctx, "apt-config", "shell", "proxy", "Acquire::http::Proxy").Output()
	if err != nil {
		return ""
	}
	// proxy='http://127.0.0.1:3142'
	value, found := strings.CutPrefix(strings.TrimSpace(string(out)), "proxy='")
	if !found {
		return ""
	}
	value = strings.TrimSuffix(value, "'")
	if parsed, err := url.Parse(value); err != nil || parsed.Host == "" {
		return "" // DIRECT, or an unsupported form
	}
	return value
}

// isLoopback reports whether a proxy can be reached only from this machine.
func isLoopback(proxy string) bool {
	parsed, err := url.Parse(proxy)
	if err != nil || proxy == "" {
		return false
	}
	host := parsed.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// hostMirror returns the archive from which the host's apt reads the suite, or an
// empty string.
func hostMirror(ctx context.Context) string {
	files := []string{"/etc/apt/sources.list"}
	for _, pattern := range []string{"/etc/apt/sources.list.d/*.list", "/etc/apt/sources.list.d/*.sources"} {
		more, _ := filepath.Glob(pattern) // the patterns are well-formed
		files = append(files, more...)
	}
	for _, name := range files {
		if ctx.Err() != nil {
			return ""
		}
		file, err := os.Open(name)
		if err != nil {
			continue
		}
		mirror := mirrorIn(bufio.NewScanner(file))
		_ = file.Close()
		if mirror != "" {
			return mirror
		}
	}
	return ""
}

// mirrorIn returns the archive of the suite in a list of sources, in either of apt's
// formats (sources.list(5)).
func mirrorIn(lines *bufio.Scanner) string {
	var uri string
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 0:
			uri = ""
		case len(fields) >= 4 && fields[0] == "deb" && fields[2] == suite:
			return fields[1]
		case len(fields) >= 2 && fields[0] == "URIs:":
			uri = fields[1]
		case len(fields) >= 2 && fields[0] == "Suites:" && fields[1] == suite:
			if uri != "" {
				return uri
			}
		}
	}
	return ""
}
