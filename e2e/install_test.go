package e2e

import (
	"crypto/rand"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestInstallInAFreshMachine installs what a browser needs in a container of
// the distribution's bare base, with the program and nothing else brought in.
func TestInstallInAFreshMachine(t *testing.T) {
	testenv.Heavy(t)
	m := newMachine(t)
	out, status := m.run(t, "n\n", "/glovebox", "install", "browser")
	if status != 8 || !strings.Contains(out, "nothing was installed") || !strings.Contains(out, "go on? [y/N]") {
		t.Errorf("a person said no: %d %s", status, out)
	}
	if out, status := m.run(t, "", "/glovebox", "install", "browser"); status != 8 || !strings.Contains(out, "glovebox install browser --yes") {
		t.Errorf("nobody answered: %d %s", status, out)
	}
	if out, status := m.run(t, "", "setpriv", "--reuid=10001", "--clear-groups", "/glovebox", "install", "browser", "--yes"); status != 8 || !strings.Contains(out, "there is no sudo") {
		t.Errorf("without rights: %d %s", status, out)
	}
	if _, status := m.run(t, "", "sh", "-c", "command -v chromium || command -v Xvfb"); status == 0 {
		t.Fatal("something was installed")
	}
	printed, status := m.run(t, "", "/glovebox", "install", "browser", "--print-only")
	if lines := strings.Split(strings.TrimSpace(printed), "\n"); status != 0 || len(lines) != 2 || lines[0] != "apt-get update" {
		t.Errorf("the commands: %d %s", status, printed)
	}
	if out, status := m.run(t, "y\n", "/glovebox", "install", "browser"); status != 0 || !strings.Contains(out, "ok installed: chromium, Xvfb, ffmpeg") {
		t.Fatalf("not installed: %d %s", status, out)
	}
	if out, status := m.run(t, "", "sh", "-ec", "chromium --version; ffmpeg -version; command -v Xvfb; fc-list | grep -c -e Liberation -e Zen -e Emoji"); status != 0 || !strings.Contains(out, "Chromium ") {
		t.Errorf("what was installed: %d %s", status, out)
	}
	again, status := m.run(t, "", "/glovebox", "install", "browser", "--json")
	var got struct {
		Data struct {
			Installed bool     `json:"installed"`
			Missing   []string `json:"missing"`
			Manager   string   `json:"packageManager"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(again), &got); err != nil || status != 0 || !got.Data.Installed || len(got.Data.Missing) != 0 || got.Data.Manager != "apt" {
		t.Errorf("a second time: %d %s %v", status, again, err)
	}
	installDesktop(t, m)
}

// installDesktop runs where Xvfb, ffmpeg and fonts are already installed.
func installDesktop(t *testing.T, m freshMachine) {
	t.Helper()
	out, status := m.run(t, "", "/glovebox", "install", "desktop", "--yes", "--package-manager", "apt")
	if status != 0 || !strings.Contains(out, "ok installed: openbox, xdotool, xclip, imagemagick") || strings.Contains(out, "missing: Xvfb") {
		t.Fatalf("not installed: %d %s", status, out)
	}
	const works = `Xvfb :7 -screen 0 300x200x24 -nolisten tcp -noreset & export DISPLAY=:7
		until xrandr >/dev/null 2>&1; do sleep 0.1; done
		xrandr | grep -q 300x200; xdotool mousemove 20 30 getmouselocation; openbox --version
		for p in xclip dbus-launch xauth; do command -v $p; done`
	if out, status := m.run(t, "", "sh", "-ec", works); status != 0 || !strings.Contains(out, "x:20 y:30") {
		t.Errorf("what was installed: %d %s", status, out)
	}
}

// TestInstallPrintsForOtherManagers cannot run the commands.
func TestInstallPrintsForOtherManagers(t *testing.T) {
	for args, want := range map[string]string{
		"browser --package-manager apk": "apk add --no-cache chromium nss ",
		"desktop --package-manager dnf": "xorg-x11-server-Xvfb openbox ",
		"engine --package-manager apk":  "apk add --no-cache docker ",
	} {
		command := exec.CommandContext(t.Context(), binary, append([]string{"install"}, strings.Fields(args+" --print-only")...)...)
		if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v %s", args, err, out)
		}
	}
	out, err := exec.CommandContext(t.Context(), binary, "install", "browser", "--package-manager", "pip").CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 {
		t.Errorf("pip: %v %s", err, out)
	}
}

// freshMachine is a container that waits for commands, and has a network.
type freshMachine struct{ name string }

func newMachine(t *testing.T) freshMachine {
	t.Helper()
	m := freshMachine{"gbe2e-install-" + strings.ToLower(rand.Text()[:8])}
	t.Cleanup(func() {
		if out, err := exec.CommandContext(testwait.Context(t), "docker", "rm", "-f", "-v", m.name).CombinedOutput(); err != nil {
			t.Errorf("the container stays: %v %s", err, out)
		}
	})
	start := exec.CommandContext(t.Context(), "docker", "run", "-d", "--init", "--name", m.name, "-v", binary+":/glovebox:ro", "debian:bookworm-slim", "sleep", "infinity")
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("no container: %v %s", err, out)
	}
	return m
}

// run runs a command in the machine, and returns what it printed and its exit
// status.
func (m freshMachine) run(t *testing.T, input string, command ...string) (string, int) {
	t.Helper()
	c := exec.CommandContext(testwait.Context(t), "docker", append([]string{"exec", "-i", m.name}, command...)...)
	c.Stdin = strings.NewReader(input)
	out, _ := c.CombinedOutput() // the status says it
	return string(out), c.ProcessState.ExitCode()
}
