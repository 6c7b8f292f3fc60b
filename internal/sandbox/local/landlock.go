package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// minLandlock is the first version of Landlock (landlock(7)) in which a program can
// rename files between folders, as Chromium does.
const minLandlock = 2

// Rights of Landlock.
const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV // the rights that a rule for a file may have
	allRights = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV<<1 - 1 // all rights of version 5
)

// landlockVersion returns the version of Landlock that the kernel has enabled, 0 for none.
func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// handledRights returns the rights that a version of Landlock knows. The rules deny them
// for every path without a rule.
func handledRights(version int) uint64 {
	rights := uint64(allRights)
	for since, right := range map[int]uint64{
		3: unix.LANDLOCK_ACCESS_FS_TRUNCATE, 5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
	} {
		if version < since {
			rights &^= right
		}
	}
	return rights
}

// restrictFiles restricts this thread, and every process that it starts, to the files
// that a browser needs: programs and fonts for reading, /proc and /dev, its own
// folder, and /tmp for the display. It cannot access the gateway's state or the
// folders of other boxes. Since version 6 it cannot signal processes outside the box
// either.
func (c BoxConfig) restrictFiles() error {
	version := landlockVersion()
	if version < minLandlock {
		return errors.New("the kernel has no Landlock")
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: handledRights(version)}
	size := unsafe.Offsetof(rules.Handled_access_net) // the size of the struct in version 1
	if version >= 6 {
		rules.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(rules.Quiet_access_fs)
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0)
	if errno != 0 {
		return fmt.Errorf("cannot make Landlock rules: %w", errno)
	}
	defer func() { _ = unix.Close(int(set)) }()
	for path, rights := range c.allowedPaths() {
		if err := addRule(int(set), path, rights&rules.Handled_access_fs); err != nil {
			return fmt.Errorf("cannot open %s by Landlock: %w", path, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return fmt.Errorf("cannot enforce Landlock rules: %w", errno)
	}
	return nil
}

// allowedPaths returns the paths that a box may use, with the rights it has there.
func (c BoxConfig) allowedPaths() map[string]uint64 {
	paths := map[string]uint64{
		"/proc": allRights, // the kernel restricts access by itself
		"/dev":  allRights,
		"/tmp":  allRights,
		c.Home:  allRights,
	}
	for _, path := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/sys", "/var/cache/fontconfig", policyFile, c.Sockets} {
		paths[path] = readRights
	}
	if program, err := os.Executable(); err == nil {
		paths[program] = readRights
	}
	return paths
}

// addRule adds a rule for a path, if it exists.
func addRule(set int, path string, rights uint64) error {
	file, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(file) }()
	var stat unix.Stat_t
	if err := unix.Fstat(file, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(file)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
