package guest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// children are the processes that the guest started. Orphans, which the guest
// adopts as the first process, are reaped by pid, so that Wait still gets the exit
// status of each child.
type children struct {
	mu      sync.Mutex
	started map[int]*child
}

// child is a process that the guest started, the leader of its process group.
type child struct {
	name string
	pid  int
	done chan struct{}
	exit string // why it ended; valid when done is closed
}

func newChildren() *children { return &children{started: map[int]*child{}} }

// start starts command as the leader of a process group and waits for it in the
// background.
func (c *children) start(name string, command *exec.Cmd) (*child, error) {
	command.WaitDelay = time.Second // its descendants may keep its output open
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the %s: %w", name, err)
	}
	p := &child{name: name, pid: command.Process.Pid, done: make(chan struct{})}
	c.started[p.pid] = p
	go func() {
		defer close(p.done)
		err := command.Wait()
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // the rest of its group
		p.exit = exitReason(command.ProcessState, err)
		c.mu.Lock()
		delete(c.started, p.pid)
		c.mu.Unlock()
	}()
	return p, nil
}

func exitReason(state *os.ProcessState, err error) string {
	if state == nil {
		return fmt.Sprint(err)
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("was ended by signal %d (%s)", status.Signal(), status.Signal())
	}
	return fmt.Sprintf("exited with status %d", state.ExitCode())
}

// stop sends SIGTERM to the child's group, and SIGKILL when it has not ended within
// grace. It returns when the child has been reaped.
func (p *child) stop(grace time.Duration) {
	_ = syscall.Kill(-p.pid, syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.kill()
		<-p.done
	}
}

func (p *child) kill() {
	select {
	case <-p.done: // the pid may belong to another process by now
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

// reapUntil reaps orphans whenever a process has ended, until done is closed.
func (c *children) reapUntil(done <-chan struct{}) {
	died := make(chan os.Signal, 1)
	signal.Notify(died, syscall.SIGCHLD)
	defer signal.Stop(died)
	for {
		c.reap()
		select {
		case <-died:
		case <-done:
			c.reap()
			return
		}
	}
}

// reap reaps the zombies among the guest's direct children that it did not start.
func (c *children) reap() {
	c.mu.Lock() // no child can start meanwhile
	defer c.mu.Unlock()
	all, err := processes()
	if err != nil {
		return // without /proc, orphans cannot be told from children
	}
	self := os.Getpid()
	for pid, p := range all {
		if !p.zombie || p.parent != self || c.started[pid] != nil {
			continue
		}
		for {
			_, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			if !errors.Is(err, syscall.EINTR) {
				break
			}
		}
	}
}
