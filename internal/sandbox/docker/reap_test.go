package docker_test

import (
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// leaveEndedContainer makes a container that has ended and that the engine keeps, as gateways
// left them before they used AutoRemove.
func leaveEndedContainer(t *testing.T, instance string, lease time.Duration) {
	t.Helper()
	e, id := engineClient(t), sandbox.NewID()
	made, err := e.ContainerCreate(testwait.Context(t), client.ContainerCreateOptions{
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
		_, err := e.ContainerRemove(testwait.Context(t), made.ID, client.ContainerRemoveOptions{Force: true})
		if err != nil && !errdefs.IsNotFound(err) {
			t.Errorf("cannot remove the container: %v", err)
		}
	})
	wait := e.ContainerWait(testwait.Context(t), made.ID, client.ContainerWaitOptions{Condition: container.WaitConditionNextExit})
	if _, err := e.ContainerStart(testwait.Context(t), made.ID, client.ContainerStartOptions{}); err != nil {
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
func TestReapRemovesOnlyEndedBoxesOfOtherGateways(t *testing.T) {
	o, living := testOptions(t), testOptions(t)
	living.ReapAfter = time.Second
	other, third := openDriver(t, living), openDriver(t, testOptions(t))
	kept := startBox(t, other, sandboxtest.Spec("alice"))
	running := startBox(t, openDriver(t, o), sandboxtest.Spec("bob"))
	if n, err := third.Reap(testwait.Context(t)); err != nil || n != 0 || len(containers(t, o.Instance)) != 1 {
		t.Fatalf("%d running boxes were removed, %v", n, err)
	}
	leaveEndedContainer(t, o.Instance, 3*time.Second)
	testwait.For(t, "the ended container is removed", func() bool {
		if _, err := other.Reap(testwait.Context(t)); err != nil {
			t.Fatal(err)
		}
		return len(containers(t, o.Instance)) == 1
	})
	if _, err := running.Health(testwait.Context(t)); err != nil {
		t.Errorf("a running box of another gateway: %v", err)
	}
	if _, err := kept.Health(testwait.Context(t)); err != nil {
		t.Errorf("a box of the same gateway: %v", err)
	}
	if _, err := third.Reap(testwait.Context(t)); err != nil || len(containers(t, living.Instance)) != 1 {
		t.Errorf("a running gateway's box was removed: %v", err)
	}
	leaveEndedContainer(t, living.Instance, 30*time.Second)
	if n, err := other.Reap(testwait.Context(t)); err != nil || n != 0 {
		t.Errorf("a gateway removed its own ended box: %d, %v", n, err)
	}
	if n, err := third.Reap(testwait.Context(t)); err != nil || n != 0 || len(containers(t, living.Instance)) != 2 {
		t.Errorf("an ended box was removed before its lease was over: %d, %v", n, err)
	}
}
