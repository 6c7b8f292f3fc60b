package docker_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/escapetest"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestEscapeAttemptsFail makes every escape attempt inside a real box: as the
// box's user, and in new namespaces as Chromium makes them for a renderer, where a
// process has every capability over what it made itself.
func TestEscapeAttemptsFail(t *testing.T) {
	box := startBox(t, openDriver(t, testOptions(t)), sandboxtest.Spec("alice"))
	checkConfinedLikeGuest(t, box)
	program := buildEscapeProgram(t)
	for name, own := range map[string]bool{"as the box's user": false, "in new namespaces": true} {
		t.Run(name, func(t *testing.T) {
			var arguments []string
			if own {
				arguments = []string{"own"}
			}
			out := runInContainer(t, box.Info().Name, program, arguments...)
			var answers []escapetest.Answer
			if err := json.Unmarshal(out, &answers); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			checkAnswers(t, answers, own)
		})
	}
}

// checkAnswers compares answers with the expected ones.
func checkAnswers(t *testing.T, answers []escapetest.Answer, own bool) {
	t.Helper()
	given := map[string]escapetest.Answer{}
	for _, a := range answers {
		given[a.Group+": "+a.Name] = a
	}
	for _, a := range escapetest.All() {
		answer, made := given[a.Group+": "+a.Name]
		switch {
		case !made && !(own && a.NotInNamespace):
			t.Errorf("%s: %s was not tried", a.Group, a.Name)
		case made && answer.Errno == "":
			t.Errorf("%s: %s succeeded", a.Group, a.Name)
		case made && !a.Matches(answer):
			t.Errorf("%s: %s got %s, want %s", a.Group, a.Name, answer.Errno, a.Expected())
		}
	}
	t.Logf("%d attempts", len(answers))
}

// TestEscapeAttemptsSucceedInADefaultContainer proves that the attempts can succeed: these do so as
// root in a container with an engine's default settings.
func TestEscapeAttemptsSucceedInADefaultContainer(t *testing.T) {
	ctx, e, name := testwait.Context(t), engineClient(t), prefix()+"weak"
	made, err := e.ContainerCreate(ctx, client.ContainerCreateOptions{Name: name, Config: &container.Config{
		Image: tag, User: "0", Entrypoint: []string{"sleep", "300"}, NetworkDisabled: true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := testwait.Context(t)
		if _, err := e.ContainerRemove(ctx, made.ID, client.ContainerRemoveOptions{Force: true}); err != nil {
			t.Error(err)
		}
	})
	if _, err := e.ContainerStart(ctx, made.ID, client.ContainerStartOptions{}); err != nil {
		t.Fatal(err)
	}
	program := buildEscapeProgram(t)
	for _, attempt := range []string{
		"namespaces: chroot", "other processes: ptrace traceme", "kernel: msgget", "identity: setuid", "identity: capset",
		"sockets: raw IPv4", "sockets: netlink generic", "devices: mknod null", "writing: /etc/passwd",
		"running what was written: /tmp", "running what was written: leave by chroot and ..",
	} {
		if out := string(runInContainer(t, name, program, "one", attempt)); out != "succeeded\n" {
			t.Errorf("%s: %q", attempt, out)
		}
	}
}

// checkConfinedLikeGuest checks that a command which a test runs in a box is confined
// exactly like the guest.
func checkConfinedLikeGuest(t *testing.T, box sandbox.Box) {
	t.Helper()
	const confinement = `grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp)' /proc/%/status; for n in cgroup ipc mnt net pid user uts; do readlink /proc/%/ns/$n; done`
	guest, _ := execInBox(t, box, strings.ReplaceAll(confinement, "%", "1"))
	test, _ := execInBox(t, box, strings.ReplaceAll(confinement, "%", "self"))
	if guest != test {
		t.Errorf("the guest is confined by\n%s\nand this test by\n%s", guest, test)
	}
}

// buildEscapeProgram builds the program that makes the attempts.
func buildEscapeProgram(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "escape")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./testdata/escape")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// loader is a Perl script that runs the program on its standard input from memory,
// because files written in a box cannot be executed.
const loader = `use strict; binmode STDIN; my $name = "p";
my %memfd_create = (x86_64 => 319, aarch64 => 279); my $machine = (POSIX::uname())[4];
my $fd = syscall($memfd_create{$machine}, $name, 0); die "memfd_create: $!" if $fd < 0;
open(my $out, ">&=", $fd) or die $!; binmode $out; local $/; print $out scalar <STDIN>; $out->flush;
exec {"/proc/self/fd/$fd"} "escape", @ARGV or die "exec: $!";`

// runInContainer runs a program inside a container and returns its output.
func runInContainer(t *testing.T, container string, program []byte, arguments ...string) []byte {
	t.Helper()
	ctx, e := testwait.Context(t), engineClient(t)
	made, err := e.ExecCreate(ctx, container, client.ExecCreateOptions{
		Cmd: append([]string{"perl", "-MPOSIX", "-MIO::Handle", "-e", loader}, arguments...), AttachStdin: true, AttachStdout: true, AttachStderr: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := e.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	if _, err := attached.Conn.Write(program); err != nil {
		t.Fatal(err)
	}
	if err := attached.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	var out, stderr bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &stderr, attached.Reader); err != nil {
		t.Fatal(err)
	}
	result, err := e.ExecInspect(ctx, made.ID, client.ExecInspectOptions{})
	if err != nil || result.ExitCode != 0 {
		t.Fatalf("it ended with %d, %v: %s", result.ExitCode, err, stderr.String())
	}
	return out.Bytes()
}
