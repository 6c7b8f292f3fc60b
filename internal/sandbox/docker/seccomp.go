package docker

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

// Flags of namespaces that clone and unshare must not make. Chromium's sandbox
// makes a user, a process and a network namespace for a renderer (with clone, the
// user namespace also with unshare) and needs no other; tested with Chromium 150
// to 156.
const (
	refusedCloneFlags   = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC
	refusedUnshareFlags = refusedCloneFlags | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME
)

// removedCalls are the system calls that the engine's default profile allows but that a
// box does not need. A page cannot exploit a kernel bug in one of them.
var removedCalls = []string{
	// memory and file descriptors of other processes
	"kcmp", "pidfd_getfd", "process_madvise", "process_mrelease",
	"process_vm_readv", "process_vm_writev", "ptrace",
	// asynchronous input and output
	"io_cancel", "io_destroy", "io_getevents", "io_pgetevents", "io_pgetevents_time64", "io_setup",
	"io_submit", "io_uring_enter", "io_uring_register", "io_uring_setup",
	// message queues and semaphores (System V shared memory stays: Xvfb's MIT-SHM)
	"ipc", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedreceive_time64",
	"mq_timedsend", "mq_timedsend_time64", "mq_unlink", "msgctl", "msgget", "msgrcv", "msgsnd",
	// the machine's clock
	"adjtimex", "clock_adjtime", "clock_adjtime64",
	// file handles, special files, whole file systems, mounts
	"fanotify_mark", "listmount", "mknod", "mknodat", "name_to_handle_at", "statmount", "sync", "syncfs",
	// rarely used calls with a history of bugs
	"epoll_ctl_old", "epoll_wait_old", "map_shadow_stack", "memfd_secret", "modify_ldt", "personality",
	"remap_file_pages", "socketcall", "swapcontext", "uretprobe", "userfaultfd", "vmsplice",
}

// SeccompProfile returns the seccomp profile of a box as the JSON that an engine accepts:
// the engine's default (github.com/moby/profiles) without its rules for
// capabilities, of which a box has none, without the removed calls, and with what
// Chromium's own sandbox needs. An unlisted call fails with EPERM. clone3 fails
// with ENOSYS, because seccomp cannot see its flags and callers then use clone. The
// 32-bit forms of the calls are not allowed.
func SeccompProfile() (string, error) {
	p := seccomp.DefaultProfile()
	for i := range p.ArchMap {
		p.ArchMap[i].SubArches = []specs.Arch{}
	}
	p.Syscalls = append(applicableRules(p.Syscalls), sandboxRules()...)
	data, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("cannot encode the seccomp profile: %w", err)
	}
	return string(data), nil
}

// applicableRules returns the rules of the default that apply to a box and are not replaced.
func applicableRules(rules []*seccomp.Syscall) []*seccomp.Syscall {
	replaced := []string{"clone", "unshare", "chroot", "socket"}
	var applicable []*seccomp.Syscall
	for _, rule := range rules {
		if rule.Includes != nil && len(rule.Includes.Caps) > 0 {
			continue
		}
		rule.Names = slices.DeleteFunc(rule.Names, func(name string) bool {
			return slices.Contains(removedCalls, name) || slices.Contains(replaced, name)
		})
		if len(rule.Names) > 0 {
			applicable = append(applicable, rule)
		}
	}
	return applicable
}

// sandboxRules returns our own rules. On s390 the flags are clone's second argument.
func sandboxRules() []*seccomp.Syscall {
	s390 := &seccomp.Filter{Arches: []string{"s390", "s390x"}}
	cloned := allow("clone", noneOf(0, refusedCloneFlags))
	cloned.Excludes = s390
	clonedS390 := allow("clone", noneOf(1, refusedCloneFlags))
	clonedS390.Includes = s390
	return []*seccomp.Syscall{
		cloned,
		clonedS390,
		allow("unshare", noneOf(0, refusedUnshareFlags)),
		allow("chroot"), // needs a capability, which a process has only in its own user namespace
		allow("socket", equals(0, unix.AF_UNIX)),
		allow("socket", equals(0, unix.AF_INET)),
		allow("socket", equals(0, unix.AF_INET6)),
		allow("socket", equals(0, unix.AF_NETLINK), equals(2, unix.NETLINK_ROUTE)),
	}
}

func allow(name string, args ...specs.LinuxSeccompArg) *seccomp.Syscall {
	return &seccomp.Syscall{LinuxSyscall: specs.LinuxSyscall{
		Names: []string{name}, Action: specs.ActAllow, Args: args,
	}}
}

// noneOf matches an argument in which no bit of mask is set.
func noneOf(index uint, mask uint64) specs.LinuxSeccompArg {
	return specs.LinuxSeccompArg{Index: index, Value: mask, ValueTwo: 0, Op: specs.OpMaskedEqual}
}

func equals(index uint, value uint64) specs.LinuxSeccompArg {
	return specs.LinuxSeccompArg{Index: index, Value: value, Op: specs.OpEqualTo}
}
