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

// Inodes of the machine's first namespaces, the same on every machine
// (include/linux/proc_ns.h).
const (
	firstIPC = "ipc:[4026531839]"
	firstPID = "pid:[4026531836]"
)

// layered are the file systems engines make a container's root of. Some make
// it otherwise; then their mounts over single files show.
var layered = []string{"overlay", "fuse.fuse-overlayfs", "aufs"}

// placed are files that engines mount one by one (Docker, Podman and the
// kubelet alike): on a host they are files of its root.
var placed = []string{"/etc/hosts", "/etc/resolv.conf"}

// Contained returns nil inside a container, and otherwise what is missing. It
// asks the kernel only, through the /proc of this process: variables of the
// environment and marker files are there for anybody to make. All must hold:
//
//   - processes: a PID namespace that is not the machine's, and no kernel
//     threads to be seen, which only the machine's has;
//   - a root that an engine made: layered, or with files mounted one by one;
//   - an IPC namespace that is not the machine's.
//
// None can be had on a host without rights over it, but by making namespaces
// and a root of one's own: which is a container. Faults:
// sandbox_runtime_required.
func Contained() error {
	missing := errors.Join(ownNamespace("pid", firstPID), ownNamespace("ipc", firstIPC), noKernelThreads(), engineRoot())
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

// noKernelThreads looks for kthreadd, which is process 2 of a machine and the
// parent of all its kernel threads.
func noKernelThreads() error {
	name, err := os.ReadFile("/proc/2/comm")
	if err == nil && strings.TrimSpace(string(name)) == "kthreadd" {
		return errors.New("the machine's kernel threads are to be seen")
	}
	return nil
}

// engineRoot reads the mounts of this process (proc_pid_mountinfo(5): the
// mount point is the fifth field, the type the one after a single dash).
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
		switch place := filepath.Clean(fields[4]); {
		case place == "/":
			kind = fields[dash+1] // the last one mounted there is the one that is seen
		case slices.Contains(placed, place):
			found++
		}
	}
	if slices.Contains(layered, kind) || found == len(placed) {
		return nil
	}
	return fmt.Errorf("the root (%s) is not one that an engine made", kind)
}
