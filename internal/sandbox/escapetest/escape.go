// Package escapetest is what a process in a box tries in order to get out, or to do
// harm: each attempt with the answers that it must get. Tests run it behind the
// walls of a real box; no other program has it.
package escapetest

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Attempt is one way to try.
type Attempt struct {
	Group string // what it is about, for people
	Name  string // the call or the file; unique in its group
	Want  []syscall.Errno
	Try   func() error // nil is success, which is what must not be

	// Outside is set for what is refused to the box and harmless, or not to be
	// had, in a user namespace that a process in it makes for itself.
	Outside bool
}

// Answer is what an attempt got.
type Answer struct {
	Group, Name string
	Errno       string // "EPERM"; empty for success, or another error's text
}

// All lists every attempt.
func All() []Attempt {
	return slices.Concat(mounts(), namespaces(), processes(), kernel(), machine(), identity(), sockets(), network(), devices(), files())
}

// Run makes every attempt; own says that this is in a user namespace of its
// own.
func Run(own bool) []Answer {
	var answers []Answer
	for _, a := range All() {
		if !own || !a.Outside {
			answers = append(answers, Answer{Group: a.Group, Name: a.Name, Errno: named(a.Try())})
		}
	}
	return answers
}

// Holds reports whether an answer is one that the attempt must get.
func (a Attempt) Holds(answer Answer) bool {
	return slices.ContainsFunc(a.Want, func(want syscall.Errno) bool { return unix.ErrnoName(want) == answer.Errno })
}

// Expected names the answers that the attempt must get.
func (a Attempt) Expected() string {
	names := make([]string, len(a.Want))
	for i, want := range a.Want {
		names[i] = unix.ErrnoName(want)
	}
	return strings.Join(names, " or ")
}

// named is the name of the error number in err.
func named(err error) string {
	var number syscall.Errno
	switch {
	case err == nil:
		return ""
	case errors.As(err, &number):
		return unix.ErrnoName(number)
	}
	return err.Error()
}

// errNothing says that an attempt was let through and gave nothing: masked
// files are empty.
const errNothing = syscall.ENODATA

// call is the attempt to make a system call with arguments that do nothing if it
// is let through.
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

// calls makes attempts of system calls, which all must get the same answer.
func calls(group string, want syscall.Errno, byName map[string]func() error) []Attempt {
	var all []Attempt
	for name, try := range byName {
		all = append(all, Attempt{Group: group, Name: name, Want: []syscall.Errno{want}, Try: try})
	}
	slices.SortFunc(all, func(a, b Attempt) int { return strings.Compare(a.Name, b.Name) })
	return all
}
