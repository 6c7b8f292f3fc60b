package bridge

import (
	"regexp"
	"time"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

// Limits on the report of a guest.
const (
	maxReport    = 256 << 10 // bytes of a response
	maxLogLines  = 100
	maxLine      = 512 // runes
	maxReason    = 256 // runes
	maxRenderers = 64
	maxPID       = 1 << 22 // the kernel's own limit, PID_MAX_LIMIT
	maxCount     = 1 << 20
)

// Phases of a guest.
const (
	PhaseStarting = "starting"
	PhaseReady    = "ready"
	PhaseFailed   = "failed"
)

var screenPattern = regexp.MustCompile(`^:[0-9]{1,5}$`)

var capPattern = regexp.MustCompile(`^[0-9a-f]{16}$`)

// sanitizeHealth makes the report of a guest safe to use: it limits all sizes, removes
// control characters and clamps numbers. A malformed value becomes the one that
// fails safe: a failed phase, a renderer that is not sandboxed.
func sanitizeHealth(h sandbox.Health, now time.Time) sandbox.Health {
	if h.Phase != PhaseStarting && h.Phase != PhaseReady {
		h.Phase = PhaseFailed
	}
	h.Browser, h.Display = sanitizeProcess(h.Browser), sanitizeProcess(h.Display)
	if !screenPattern.MatchString(h.Screen) {
		h.Screen = ""
	}
	h.Restarts, h.OOMKills = clamp(h.Restarts, maxCount), clamp(h.OOMKills, maxCount)
	h.Renderers = h.Renderers[:min(len(h.Renderers), maxRenderers)]
	for i, p := range h.Renderers {
		h.Renderers[i] = sanitizeRenderer(p)
	}
	h.Log = h.Log[max(0, len(h.Log)-maxLogLines):]
	for i, line := range h.Log {
		h.Log[i] = untrusted.LogLine(line, maxLine)
	}
	if h.Since.Before(now.Add(-10*365*24*time.Hour)) || h.Since.After(now.Add(time.Minute)) {
		h.Since = time.Time{}
	}
	return h
}

func sanitizeProcess(p sandbox.Process) sandbox.Process {
	return sandbox.Process{Running: p.Running, PID: clamp(p.PID, maxPID), Exit: untrusted.LogLine(p.Exit, maxReason)}
}

func sanitizeRenderer(p sandbox.Renderer) sandbox.Renderer {
	p.PID = clamp(p.PID, maxPID)
	p.SeccompFilters = clamp(p.SeccompFilters, maxCount)
	if !capPattern.MatchString(p.CapEff) {
		p.CapEff = "unknown"
	}
	return p
}

func clamp(n, most int) int { return max(0, min(n, most)) }
