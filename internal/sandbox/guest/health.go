package guest

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Display waits for the display. It returns at once for a headless box.
func (g *guest) Display(ctx context.Context) error {
	if g.config.Headless {
		return nil
	}
	_, err := g.state.wait(ctx, func(s snapshot) bool { return s.displayUp })
	return err
}

// Version waits for a browser and returns its version.
func (g *guest) Version(ctx context.Context) (bridge.Version, error) {
	s, err := g.state.wait(ctx, func(s snapshot) bool { return s.browser != nil })
	if err != nil {
		return bridge.Version{}, err
	}
	return s.browser.version, nil
}

// Health returns the report of the box.
func (g *guest) Health() sandbox.Health {
	s := g.state.read()
	return sandbox.Health{
		Phase:     s.phase,
		Browser:   s.process,
		Display:   g.config.displayState(s.display, s.screen),
		Screen:    s.screen,
		Restarts:  s.restarts,
		OOMKills:  oomKills("/sys/fs/cgroup"),
		Renderers: renderers(s.process.PID),
		Log:       g.log.all(),
		Since:     s.since,
		Frozen:    s.frozen,
	}
}

const (
	sandboxTimeout       = 500 * time.Millisecond // for a new renderer to enter its sandbox
	rendererPollInterval = 20 * time.Millisecond  // between two checks
)

// renderers returns the sandboxing of each renderer below the browser. A renderer that
// has just been forked has not entered its sandbox yet, so renderers repeats for some
// time while it finds one outside.
func renderers(browser int) []sandbox.Renderer {
	deadline := time.Now().Add(sandboxTimeout)
	for {
		found, unsandboxed := inspectRenderers(browser)
		if !unsandboxed || time.Now().After(deadline) {
			return found
		}
		time.Sleep(rendererPollInterval)
	}
}

func inspectRenderers(browser int) (found []sandbox.Renderer, unsandboxed bool) {
	all, err := processes()
	if err != nil || browser == 0 {
		return nil, false
	}
	for pid, p := range all {
		if p.zombie || !isDescendant(all, pid, browser) || !isRenderer(pid) {
			continue
		}
		if renderer, err := inspectRenderer(pid); err == nil { // on an error it has ended
			found = append(found, renderer)
			unsandboxed = unsandboxed || !renderer.Sandboxed()
		}
	}
	return found, unsandboxed
}

func isRenderer(pid int) bool {
	line, err := os.ReadFile(procPath(pid, "cmdline"))
	return err == nil && strings.Contains(string(line), "--type=renderer")
}

// inspectRenderer reads the sandboxing of one process (proc(5)). It counts a namespace that
// cannot be read as shared.
func inspectRenderer(pid int) (sandbox.Renderer, error) {
	status, err := os.ReadFile(procPath(pid, "status"))
	if err != nil {
		return sandbox.Renderer{}, err
	}
	renderer := sandbox.Renderer{PID: pid, OwnUserNS: ownNamespace(pid, "user"), OwnNetNS: ownNamespace(pid, "net")}
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); key {
		case "Seccomp_filters":
			renderer.SeccompFilters, _ = strconv.Atoi(value) // 0 counts as not sandboxed
		case "CapEff":
			renderer.CapEff = value
		}
	}
	return renderer, nil
}

func ownNamespace(pid int, kind string) bool {
	theirs, err := os.Readlink(procPath(pid, "ns/"+kind))
	if err != nil {
		return false
	}
	ours, err := os.Readlink("/proc/self/ns/" + kind)
	return err == nil && theirs != ours
}

// oomKills returns how many processes of the box the kernel killed because the box
// ran out of memory, from its control group (version 1 or 2). It returns 0 when
// that cannot be read.
func oomKills(root string) int {
	for _, file := range []string{"memory.events", "memory/memory.oom_control"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if count, found := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); found {
				n, _ := strconv.Atoi(count)
				return n
			}
		}
	}
	return 0
}
