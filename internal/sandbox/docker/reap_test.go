package docker_test

import (
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
)

// TestWhatAKilledGatewayLeavesIsRemovedByAnother: each has an instance and a
// folder of its own, as gateways with different state directories have.
func TestWhatAKilledGatewayLeavesIsRemovedByAnother(t *testing.T) {
	o := options(t)
	o.Lease, o.ReapAfter = 3*time.Second, time.Second
	dying, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	living := options(t)
	living.Lease, living.ReapAfter = o.Lease, o.ReapAfter
	other, third := open(t, living), open(t, options(t))
	kept := start(t, other, sandboxtest.Spec("alice"))
	start(t, dying, sandboxtest.Spec("bob"))
	if n, err := third.Reap(bounded(t)); err != nil || n != 0 || len(containers(t, o.Instance)) != 1 {
		t.Fatalf("%d that run were removed, %v", n, err)
	}
	if err := dying.Close(); err != nil { // as a killed one, it removes nothing
		t.Fatal(err)
	}
	until(t, "the box to be removed", func() bool {
		if _, err := other.Reap(bounded(t)); err != nil {
			t.Fatal(err)
		}
		return len(containers(t, o.Instance)) == 0
	})
	if _, err := kept.Health(bounded(t)); err != nil {
		t.Errorf("its own box: %v", err)
	}
	if _, err := third.Reap(bounded(t)); err != nil || len(containers(t, living.Instance)) != 1 {
		t.Errorf("a living gateway's box is gone: %v", err)
	}
	if _, err := engine(t).ContainerKill(bounded(t), kept.Info().Name, client.ContainerKillOptions{}); err != nil {
		t.Fatal(err)
	}
	<-kept.Done()
	if n, err := other.Reap(bounded(t)); err != nil || n != 0 {
		t.Errorf("a gateway reaped its own: %d, %v", n, err)
	}
	if n, err := third.Reap(bounded(t)); err != nil || n != 0 {
		t.Errorf("a living gateway's box was reaped before its lease was over: %d, %v", n, err)
	}
}
