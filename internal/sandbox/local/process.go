package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// process identifies the first process of a box, even when its pid is used again.
type process struct {
	PID       int    `json:"pid"`
	Started   string `json:"started"`   // in ticks since the machine's start (proc_pid_stat(5), field 22)
	Namespace uint64 `json:"namespace"` // inode of its user namespace, which no process of the box can leave
}

// identify reads the start time and the user namespace of a process.
func identify(pid int) (process, error) {
	started, err := startTime(pid)
	if err != nil {
		return process{}, err
	}
	var stat unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d/ns/user", pid), &stat); err != nil {
		return process{}, fmt.Errorf("cannot read the user namespace of a box: %w", err)
	}
	return process{PID: pid, Started: started, Namespace: stat.Ino}, nil
}

// startTime returns the start time of a process. It fails for one that does not exist
// and for a zombie.
func startTime(pid int) (string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	const state, start = 0, 19 // positions after the name
	if len(fields) <= start || fields[state] == "Z" {
		return "", errors.New("the process has ended")
	}
	return fields[start], nil
}

func (p process) alive() bool {
	started, err := startTime(p.PID)
	return err == nil && started == p.Started
}

// openPidfd opens a pidfd of the process (pidfd_open(2)).
func (p process) openPidfd() (*os.File, error) {
	fd, err := unix.PidfdOpen(p.PID, unix.PIDFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("cannot watch process %d: %w", p.PID, err)
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	if !p.alive() { // checked after opening: the pid may have been used again before
		_ = file.Close()
		return nil, errors.New("the process has ended")
	}
	return file, nil
}

// waitExit waits until the process has ended or ctx ends. It reports true for the former.
func waitExit(ctx context.Context, pidfd *os.File) bool {
	unblock := context.AfterFunc(ctx, func() { _ = pidfd.SetReadDeadline(time.Now()) })
	defer unblock()
	raw, err := pidfd.SyscallConn()
	if err != nil {
		return false
	}
	over := false
	_ = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		over = err == nil && n == 1
		return over
	})
	return over
}

func sendSignal(pidfd *os.File, s unix.Signal) {
	raw, err := pidfd.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.PidfdSendSignal(int(fd), s, nil, 0) })
}

// reap reaps a process if it was a child of this one.
func reap(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

const killRetryPause = 20 * time.Millisecond // for killed processes to end

// killNamespace kills every process in a user namespace or its descendants, and repeats that
// until there is none.
func killNamespace(ctx context.Context, namespace uint64) error {
	for {
		left := processesIn(namespace)
		if len(left) == 0 {
			return nil
		}
		for _, pid := range left {
			_ = unix.Kill(pid, unix.SIGKILL)
			reap(pid)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d processes are left: %w", len(left), ctx.Err())
		case <-time.After(killRetryPause):
		}
	}
}

// processesIn lists the processes in a user namespace or its descendants.
func processesIn(namespace uint64) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && inNamespace(pid, namespace) {
			found = append(found, pid)
		}
	}
	return found
}

const maxNesting = 32 // the kernel's limit on nested user namespaces (user_namespaces(7))

// inNamespace reports whether the user namespace of a process is namespace or a descendant
// of it (ioctl_nsfs(2)).
func inNamespace(pid int, namespace uint64) bool {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/user", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	for range maxNesting {
		if err != nil {
			return false
		}
		var stat unix.Stat_t
		here := unix.Fstat(fd, &stat) == nil && stat.Ino == namespace
		parent, up := unix.IoctlRetInt(fd, unix.NS_GET_PARENT)
		_ = unix.Close(fd)
		if here {
			if up == nil {
				_ = unix.Close(parent)
			}
			return true
		}
		fd, err = parent, up
	}
	if err == nil {
		_ = unix.Close(fd)
	}
	return false
}
