// Package escapetest has the attempts of a process in a box to escape or to do harm,
// each with the errors that it must get. Tests run them inside a real box.
package escapetest

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Attempt is one attempt to escape or to do harm.
type Attempt struct {
	Group string // subject, for the documentation
	Name  string // the call or the file; unique in its group
	Want  []syscall.Errno
	Try   func() error // nil if the attempt succeeded, which is a failure of the box

	// NotInNamespace means that the attempt is refused in the box, but is harmless or
	// impossible in a user namespace that a process of the box makes.
	NotInNamespace bool
}

// Answer is the result of an attempt.
type Answer struct {
	Group, Name string
	Errno       string // "EPERM"; empty for success, or another error's text
}

// All returns every attempt.
func All() []Attempt {
	return slices.Concat(mounts(), namespaces(), processes(), kernel(), machine(), identity(), sockets(), network(), devices(), files())
}

// Run makes every attempt. inNamespace means that the process runs in a user namespace
// that it made.
func Run(inNamespace bool) []Answer {
	var answers []Answer
	for _, a := range All() {
		if !inNamespace || !a.NotInNamespace {
			answers = append(answers, Answer{Group: a.Group, Name: a.Name, Errno: errnoName(a.Try())})
		}
	}
	return answers
}

// Matches reports whether an answer is one of the expected errors.
func (a Attempt) Matches(answer Answer) bool {
	return slices.ContainsFunc(a.Want, func(want syscall.Errno) bool { return unix.ErrnoName(want) == answer.Errno })
}

// Expected returns the names of the expected errors.
func (a Attempt) Expected() string {
	names := make([]string, len(a.Want))
	for i, want := range a.Want {
		names[i] = unix.ErrnoName(want)
	}
	return strings.Join(names, " or ")
}

// errnoName returns the name of err's error number.
func errnoName(err error) string {
	var number syscall.Errno
	switch {
	case err == nil:
		return ""
	case errors.As(err, &number):
		return unix.ErrnoName(number)
	}
	return err.Error()
}

// errNoData means that the attempt succeeded but returned no data, as for masked
// files, which are empty.
const errNoData = syscall.ENODATA

// call returns an attempt to make a system call. The arguments do no harm if it
// succeeds.
func call(number uintptr, args ...uintptr) func() error {
	var six [6]uintptr
	copy(six[:], args)
	return func() error {
		_, _, errno := unix.Syscall6(number, six[0], six[1], six[2], six[3], six[4], six[5])
		if errno != 0 {
			return errno
		}
		return nil
	}
}

// calls returns attempts to make system calls, with one expected error for all.
func calls(group string, want syscall.Errno, byName map[string]func() error) []Attempt {
	var all []Attempt
	for name, try := range byName {
		all = append(all, Attempt{Group: group, Name: name, Want: []syscall.Errno{want}, Try: try})
	}
	slices.SortFunc(all, func(a, b Attempt) int { return strings.Compare(a.Name, b.Name) })
	return all
}
