package bridge

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

func TestValidHealthIsUnchanged(t *testing.T) {
	h := sandbox.Health{
		Phase:     PhaseReady,
		Browser:   sandbox.Process{Running: true, PID: 12},
		Display:   sandbox.Process{Exit: "exited with status 1"},
		Restarts:  1,
		Renderers: []sandbox.Renderer{{PID: 20, SeccompFilters: 2, OwnUserNS: true, OwnNetNS: true, CapEff: "0000000000000000"}},
		Log:       []string{"Grüße, 世界"},
		Since:     time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(h, sanitizeHealth(h, h.Since.Add(time.Hour))); diff != "" {
		t.Error(diff)
	}
}

func TestHostileHealthIsSanitized(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	h := sanitizeHealth(sandbox.Health{
		Phase:     "ready\x00",
		Browser:   sandbox.Process{PID: math.MaxInt, Exit: strings.Repeat("x", 1<<16)},
		Display:   sandbox.Process{PID: -5, Exit: "\x1b]0;title\a\r\n\u202ereversed\u200b"},
		Restarts:  -1,
		Renderers: make([]sandbox.Renderer, 1000),
		Log:       append(make([]string, 5000), strings.Repeat("\xff", 5000)),
		Since:     now.Add(100 * 365 * 24 * time.Hour),
	}, now)
	if h.Phase != PhaseFailed || h.Browser.PID != maxPID || h.Display.PID != 0 || h.Restarts != 0 || !h.Since.IsZero() {
		t.Errorf("health %+v", h)
	}
	if len(h.Renderers) != maxRenderers || len(h.Log) != maxLogLines || h.Renderers[0].Sandboxed() || h.Renderers[0].CapEff != "unknown" {
		t.Errorf("%d renderers, %d lines, %+v", len(h.Renderers), len(h.Log), h.Renderers[0])
	}
	for _, s := range append(h.Log, h.Browser.Exit, h.Display.Exit) {
		if utf8.RuneCountInString(s) > maxLine || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("kept %q", s)
		}
	}
	if h.Display.Exit != " ]0;title    reversed " {
		t.Errorf("kept %q", h.Display.Exit)
	}
}
