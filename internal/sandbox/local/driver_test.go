package local_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/local"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
)

// TestInContainers runs the other tests of this binary in containers.
func TestInContainers(t *testing.T) {
	onMachine(t)
	seccomp := "seccomp=" + writeSeccompProfile(t)
	const root = "--user=0:0 --cap-add=SETUID --cap-add=SETGID --cap-add=CHOWN --cap-add=DAC_OVERRIDE"
	for name, c := range map[string]struct{ run, flags string }{
		"as a user":                   {"^(TestDriverPassesSuite|TestConfinement|TestEscape|TestKilledGuest|TestBoxesDoNotShare)", "--user=10001:10001 --security-opt=" + seccomp},
		"as root":                     {"^(TestConfinement|TestEscape|TestKilledGuest|TestBoxesDoNotShare|TestDriverPassesSuite/(Start|Two|Next))", root + " --security-opt=" + seccomp},
		"with the engine's profile":   {"^TestNoUserNamespaces", "--user=10001:10001"},
		"without a browser":           {"^TestMissingProgramIsReported", "--user=10001:10001 --tmpfs=/usr/lib/chromium --security-opt=" + seccomp},
		"with the machine's pids":     {"^TestNewIsRefusedOutsideAContainer", "--pid=host --security-opt=" + seccomp},
		"with the machine's IPC":      {"^TestNewIsRefusedOutsideAContainer", "--ipc=host --security-opt=" + seccomp},
		"without network namespaces":  {"^TestBestEffortEgressIsReported", "--user=10001:10001 --security-opt=seccomp=" + withoutNetworks(t)},
		"without any seccomp profile": {"^TestContainedIsNilInAContainer", "--user=10001:10001 --security-opt=seccomp=unconfined"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := runInContainer(t, c.run, strings.Fields(c.flags)...)
			if err != nil || !strings.Contains(out, "--- PASS") || strings.Contains(out, "--- SKIP") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestBareHostIsRefused runs outside of a container. An environment variable and a
// marker file do not count as one.
func TestBareHostIsRefused(t *testing.T) {
	onMachine(t)
	if local.Contained() == nil {
		t.Skip("these tests run in a container themselves")
	}
	t.Setenv("container", "docker")
	wantNewRefused(t)
	if out, err := exec.Command("unshare", "--fork", "--pid", "--ipc", "--mount-proc", "true").CombinedOutput(); err != nil {
		t.Skipf("cannot make namespaces: %v %s", err, out)
	}
	self := exec.Command("unshare", "--fork", "--pid", "--ipc", "--mount-proc", "/proc/self/exe")
	self.Args = append(self.Args[:len(self.Args)-1], executable(t), "-test.run", "^TestNewIsRefusedOutsideAContainer$", "-test.v")
	self.Env = append(self.Environ(), inContainer+"=1")
	if out, err := self.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("in namespaces on the machine's root: %v\n%s", err, out)
	}
}

func TestNewIsRefusedOutsideAContainer(t *testing.T) {
	inTestContainer(t)
	wantNewRefused(t)
}

func wantNewRefused(t *testing.T) {
	t.Helper()
	d, err := local.New(testOptions(t))
	f := fault.From(err)
	if d != nil || f.Code != fault.SandboxRuntimeRequired || !strings.Contains(f.Hint, "docker") || f.Details["missing"] == nil {
		t.Errorf("not refused: %v, %+v", d, f)
	}
}

// withoutNetworks writes a seccomp profile that differs from the one of boxes in that
// clone cannot make a network namespace.
func withoutNetworks(t *testing.T) string {
	t.Helper()
	path := writeSeccompProfile(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const refused = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC
	narrower := strings.ReplaceAll(string(text), strconv.Itoa(refused), strconv.Itoa(refused|unix.CLONE_NEWNET))
	if narrower == string(text) {
		t.Fatal("the profile does not check the flags of clone as expected")
	}
	if err := os.WriteFile(path, []byte(narrower), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBestEffortEgressIsReported runs where a box cannot have a network namespace.
// Chromium's own sandbox cannot have one either, so no box starts in such a
// container. Check reports it before.
func TestBestEffortEgressIsReported(t *testing.T) {
	inTestContainer(t)
	d := openDriver(t, testOptions(t))
	var report string
	for _, finding := range d.Check(t.Context()) {
		report += finding.Name + ": " + finding.Detail + "\n"
	}
	if !strings.Contains(report, "network: egress: best-effort") {
		t.Errorf("Check reports\n%s", report)
	}
	if missing := d.Missing(t.Context()); len(missing) > 0 {
		t.Errorf("missing %+v", missing)
	}
	if _, err := d.Start(t.Context(), sandboxtest.Spec("alice")); fault.CodeOf(err) != fault.StartFailed {
		t.Errorf("started: %v", err)
	}
	if left, err := d.List(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

func TestContainedIsNilInAContainer(t *testing.T) {
	inTestContainer(t)
	if err := local.Contained(); err != nil {
		t.Errorf("refused: %v", fault.From(err).Details)
	}
}

func TestDriverPassesSuite(t *testing.T) {
	inTestContainer(t)
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Open {
		o := testOptions(t)
		openDriver(t, o) // stops remaining boxes when the test ends
		return func(t *testing.T) (sandbox.Driver, func()) {
			d, err := local.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return d, func() {
				if err := d.Close(); err != nil {
					t.Errorf("cannot close: %v", err)
				}
			}
		}
	})
}

// TestMissingProgramIsReported runs in a container without Chromium.
func TestMissingProgramIsReported(t *testing.T) {
	inTestContainer(t)
	missing := openDriver(t, testOptions(t)).Missing(t.Context())
	if len(missing) != 1 || missing[0].Name != "chromium" || missing[0].Repair != "glovebox install browser --yes" {
		t.Errorf("missing %+v", missing)
	}
}

// TestNoUserNamespaces runs with the engine's own seccomp profile.
func TestNoUserNamespaces(t *testing.T) {
	inTestContainer(t)
	d := openDriver(t, testOptions(t))
	_, err := d.Start(t.Context(), sandboxtest.Spec("alice"))
	if f := fault.From(err); f.Code != fault.SandboxWeak || !strings.Contains(f.Hint, "glovebox image seccomp") {
		t.Errorf("not refused: %+v", f)
	}
	if missing := d.Missing(t.Context()); len(missing) != 1 || missing[0].Name != "walls" || !strings.Contains(missing[0].Repair, "glovebox image seccomp") {
		t.Errorf("missing %+v", missing)
	}
	if left, err := d.List(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
