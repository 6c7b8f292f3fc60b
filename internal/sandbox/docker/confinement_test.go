package docker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// TestConfinementOfARunningBox checks the confinement of a box from inside it.
func TestConfinementOfARunningBox(t *testing.T) {
	o := testOptions(t)
	box := startBox(t, openDriver(t, o), sandboxtest.Spec("alice"))
	for name, check := range map[string]func(*testing.T, sandbox.Box, docker.Options){
		"process 1 is the guest, unprivileged": checkProcess,
		"limits hold":                          checkLimits,
		"little is writable":                   checkWritable,
		"there is no network":                  checkNetwork,
		"the sockets cannot be changed":        checkSockets,
		"the guest gets no secrets":            checkSecrets,
		"forbidden calls fail":                 checkCalls,
		"renderers are in Chromium's sandbox":  checkRenderers,
		"fonts draw CJK and emoji":             checkFonts,
	} {
		t.Run(name, func(t *testing.T) { check(t, box, o) })
	}
}

// parseFields reads "name: value" lines.
func parseFields(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, found := strings.Cut(line, ":"); found {
			all[name] = strings.Join(strings.Fields(value), " ")
		}
	}
	return all
}

func checkProcess(t *testing.T, box sandbox.Box, _ docker.Options) {
	status, _ := execInBox(t, box, "cat /proc/1/status")
	got := parseFields(status)
	for name, want := range map[string]string{
		"Uid": "10001 10001 10001 10001", "Gid": "10001 10001 10001 10001",
		"CapInh": "0000000000000000", "CapPrm": "0000000000000000", "CapEff": "0000000000000000",
		"CapBnd": "0000000000000000", "CapAmb": "0000000000000000",
		"NoNewPrivs": "1", "Seccomp": "2",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	line, _ := execInBox(t, box, `tr '\0' ' ' < /proc/1/cmdline`)
	if line != "/usr/local/bin/glovebox guest" {
		t.Errorf("process 1 is %q", line)
	}
	raised, _ := execInBox(t, box, "find / -xdev -type f -perm /6000 2>/dev/null")
	if raised != "" {
		t.Errorf("setuid or setgid programs: %s", raised)
	}
}

func checkLimits(t *testing.T, box sandbox.Box, o docker.Options) {
	cgroup := func(v2, v1 string) string {
		text, _ := execInBox(t, box, fmt.Sprintf("cat /sys/fs/cgroup/%s 2>/dev/null || cat /sys/fs/cgroup/%s", v2, v1))
		return text
	}
	if got := cgroup("pids.max", "pids/pids.max"); got != fmt.Sprint(o.PidsLimit) {
		t.Errorf("tasks are limited to %s, want %d", got, o.PidsLimit)
	}
	if got := cgroup("memory.max", "memory/memory.limit_in_bytes"); got != fmt.Sprint(o.Memory) {
		t.Errorf("memory is limited to %s, want %d", got, o.Memory)
	}
	// version 2 counts swap alone, version 1 together with memory
	if got := cgroup("memory.swap.max", "memory/memory.memsw.limit_in_bytes"); got != "0" && got != fmt.Sprint(o.Memory) {
		t.Errorf("there is swap: %s", got)
	}
	limits, _ := execInBox(t, box, "cat /proc/1/limits")
	for _, want := range []string{"Max core file size 0 0", "Max msgqueue size 0 0", "Max open files 4096 4096"} {
		if !strings.Contains(strings.Join(strings.Fields(limits), " "), want) {
			t.Errorf("the limits lack %q:\n%s", want, limits)
		}
	}
}

func checkWritable(t *testing.T, box sandbox.Box, _ docker.Options) {
	found, _ := execInBox(t, box, `find / -path /proc -prune -o \( -type d -o -type f \) -writable -print 2>/dev/null`)
	var tops []string
	for path := range strings.Lines(found) {
		path = strings.TrimSpace(path)
		for _, top := range []string{"/tmp", "/dev/shm"} {
			if strings.HasPrefix(path, top+"/") {
				path = top
			}
		}
		tops = append(tops, path)
	}
	slices.Sort(tops)
	tops = slices.Compact(tops)
	if diff := cmp.Diff([]string{"/dev/mqueue", "/dev/shm", "/tmp"}, tops); diff != "" {
		t.Error(diff)
	}
	// message queues use memory that no limit counts, so their limit is 0 bytes
	if out, code := execInBox(t, box, "touch /dev/mqueue/queue"); code == 0 {
		t.Errorf("a message queue was made: %s", out)
	}
	mounts, _ := execInBox(t, box, "cat /proc/1/mounts")
	modes := map[string]string{} // mount point → options; proc_pid_mounts(5)
	for mount := range strings.Lines(mounts) {
		if f := strings.Fields(mount); len(f) > 3 {
			modes[f[1]] = f[3]
		}
	}
	for path, want := range map[string]string{
		"/": "ro,", bridge.MountPoint: "ro,", "/tmp": "rw,nosuid,nodev,noexec,", "/tmp/prof": "rw,nosuid,nodev,noexec,",
	} {
		if !strings.HasPrefix(modes[path], want) {
			t.Errorf("%s is mounted %q, want %q", path, modes[path], want)
		}
	}
	if out, code := execInBox(t, box, "cp /bin/true /tmp/prof/x && /tmp/prof/x"); code == 0 {
		t.Errorf("a written file can be executed: %s", out)
	}
}

func checkNetwork(t *testing.T, box sandbox.Box, _ docker.Options) {
	if devices, _ := execInBox(t, box, "ls /sys/class/net"); devices != "lo" {
		t.Errorf("interfaces: %s", devices)
	}
	if routes, _ := execInBox(t, box, "tail -n +2 /proc/net/route"); routes != "" {
		t.Errorf("routes: %s", routes)
	}
}

func checkSockets(t *testing.T, box sandbox.Box, o docker.Options) {
	for _, change := range []string{"touch x", "rm -f bridge.sock", "mv egress.sock e", "ln -s / s", "chmod 777 ."} {
		if out, code := execInBox(t, box, "cd "+bridge.MountPoint+" && "+change); code == 0 {
			t.Errorf("%s worked: %s", change, out)
		}
	}
	names, _ := execInBox(t, box, "ls "+bridge.MountPoint)
	if strings.Join(strings.Fields(names), " ") != bridge.BridgeSocket+" "+bridge.EgressSocket {
		t.Errorf("the folder of sockets holds %s", names)
	}
	info, err := os.Stat(o.SocketDir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("other users may enter %s: %v, %v", o.SocketDir, info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(o.SocketDir, box.Info().ID, bridge.BridgeSocket)); err != nil {
		t.Error(err)
	}
}

// Every process of a box can read the environment of its first process
// (proc_pid_environ(5)), so it must contain only what the guest needs.
func checkSecrets(t *testing.T, box sandbox.Box, _ docker.Options) {
	environment, _ := execInBox(t, box, `tr '\0' '\n' < /proc/1/environ | sort`)
	var names []string
	for line := range strings.Lines(environment) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
		names = append(names, name)
	}
	want := []string{
		"GLOVEBOX_GUEST_BOX", "GLOVEBOX_GUEST_DISPLAY", "GLOVEBOX_GUEST_HEADLESS", "GLOVEBOX_GUEST_LEASE", "GLOVEBOX_GUEST_PROFILE",
		"GLOVEBOX_GUEST_PUBLIC_KEY", "GLOVEBOX_GUEST_RESTARTS", "GLOVEBOX_GUEST_SCOPE", "GLOVEBOX_GUEST_SESSION",
		"HOME", "HOSTNAME", "LANG", "PATH",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(environment, "alice") {
		t.Error("the box got the scope itself and not its hash")
	}
}

func checkCalls(t *testing.T, box sandbox.Box, _ docker.Options) {
	for _, attempt := range []string{
		"unshare --mount true", "unshare --net true", "unshare --user --mount true", "mount -t tmpfs none /tmp",
		"nsenter --target 1 --mount true", "su -c true", "dmesg", "mknod /tmp/null c 1 3",
	} {
		if out, code := execInBox(t, box, attempt); code == 0 {
			t.Errorf("%s worked: %s", attempt, out)
		}
	}
}

func checkRenderers(t *testing.T, box sandbox.Box, _ docker.Options) {
	stream, err := box.CDP(testwait.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	if err := stream.Write([]byte(`{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}`)); err != nil {
		t.Fatal(err)
	}
	var renderers []sandbox.Renderer
	testwait.For(t, "there is a renderer", func() bool {
		h, err := box.Health(testwait.Context(t))
		if err != nil {
			t.Fatal(err)
		}
		renderers = h.Renderers
		return len(renderers) > 0
	})
	testwait.For(t, "every renderer is sandboxed", func() bool {
		h, err := box.Health(testwait.Context(t))
		if err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(h.Renderers, func(p sandbox.Renderer) bool { return !p.Sandboxed() })
	})
}

func checkFonts(t *testing.T, box sandbox.Box, _ docker.Options) {
	for _, language := range []string{":lang=zh-cn", ":lang=zh-tw", ":lang=ja", ":lang=ko", ":charset=1f600", ":lang=ru"} {
		if fonts, _ := execInBox(t, box, "fc-list "+language); fonts == "" {
			t.Errorf("no font for %s", language)
		}
	}
}
