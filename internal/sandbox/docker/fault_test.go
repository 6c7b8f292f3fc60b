package docker_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestNewRefusesInvalidOptions(t *testing.T) {
	for name, spoil := range map[string]func(*docker.Options){
		"nothing":           func(o *docker.Options) { *o = docker.Options{} },
		"no image":          func(o *docker.Options) { o.Image = "" },
		"a long prefix":     func(o *docker.Options) { o.NamePrefix = strings.Repeat("x", 30) },
		"an invalid prefix": func(o *docker.Options) { o.NamePrefix = "../" },
		"no instance":       func(o *docker.Options) { o.Instance = "" },
		"a filter":          func(o *docker.Options) { o.Instance = "a=b,c" },
		"no folder":         func(o *docker.Options) { o.SocketDir = "" },
		"no key":            func(o *docker.Options) { o.Key = nil },
		"no memory":         func(o *docker.Options) { o.Memory = 0 },
		"no processor":      func(o *docker.Options) { o.CPUs = 0 },
		"no shared memory":  func(o *docker.Options) { o.ShmSize = 0 },
		"too few tasks":     func(o *docker.Options) { o.PidsLimit = 255 },
		"no lease":          func(o *docker.Options) { o.Lease = 0 },
		"negative restarts": func(o *docker.Options) { o.RestartAttempts = -1 },
	} {
		o := testOptions(t)
		spoil(&o)
		if d, err := docker.New(o); fault.CodeOf(err) != fault.InvalidRequest || d != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

func TestMissingImageSaysHowToBuildIt(t *testing.T) {
	o := testOptions(t)
	o.Image = "glovebox-none:0"
	d := openDriver(t, o)
	_, err := d.Start(testwait.Context(t), sandboxtest.Spec("alice"))
	f := fault.From(err)
	if f.Code != fault.InstallRequired || !strings.Contains(f.Hint, "glovebox image build") || f.Details["command"] != "glovebox image build" {
		t.Errorf("%v, hint %q", err, f.Hint)
	}
	if left, err := os.ReadDir(o.SocketDir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	for _, finding := range d.Check(testwait.Context(t)) {
		if wrong := finding.Name == "image"; finding.OK == wrong || (finding.Repair != "") != wrong {
			t.Errorf("doctor reports %+v", finding)
		}
	}
}

func TestFaultsWithoutAnEngineSayWhatToStart(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(t.TempDir(), "none.sock"))
	d, err := docker.New(testOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	spec := sandboxtest.Spec("alice")
	_, started := d.Start(testwait.Context(t), spec)
	_, listed := d.List(testwait.Context(t))
	_, attached := d.Attach(testwait.Context(t), spec.ID, spec.Egress)
	for name, err := range map[string]error{
		"start": started, "list": listed, "attach": attached, "stop": d.Stop(testwait.Context(t), spec.ID),
	} {
		f := fault.From(err)
		if f == nil || f.Code != fault.SandboxRuntimeRequired || !strings.Contains(f.Hint, "start Docker") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if missing := d.Missing(testwait.Context(t)); len(missing) != 1 || missing[0].Name != "engine" || missing[0].Repair == "" {
		t.Errorf("missing %+v", missing)
	}
	findings := d.Check(testwait.Context(t))
	if len(findings) != 1 || findings[0].OK || !strings.Contains(findings[0].Repair, "start Docker") || !strings.Contains(findings[0].Repair, "glovebox install engine") {
		t.Errorf("doctor reports %+v", findings)
	}
}

func TestCheckPassesOnAWorkingMachine(t *testing.T) {
	d := openDriver(t, testOptions(t))
	if missing := d.Missing(testwait.Context(t)); len(missing) > 0 {
		t.Errorf("missing %+v", missing)
	}
	findings := d.Check(testwait.Context(t))
	if len(findings) != 6 {
		t.Errorf("%d findings", len(findings))
	}
	for _, finding := range findings {
		if !finding.OK || finding.Detail == "" || finding.Repair != "" {
			t.Errorf("doctor reports %+v", finding)
		}
	}
}

// brokenImage makes an image with another first process, and removes it when the test ends.
func brokenImage(t *testing.T, process ...string) string {
	t.Helper()
	e := engineClient(t)
	entry, err := json.Marshal(process)
	if err != nil {
		t.Fatal(err)
	}
	broken := "glovebox-broken:" + sandbox.NewID()
	recipe := "FROM " + tag + "\nENTRYPOINT " + string(entry) + "\n"
	answer, err := e.ImageBuild(testwait.Context(t), buildContext(t, recipe), client.ImageBuildOptions{Tags: []string{broken}, Remove: true})
	if err != nil {
		t.Fatal(err)
	}
	drain(t, answer.Body)
	t.Cleanup(func() {
		if _, err := e.ImageRemove(testwait.Context(t), broken, client.ImageRemoveOptions{}); err != nil {
			t.Errorf("cannot remove the image: %v", err)
		}
	})
	return broken
}

// When the first process of an image exits, Start fails with its last output and
// does not wait for the time limit of the phase.
func TestStartFaultHasTheOutputOfAGuestThatExits(t *testing.T) {
	o := testOptions(t)
	o.Image = brokenImage(t, "/bin/sh", "-c", `{
		seq 50000; head -c 100000 /dev/zero | tr '\0' x; echo; echo the guest is out of order; printf 'without an end'
	} >&2; exit 3`)
	_, err := openDriver(t, o).Start(testwait.Context(t), sandboxtest.Spec("alice"))
	f := fault.From(err)
	long := " | 50000 | " + strings.Repeat("x", 512) + " | "
	for _, want := range []string{
		"sandbox_browser_launch_failed: guest_not_ready", "status 3", "log: 49994 | ", long, "the guest is out of order | without an end",
	} {
		if f.Code != fault.StartFailed || !strings.Contains(f.Message, want) {
			t.Errorf("%q lacks %q", f.Message, want)
		}
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}

func TestStartWithoutAGuestFailsAndLeavesNothing(t *testing.T) {
	o := testOptions(t)
	o.Image = brokenImage(t, "/none")
	_, err := openDriver(t, o).Start(testwait.Context(t), sandboxtest.Spec("alice"))
	if f := fault.From(err); f.Code != fault.StartFailed || !strings.Contains(f.Message, "could not start the box") {
		t.Errorf("%v", err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}
