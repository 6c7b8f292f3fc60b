package bridge

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

func testBoot(t *testing.T) Boot {
	t.Helper()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return Boot{
		Box: sandbox.NewID(), ScopeHash: sandbox.ScopeHash("alice"), Session: "s-1", PublicKey: key.Public(),
		Lease: 30 * time.Second, RestartAttempts: 1, Width: 1280, Height: 720, DPI: 96, Headless: true,
	}
}

func environment(lines []string) func(string) string {
	m := map[string]string{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		m[key] = value
	}
	return func(key string) string { return m[key] }
}

func TestBootFromReadsWhatEnvironWrote(t *testing.T) {
	want := testBoot(t)
	got, err := BootFrom(environment(want.Environ()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBootFromRefusesInvalidVariables(t *testing.T) {
	for _, name := range []string{"BOX", "SCOPE", "SESSION", "PUBLIC_KEY", "LEASE", "RESTARTS", "DISPLAY", "HEADLESS"} {
		for _, value := range []string{"../../x y", "-1", "99999999999999999999x1x1"} {
			if name == "SESSION" && !strings.Contains(value, " ") {
				continue // has the shape of a session
			}
			lines := append(testBoot(t).Environ(), envPrefix+name+"="+value)
			if _, err := BootFrom(environment(lines)); fault.CodeOf(err) != fault.InvalidRequest {
				t.Errorf("%s=%q: %v", name, value, err)
			}
		}
	}
	if _, err := BootFrom(func(string) string { return "" }); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("an empty environment: %v", err)
	}
}
