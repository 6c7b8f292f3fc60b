package escapetest

import "golang.org/x/sys/unix"

// archCalls returns the calls that only this processor has: for ports, segments,
// and old calls.
func archCalls() []Attempt {
	return calls("kernel", unix.EPERM, map[string]func() error{
		"iopl": call(unix.SYS_IOPL, 3), "ioperm": call(unix.SYS_IOPERM, 0, 1, 1), "modify_ldt": call(unix.SYS_MODIFY_LDT, 1),
		"uselib": call(unix.SYS_USELIB), "ustat": call(unix.SYS_USTAT), "sysfs": call(unix.SYS_SYSFS), "_sysctl": call(unix.SYS__SYSCTL),
		"create_module": call(unix.SYS_CREATE_MODULE),
	})
}
