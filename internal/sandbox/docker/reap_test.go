package docker_test

import (
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
)

// leftover makes a container that has ended and that the engine keeps, as gateways
// left them before they used AutoRemove.
func leftover(t *testing.T, instance string, lease time.Duration) {
	t.Helper()
	e, id := engine(t), sandbox.NewID()
	made, err := e.ContainerCreate(bounded(t), client.ContainerCreateOptions{
		Name: prefix() + "warm-" + id,
		Config: &container.Config{
			Image: tag, Entrypoint: []string{"/bin/true"}, NetworkDisabled: true,
			Labels: map[string]string{
				"glovebox.instance": instance, "glovebox.box": id, "glovebox.lease": lease.String(),
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := e.ContainerRemove(cleanup(t), made.ID, client.ContainerRemoveOptions{Force: true})
		if err != nil && !errdefs.IsNotFound(err) {
			t.Errorf("cannot remove the container: %v", err)
		}
	})
	wait := e.ContainerWait(bounded(t), made.ID, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	if _, err := e.ContainerStart(bounded(t), made.ID, client.ContainerStartOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-wait.Result:
	case err := <-wait.Error:
		t.Fatal(err)
	}
}

// The gateways have different instances and folders, like gateways with different
// state directories.
func TestEndedBoxesOfAnotherGatewayAreRemovedAndRunningOnesAreNot(t *testing.T) {
	o, living := options(t), options(t)
	living.ReapAfter = time.Second
	other, third := open(t, living), open(t, options(t))
	kept := start(t, other, sandboxtest.Spec("alice"))
	running := start(t, open(t, o), sandboxtest.Spec("bob"))
	if n, err := third.Reap(bounded(t)); err != nil || n != 0 || len(containers(t, o.Instance)) != 1 {
		t.Fatalf("%d running boxes were removed, %v", n, err)
	}
	leftover(t, o.Instance, 3*time.Second)
	until(t, "the ended container is removed", func() bool {
		if _, err := other.Reap(bounded(t)); err != nil {
			t.Fatal(err)
		}
		return len(containers(t, o.Instance)) == 1
	})
	if _, err := running.Health(bounded(t)); err != nil {
		t.Errorf("a running box of another gateway: %v", err)
	}
	if _, err := kept.Health(bounded(t)); err != nil {
		t.Errorf("a box of the same gateway: %v", err)
	}
	if _, err := third.Reap(bounded(t)); err != nil || len(containers(t, living.Instance)) != 1 {
		t.Errorf("a running gateway's box was removed: %v", err)
	}
	leftover(t, living.Instance, 30*time.Second)
	if n, err := other.Reap(bounded(t)); err != nil || n != 0 {
		t.Errorf("a gateway removed its own ended box: %d, %v", n, err)
	}
	if n, err := third.Reap(bounded(t)); err != nil || n != 0 || len(containers(t, living.Instance)) != 2 {
		t.Errorf("an ended box was removed before its lease was over: %d, %v", n, err)
	}
}
