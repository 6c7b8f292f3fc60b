// escape makes every attempt of internal/sandbox/escapetest and prints the answers
// as JSON. The argument "own" makes them in new namespaces; "one" makes a single
// attempt, by its name.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/gloveboxhq/glovebox/internal/sandbox/escapetest"
)

func main() {
	runtime.LockOSThread()
	if len(os.Args) > 1 && os.Args[1] == "own" {
		again()
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "one" {
		one(os.Args[2])
		return
	}
	answers := escapetest.Run(len(os.Args) > 1 && os.Args[1] == "inside")
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// one makes one attempt and prints its result.
func one(name string) {
	for _, a := range escapetest.All() {
		if a.Group+": "+a.Name == name {
			if err := a.Try(); err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println("succeeded")
		}
	}
}

// again runs this program in new namespaces, as Chromium makes them for a renderer:
// they give a process the most rights that it can get in a box.
func again() {
	command := exec.Command("/proc/self/exe", "inside")
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
