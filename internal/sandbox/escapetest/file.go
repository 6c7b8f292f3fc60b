package escapetest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// devices are attempts to make or open a device file.
func devices() []Attempt {
	group := "devices"
	tries := map[string]func() error{}
	for name, device := range map[string]uint64{
		"a disk": unix.Mkdev(8, 0), "memory": unix.Mkdev(1, 1), "null": unix.Mkdev(1, 3), "tun": unix.Mkdev(10, 200), "kmsg": unix.Mkdev(1, 11),
	} {
		kind := uint32(unix.S_IFCHR)
		if name == "a disk" {
			kind = unix.S_IFBLK
		}
		tries["mknod "+name] = func() error { return unix.Mknod("/tmp/device", kind|0o666, int(device)) }
	}
	all := calls(group, unix.EPERM, tries)
	for _, path := range []string{
		"mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "mapper/control", "loop0", "loop-control", "fuse", "net/tun", "kvm", "vhost-net",
		"vsock", "dri/card0", "dri/renderD128", "snd/controlC0", "video0", "input/event0", "uinput", "hpet", "cpu/0/msr", "mapper", "bus/usb",
	} {
		all = append(all, Attempt{Group: group, Name: "/dev/" + path, Want: []syscall.Errno{unix.ENOENT}, Try: func() error { return openFile("/dev/"+path, os.O_RDONLY) }})
	}
	return append(all, Attempt{Group: group, Name: "one of another name", Want: []syscall.Errno{unix.ENOENT}, Try: unknownDevice})
}

// standardDevices are the files that every container has in /dev: the devices of the OCI runtime
// specification ("Default Devices") and files that are not devices.
var standardDevices = map[string]bool{
	"null": true, "zero": true, "full": true, "random": true, "urandom": true, "tty": true, "console": true, "ptmx": true,
	"pts": true, "shm": true, "mqueue": true, "fd": true, "stdin": true, "stdout": true, "stderr": true, "core": true,
}

func unknownDevice() error {
	entries, err := os.ReadDir("/dev")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !standardDevices[entry.Name()] {
			return nil
		}
	}
	return unix.ENOENT
}

// files are attempts to change files of the box or the machine, and to read what
// describes the machine.
func files() []Attempt {
	closed := []syscall.Errno{unix.EROFS, unix.EACCES, unix.EPERM, unix.ENOENT}
	var all []Attempt
	for _, path := range []string{
		"/etc/passwd", "/etc/ld.so.preload", "/usr/local/bin/glovebox", "/usr/lib/chromium/chromium", "/etc/chromium/policies/managed/glovebox.json",
		"/root/x", "/x", "/run/x", "/var/x", "/home/x", "/run/glovebox/x",
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/yama/ptrace_scope",
		"/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/binfmt_misc/register", "/proc/sysrq-trigger", "/proc/irq/0/smp_affinity",
		"/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/power/state", "/sys/module/kernel/parameters/panic",
		"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/pids/pids.max",
		"/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/devices/devices.allow",
	} {
		all = append(all, Attempt{Group: "writing", Name: path, Want: closed, Try: func() error { return writeFile(path, "1") }})
	}
	for _, path := range []string{"/sys/fs/cgroup/x", "/sys/fs/cgroup/memory/x", "/sys/fs/cgroup/pids/x"} {
		all = append(all, Attempt{Group: "writing", Name: "make " + path, Want: closed, Try: func() error { return os.Mkdir(path, 0o755) }})
	}
	for _, path := range []string{
		"/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats", "/proc/kpagecount", "/proc/vmallocinfo",
		"/proc/slabinfo", "/sys/kernel/debug", "/sys/kernel/tracing/trace", "/sys/firmware/acpi/tables/DSDT", "/sys/firmware/dmi/tables/DMI", "/etc/shadow",
	} {
		all = append(all, Attempt{Group: "reading", Name: path, Want: append([]syscall.Errno{errNoData}, closed...), Try: func() error { return readFile(path) }})
	}
	for _, path := range []string{
		"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/crio/crio.sock", "/run/dbus/system_bus_socket",
	} {
		all = append(all, Attempt{Group: "sockets of engines", Name: path, Want: []syscall.Errno{unix.ENOENT, unix.EACCES}, Try: func() error { _, err := os.Stat(path); return err }})
	}
	for _, folder := range []string{"/tmp", "/tmp/prof", "/dev/shm"} {
		all = append(all, Attempt{Group: "running what was written", Name: folder, Want: []syscall.Errno{unix.EACCES}, Try: func() error { return runFrom(folder) }})
	}
	return append(all, Attempt{Group: "running what was written", Name: "leave by chroot and ..", Want: []syscall.Errno{unix.EPERM, unix.EACCES}, NotInNamespace: true, Try: escapeChroot})
}

func openFile(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0)
	if err == nil {
		_ = f.Close()
	}
	return err
}

// writeFile writes to a file and makes it if it does not exist.
func writeFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// readFile reads the first bytes of a file, or the first name in a folder.
func readFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		names, err := f.Readdirnames(1)
		if len(names) > 0 {
			return nil
		}
		return noData(err)
	}
	n, err := f.Read(make([]byte, 16))
	if n > 0 {
		return nil
	}
	return noData(err)
}

func noData(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return errNoData
	}
	return err
}

// runFrom copies a program to a folder and runs it there.
func runFrom(folder string) error {
	program, err := os.ReadFile("/bin/true")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "program")
	if err := os.WriteFile(path, program, 0o700); err != nil {
		return err
	}
	defer os.Remove(path)
	return exec.Command(path).Run()
}

// escapeChroot uses the classic escape from a chroot: a second chroot, then "..".
func escapeChroot() error {
	if err := os.Mkdir("/tmp/deep", 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := unix.Chroot("/tmp/deep"); err != nil {
		return err
	}
	for range 32 {
		if err := os.Chdir(".."); err != nil {
			return err
		}
	}
	return unix.Chroot(".")
}
