package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Inodes of the machine's initial namespaces, the same on every machine
// (include/linux/proc_ns.h).
const (
	machineIPC = "ipc:[4026531839]"
	machinePID = "pid:[4026531836]"
)

// layeredFileSystems are the types of file systems from which engines make a container's root.
// For engines that use others, engineRoot looks for mountedFiles.
var layeredFileSystems = []string{"overlay", "fuse.fuse-overlayfs", "aufs"}

// mountedFiles are files over which engines (Docker, Podman, the kubelet) mount a single
// file each. On a host they are ordinary files.
var mountedFiles = []string{"/etc/hosts", "/etc/resolv.conf"}

// Contained returns nil inside a container, and otherwise a fault with the reasons.
// It only uses what the kernel shows in this process's /proc, because anybody can
// set environment variables or make marker files. All of these must hold:
//
//   - the PID namespace is not the machine's, and no kernel threads are visible,
//     which exist only in the machine's;
//   - an engine made the root: it is layered, or has files mounted one by one;
//   - the IPC namespace is not the machine's.
//
// Without rights over the host, a process can only meet them in namespaces and a
// root of its own, which are a container. Faults: sandbox_runtime_required.
func Contained() error {
	missing := errors.Join(ownNamespace("pid", machinePID), ownNamespace("ipc", machineIPC), noKernelThreads(), engineRoot())
	if missing == nil {
		return nil
	}
	return fault.New(fault.SandboxRuntimeRequired, "browser.sandbox.driver local runs in a container only, and this is none").
		Hinted("use driver docker here, or start the all-in-one image (glovebox image build --all-in-one); do not retry before").
		With("missing", strings.Split(missing.Error(), "\n")).Because(missing)
}

func ownNamespace(kind, first string) error {
	here, err := os.Readlink("/proc/self/ns/" + kind)
	if err != nil {
		return fmt.Errorf("the %s namespace cannot be read: %w", kind, err)
	}
	if here == first {
		return fmt.Errorf("the %s namespace is the machine's", kind)
	}
	return nil
}

// noKernelThreads looks for kthreadd, which on a machine is process 2 and the parent
// of all kernel threads.
func noKernelThreads() error {
	name, err := os.ReadFile("/proc/2/comm")
	if err == nil && strings.TrimSpace(string(name)) == "kthreadd" {
		return errors.New("the machine's kernel threads are to be seen")
	}
	return nil
}

// engineRoot reads the mounts of this process (proc_pid_mountinfo(5): the mount point
// is the fifth field, the type follows a field with a single dash).
func engineRoot() error {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("the mounts cannot be read: %w", err)
	}
	kind, found := "", 0
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-")
		if dash < 5 || dash+1 >= len(fields) {
			continue
		}
		switch mountPoint := filepath.Clean(fields[4]); {
		case mountPoint == "/":
			kind = fields[dash+1] // a later mount hides an earlier one
		case slices.Contains(mountedFiles, mountPoint):
			found++
		}
	}
	if slices.Contains(layeredFileSystems, kind) || found == len(mountedFiles) {
		return nil
	}
	return fmt.Errorf("the root (%s) is not one that an engine made", kind)
}
