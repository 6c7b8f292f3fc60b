package docker

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

const askAgain = time.Second // after the engine broke off a wait, as a restart of it does

// box is a container this driver holds (sandbox.Box).
type box struct {
	driver    *Driver
	container string // the engine's id of it
	link      *bridge.Link
	done      chan struct{} // closed by finish
	released  chan struct{} // closed when the link is closed too

	mu   sync.Mutex
	info sandbox.Info
	err  error
}

var _ sandbox.Box = (*box)(nil)

// hold watches a running container. When it ends, or its guest is lost, or the
// driver closes, the box is done and its sockets are closed.
func (d *Driver) hold(made string, link *bridge.Link, info sandbox.Info) *box {
	b := &box{
		driver: d, container: made, link: link, info: info,
		done: make(chan struct{}), released: make(chan struct{}),
	}
	d.wg.Go(b.watch)
	return b
}

func (b *box) watch() {
	defer close(b.released)
	ctx, cancel := context.WithCancel(b.driver.ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		b.waitExit(ctx)
		cancel()
	})
	select {
	case <-b.link.Done():
		b.finish(b.link.Err())
	case <-b.done:
	case <-ctx.Done():
	}
	cancel()
	wg.Wait()
	b.finish(ended(b.info.ID, "was let go by the gateway"))
	_ = b.link.Close()
}

// waitExit returns when the container has ended, which it then says, or ctx.
func (b *box) waitExit(ctx context.Context) {
	for ctx.Err() == nil {
		wait := b.driver.engine.ContainerWait(ctx, b.container, client.ContainerWaitOptions{
			Condition: container.WaitConditionNotRunning,
		})
		select {
		case exit := <-wait.Result:
			if exit.Error == nil {
				b.finish(ended(b.info.ID, "ended with status %d", exit.StatusCode))
				return
			}
		case err := <-wait.Error:
			if errdefs.IsNotFound(err) {
				b.finish(ended(b.info.ID, "was removed"))
				return
			}
		}
		pause(ctx, askAgain)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// finish ends the box once.
func (b *box) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		b.info.State = "exited"
		close(b.done)
	}
}

// Info returns what is known of the box (sandbox.Box).
func (b *box) Info() sandbox.Info {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.info
}

// Assign gives the box to a scope and a session (sandbox.Box). The container
// gets the scope's name: by it the gateway's next life knows whose it is.
func (b *box) Assign(ctx context.Context, scope, session string) error {
	if err := b.Err(); err != nil {
		return err
	}
	if err := b.link.Assign(ctx, scope, session); err != nil {
		return err
	}
	hash := sandbox.ScopeHash(scope)
	name := b.driver.name(hash, b.Info().ID)
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if _, err := b.driver.engine.ContainerRename(ctx, b.container, client.ContainerRenameOptions{NewName: name}); err != nil {
		return b.driver.engineFault(err, "rename the box")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.info.ScopeHash, b.info.Session, b.info.Name = hash, session, name
	return nil
}

// CDP opens the connection to the browser (sandbox.Box).
func (b *box) CDP(ctx context.Context) (sandbox.Stream, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	return b.link.CDP(ctx)
}

// Health asks the guest (sandbox.Box).
func (b *box) Health(ctx context.Context) (sandbox.Health, error) {
	if err := b.Err(); err != nil {
		return sandbox.Health{}, err
	}
	return b.link.Health(ctx)
}

// Profile ends the browser and returns what it kept (sandbox.Box).
func (b *box) Profile(ctx context.Context) (io.ReadCloser, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	return b.link.Profile(ctx)
}

// Put writes a file to upload (sandbox.Box).
func (b *box) Put(ctx context.Context, name string, content []byte) (string, error) {
	if err := b.Err(); err != nil {
		return "", err
	}
	return b.link.Put(ctx, name, content)
}

// Fetch reads what was downloaded (sandbox.Box).
func (b *box) Fetch(ctx context.Context, id string, most int64) ([]byte, error) {
	if err := b.Err(); err != nil {
		return nil, err
	}
	return b.link.Fetch(ctx, id, most)
}

// Remove removes a file (sandbox.Box).
func (b *box) Remove(ctx context.Context, file string) error {
	if err := b.Err(); err != nil {
		return err
	}
	return b.link.Remove(ctx, file)
}

// Done is closed when the box is gone (sandbox.Box).
func (b *box) Done() <-chan struct{} { return b.done }

// Err says why the box is gone (sandbox.Box).
func (b *box) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}
