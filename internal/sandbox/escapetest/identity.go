package escapetest

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// identity are attempts to change the user or to gain capabilities.
func identity() []Attempt {
	group := "identity"
	var all []Attempt
	for _, a := range calls(group, unix.EPERM, map[string]func() error{
		"setuid": call(unix.SYS_SETUID), "setgid": call(unix.SYS_SETGID), "setgroups": call(unix.SYS_SETGROUPS),
		"setresuid": call(unix.SYS_SETRESUID), "setresgid": call(unix.SYS_SETRESGID), "setreuid": call(unix.SYS_SETREUID),
		"capset":             capset,
		"ambient capability": call(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, unix.CAP_SYS_ADMIN),
		"securebits":         call(unix.SYS_PRCTL, unix.PR_SET_SECUREBITS, 1),
	}) {
		a.NotInNamespace = true
		all = append(all, a)
	}
	return append(all,
		Attempt{Group: group, Name: "take back no_new_privs", Want: []syscall.Errno{unix.EINVAL}, Try: call(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 0)},
		Attempt{Group: group, Name: "take back seccomp", Want: []syscall.Errno{unix.EINVAL}, Try: call(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, 0)},
		// /proc shows the process numbers of the namespace in which it was mounted. A process
		// in a new one has another number, so that its file in /proc may not be there: ENOENT.
		Attempt{Group: group, Name: "become another user of a name space of its own", Want: []syscall.Errno{unix.EPERM, unix.ENOENT},
			Try: func() error { return mapUser(0) }},
		Attempt{Group: group, Name: "su", Want: []syscall.Errno{unix.EPERM}, Try: su})
}

// capset requests a capability that engines grant by default.
func capset() error {
	all := unix.CapUserData{Effective: 1 << unix.CAP_SETFCAP, Permitted: 1 << unix.CAP_SETFCAP}
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &[]unix.CapUserData{all, {}}[0])
}

// mapUser makes a user namespace that maps a user of the machine.
func mapUser(user int) error {
	command := exec.Command("/bin/true")
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: user, Size: 1}}}
	return command.Run()
}

// su runs the programs that start others as root.
func su() error {
	for _, line := range [][]string{{"su", "-c", "true"}, {"sudo", "-n", "true"}, {"pkexec", "true"}} {
		if exec.Command(line[0], line[1:]...).Run() == nil {
			return nil
		}
	}
	return unix.EPERM
}

// seeOtherUser looks for a process of another user.
func seeOtherUser() error {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	mine := strconv.Itoa(os.Getuid())
	for _, entry := range all {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		status, err := os.ReadFile("/proc/" + entry.Name() + "/status")
		if err == nil && !strings.Contains(string(status), "\nUid:\t"+mine+"\t") {
			return nil
		}
	}
	return unix.ESRCH
}
