package docker_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestBoxThatExhaustsItsLimitsStillAnswers uses up the tasks, files, folders and memory of a
// box. Each has a limit, and the box still answers afterwards.
func TestBoxThatExhaustsItsLimitsStillAnswers(t *testing.T) {
	o := testOptions(t)
	box := startBox(t, openDriver(t, o), sandboxtest.Spec("alice"))
	for name, exhaust := range map[string]func(*testing.T, sandbox.Box, docker.Options){
		"tasks": exhaustTasks, "files": exhaustFiles, "folders": fillFolders, "core": crashProcess,
	} {
		t.Run(name, func(t *testing.T) { exhaust(t, box, o) })
	}
	t.Run("memory", func(t *testing.T) { exhaustMemory(t, box, o) }) // last, because the kernel may kill a renderer
	if health, err := box.Health(testwait.Context(t)); err != nil || health.Browser.PID == 0 {
		t.Errorf("the box does not answer: %+v, %v", health, err)
	}
}

// exhaustTasks starts processes until that fails, and kills them.
func exhaustTasks(t *testing.T, box sandbox.Box, o docker.Options) {
	out, code := execInBox(t, box, `perl -e 'my @all; while (@all < 5000) { my $p = fork; last unless defined $p; if (!$p) { sleep 60; exit } push @all, $p }
print scalar(@all), " ", $!+0; kill 9, @all; wait for @all'`)
	var started, errno int
	if _, err := fmt.Sscan(out, &started, &errno); err != nil || code != 0 {
		t.Fatalf("%v: %s", err, out)
	}
	if started < 100 || int64(started) >= o.PidsLimit || errno != 11 { // EAGAIN
		t.Errorf("%d processes, then error %d; the limit is %d", started, errno, o.PidsLimit)
	}
}

// exhaustFiles opens files until that fails.
func exhaustFiles(t *testing.T, box sandbox.Box, _ docker.Options) {
	out, _ := execInBox(t, box, `perl -e 'my @all; while (@all < 10000) { open(my $f, "<", "/dev/null") or last; push @all, $f } print scalar(@all)'`)
	if opened, err := strconv.Atoi(out); err != nil || opened > 4096 || opened < 1000 {
		t.Errorf("%s files, %v", out, err)
	}
}

// fillFolders fills each writable folder.
func fillFolders(t *testing.T, box sandbox.Box, o docker.Options) {
	for folder, most := range map[string]int64{"/tmp": 64 << 20, "/tmp/prof": 96 << 20, "/dev/shm": o.ShmSize} {
		out, _ := execInBox(t, box, fmt.Sprintf(`cd %s && dd if=/dev/zero of=fill bs=1M count=200 2>/dev/null; stat -c %%s fill; rm -f fill`, folder))
		if size, err := strconv.ParseInt(out, 10, 64); err != nil || size > most || size == 0 {
			t.Errorf("%s took %s bytes, of %d: %v", folder, out, most, err)
		}
	}
}

// crashProcess crashes a process that could dump core.
func crashProcess(t *testing.T, box sandbox.Box, _ docker.Options) {
	if out, _ := execInBox(t, box, `cd /tmp && perl -e 'kill 11, $$' 2>/dev/null; ls -d /tmp/core* 2>/dev/null`); out != "" {
		t.Errorf("the crash left %s", out)
	}
}

// exhaustMemory allocates more memory than the limit.
func exhaustMemory(t *testing.T, box sandbox.Box, o docker.Options) {
	if out, code := execInBox(t, box, fmt.Sprintf(`perl -e '$all = "x" x %d; print length $all'`, o.Memory+o.Memory/2)); code == 0 {
		t.Errorf("it allocated %s bytes", out)
	}
}
