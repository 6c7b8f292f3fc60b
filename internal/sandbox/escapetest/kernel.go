package escapetest

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const noHandle = ^uintptr(0) // an invalid file descriptor or process id

// mounts are attempts to change mounts.
func mounts() []Attempt {
	return calls("mounts", unix.EPERM, map[string]func() error{
		"mount a tmpfs": func() error { return unix.Mount("none", "/tmp", "tmpfs", 0, "") },
		"mount proc":    func() error { return unix.Mount("proc", "/tmp", "proc", 0, "") },
		"bind /":        func() error { return unix.Mount("/", "/tmp", "", unix.MS_BIND|unix.MS_REC, "") },
		"remount / for writing": func() error {
			return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")
		},
		"share mounts": func() error { return unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, "") },
		"umount /tmp":  func() error { return unix.Unmount("/tmp", unix.MNT_DETACH) },
		"pivot_root":   func() error { return unix.PivotRoot("/tmp", "/tmp") },
		"open_tree": func() error {
			_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
			return err
		},
		"fsopen":        func() error { _, err := unix.Fsopen("tmpfs", 0); return err },
		"fspick":        func() error { _, err := unix.Fspick(unix.AT_FDCWD, "/", 0); return err },
		"move_mount":    func() error { return unix.MoveMount(-1, "", -1, "", 0) },
		"mount_setattr": call(unix.SYS_MOUNT_SETATTR, noHandle),
		"swapon":        call(unix.SYS_SWAPON),
		"quotactl":      call(unix.SYS_QUOTACTL),
		"sync":          call(unix.SYS_SYNC),
	})
}

// namespaces are attempts to make or enter a namespace.
func namespaces() []Attempt {
	group := "namespaces"
	tries := map[string]func() error{}
	for name, flag := range map[string]int{
		"mount": unix.CLONE_NEWNS, "uts": unix.CLONE_NEWUTS, "ipc": unix.CLONE_NEWIPC, "cgroup": unix.CLONE_NEWCGROUP,
	} {
		tries["clone "+name] = func() error { return startIn(uintptr(flag)) }
		tries["clone user and "+name] = func() error { return startIn(unix.CLONE_NEWUSER | uintptr(flag)) }
	}
	for name, flag := range map[string]int{
		"mount": unix.CLONE_NEWNS, "uts": unix.CLONE_NEWUTS, "ipc": unix.CLONE_NEWIPC, "cgroup": unix.CLONE_NEWCGROUP,
		"net": unix.CLONE_NEWNET, "pid": unix.CLONE_NEWPID, "time": unix.CLONE_NEWTIME,
	} {
		tries["unshare "+name] = call(unix.SYS_UNSHARE, uintptr(flag))
		tries["unshare user and "+name] = call(unix.SYS_UNSHARE, uintptr(flag|unix.CLONE_NEWUSER))
	}
	for _, name := range []string{"mnt", "net", "pid", "user", "uts", "ipc", "cgroup"} {
		tries["setns "+name] = func() error { return enterNamespace(name) }
	}
	all := calls(group, unix.EPERM, tries)
	for name, flag := range map[string]uintptr{"net": unix.CLONE_NEWNET, "pid": unix.CLONE_NEWPID} {
		all = append(all, Attempt{Group: group, Name: "clone " + name, Want: []syscall.Errno{unix.EPERM}, NotInNamespace: true,
			Try: func() error { return startIn(flag) }})
	}
	return append(all,
		Attempt{Group: group, Name: "clone3", Want: []syscall.Errno{unix.ENOSYS}, Try: call(unix.SYS_CLONE3)},
		Attempt{Group: group, Name: "chroot", Want: []syscall.Errno{unix.EPERM}, NotInNamespace: true, Try: func() error { return unix.Chroot("/tmp") }})
}

// startIn starts a program in new namespaces.
func startIn(flags uintptr) error {
	command := exec.Command("/bin/true")
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return command.Run()
}

// enterNamespace joins a namespace of the first process, or its own if it cannot open that.
func enterNamespace(name string) error {
	f, err := os.Open("/proc/1/ns/" + name)
	if err != nil {
		f, err = os.Open("/proc/self/ns/" + name)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Setns(int(f.Fd()), 0)
}

// Memory for the calls to read and write. It is global, so that it does not move.
var (
	buffer [8]byte
	iovec  = unix.Iovec{Base: &buffer[0], Len: uint64(len(buffer))}
)

// processes are attempts to access the memory and files of other processes.
func processes() []Attempt {
	group := "other processes"
	at := uintptr(unsafe.Pointer(&iovec))
	all := calls(group, unix.EPERM, map[string]func() error{
		"ptrace attach":     call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, 1),
		"ptrace seize":      call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, 1),
		"ptrace traceme":    call(unix.SYS_PTRACE, unix.PTRACE_TRACEME),
		"process_vm_readv":  call(unix.SYS_PROCESS_VM_READV, 1, at, 1, at, 1),
		"process_vm_writev": call(unix.SYS_PROCESS_VM_WRITEV, 1, at, 1, at, 1),
		"kcmp":              call(unix.SYS_KCMP, 1, 1),
		"pidfd_getfd":       call(unix.SYS_PIDFD_GETFD, noHandle),
		"process_madvise":   call(unix.SYS_PROCESS_MADVISE, noHandle),
		"process_mrelease":  call(unix.SYS_PROCESS_MRELEASE, noHandle),
		"move_pages":        call(unix.SYS_MOVE_PAGES, 1),
		"migrate_pages":     call(unix.SYS_MIGRATE_PAGES, 1),
	})
	return append(all,
		Attempt{Group: group, Name: "see one of another user", Want: []syscall.Errno{unix.ESRCH}, Try: seeOtherUser},
		Attempt{Group: group, Name: "go after the gateway when memory is short", Want: []syscall.Errno{unix.EACCES},
			Try: func() error { return writeFile("/proc/self/oom_score_adj", "-1") }})
}

// kernel are system calls with a history of bugs that a browser does not need.
func kernel() []Attempt {
	all := calls("kernel", unix.EPERM, map[string]func() error{
		"bpf": call(unix.SYS_BPF), "perf_event_open": call(unix.SYS_PERF_EVENT_OPEN), "userfaultfd": call(unix.SYS_USERFAULTFD),
		"io_uring_setup": call(unix.SYS_IO_URING_SETUP, 1), "io_uring_enter": call(unix.SYS_IO_URING_ENTER, noHandle),
		"io_uring_register": call(unix.SYS_IO_URING_REGISTER, noHandle), "io_setup": call(unix.SYS_IO_SETUP, 1),
		"add_key": call(unix.SYS_ADD_KEY), "request_key": call(unix.SYS_REQUEST_KEY), "keyctl": call(unix.SYS_KEYCTL),
		"init_module": call(unix.SYS_INIT_MODULE), "finit_module": call(unix.SYS_FINIT_MODULE, noHandle), "delete_module": call(unix.SYS_DELETE_MODULE),
		"kexec_load": call(unix.SYS_KEXEC_LOAD), "kexec_file_load": call(unix.SYS_KEXEC_FILE_LOAD, noHandle),
		"open_by_handle_at": call(unix.SYS_OPEN_BY_HANDLE_AT, noHandle), "name_to_handle_at": call(unix.SYS_NAME_TO_HANDLE_AT, noHandle),
		"fanotify_init": call(unix.SYS_FANOTIFY_INIT), "memfd_secret": call(unix.SYS_MEMFD_SECRET, noHandle), "vmsplice": call(unix.SYS_VMSPLICE, noHandle),
		"personality": call(unix.SYS_PERSONALITY, 0x0040000), // ADDR_NO_RANDOMIZE
		"msgget":      call(unix.SYS_MSGGET), "mq_open": call(unix.SYS_MQ_OPEN),
		"remap_file_pages": call(unix.SYS_REMAP_FILE_PAGES), "lookup_dcookie": call(unix.SYS_LOOKUP_DCOOKIE), "nfsservctl": call(unix.SYS_NFSSERVCTL),
	})
	return append(all, archCalls()...)
}

// machine are attempts to change settings of the whole machine.
func machine() []Attempt {
	return calls("machine", unix.EPERM, map[string]func() error{
		"reboot": call(unix.SYS_REBOOT), "syslog": call(unix.SYS_SYSLOG, 2), "acct": call(unix.SYS_ACCT), "vhangup": call(unix.SYS_VHANGUP),
		"settimeofday": call(unix.SYS_SETTIMEOFDAY), "clock_settime": call(unix.SYS_CLOCK_SETTIME), "adjtimex": call(unix.SYS_ADJTIMEX),
		"clock_adjtime": call(unix.SYS_CLOCK_ADJTIME), "sethostname": call(unix.SYS_SETHOSTNAME), "setdomainname": call(unix.SYS_SETDOMAINNAME),
		"swapoff": call(unix.SYS_SWAPOFF),
	})
}
