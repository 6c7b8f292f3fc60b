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

// children are the processes that we started and wait for. Orphans that came
// to us as the first process are reaped apart, by pid, so that no exit status
// is taken from those who wait for it.
type children struct {
	mu  sync.Mutex
	own map[int]*child
}

// child is a process that we started, leader of its own process group.
type child struct {
	name string
	pid  int
	done chan struct{}
	exit string // why it ended; to be read after done
}

func newChildren() *children { return &children{own: map[int]*child{}} }

// start starts command as the leader of a group and waits for it in the
// background.
func (c *children) start(name string, command *exec.Cmd) (*child, error) {
	command.WaitDelay = time.Second // what it left behind may hold its output open
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the %s: %w", name, err)
	}
	p := &child{name: name, pid: command.Process.Pid, done: make(chan struct{})}
	c.own[p.pid] = p
	go func() {
		defer close(p.done)
		err := command.Wait()
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // what is left of its group
		p.exit = exitReason(command.ProcessState, err)
		c.mu.Lock()
		delete(c.own, p.pid)
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

// stop ends the child: a chance of grace to end by itself, then SIGKILL for
// its group. It returns when the child has been reaped.
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
	case <-p.done: // its number may be another's by now
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
}

// reapUntil reaps orphans whenever a child has ended, until done is closed.
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

// reap takes the exit of every zombie below us that we did not start.
func (c *children) reap() {
	c.mu.Lock() // nothing of ours starts meanwhile
	defer c.mu.Unlock()
	all, err := processes()
	if err != nil {
		return // without /proc there is nothing to tell ours from others by
	}
	self := os.Getpid()
	for pid, p := range all {
		if !p.zombie || p.parent != self || c.own[pid] != nil {
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
