package docker_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/docker"
	"github.com/gloveboxhq/glovebox/internal/sandbox/sandboxtest"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

func TestKilledBrowserIsRestarted(t *testing.T) {
	box := startBox(t, openDriver(t, testOptions(t)), sandboxtest.Spec("alice"))
	stream, err := box.CDP(testwait.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	h, err := box.Health(testwait.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	if out, code := execInBox(t, box, fmt.Sprintf("kill -9 %d", h.Browser.PID)); code != 0 {
		t.Fatal(out)
	}
	if _, err := stream.Read(); err == nil {
		t.Error("the connection outlives the browser")
	}
	testwait.For(t, "the browser runs again", func() bool {
		h, err := box.Health(testwait.Context(t))
		return err == nil && h.Phase == "ready" && h.Restarts == 1 && h.Browser.Running
	})
	again, err := box.CDP(testwait.Context(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if err := again.Write([]byte(`{"id":1,"method":"Browser.getVersion"}`)); err != nil {
		t.Fatal(err)
	}
	if answer, err := again.Read(); err != nil || !strings.Contains(string(answer), "product") {
		t.Errorf("the new browser answers %q, %v", answer, err)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	o := testOptions(t)
	d := openDriver(t, o)
	spec := sandboxtest.Spec("alice")
	startBox(t, d, spec)
	if err := d.Stop(testwait.Context(t), spec.ID); err != nil {
		t.Fatal(err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("containers are left: %+v", left)
	}
	if _, err := os.Stat(filepath.Join(o.SocketDir, spec.ID)); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	if err := d.Stop(testwait.Context(t), "../x"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("stopping a malformed id: %v", err)
	}
}

func TestBoxReportsHowItsContainerEnded(t *testing.T) {
	d := openDriver(t, testOptions(t))
	box := startBox(t, d, sandboxtest.Spec("alice"))
	if _, err := engineClient(t).ContainerKill(testwait.Context(t), box.Info().Name, client.ContainerKillOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-box.Done():
	case <-testwait.Context(t).Done():
		t.Fatal("Done is not closed after the container was killed")
	}
	if err := box.Err(); fault.CodeOf(err) != fault.NotActive || box.Info().State != "exited" {
		t.Errorf("%v, %+v", err, box.Info())
	}
	if why := box.Err().Error(); !strings.Contains(why, "ended with status 137") {
		t.Errorf("the error does not contain the exit status: %s", why)
	}
	testwait.For(t, "the engine has removed the container", func() bool {
		got, err := d.List(testwait.Context(t))
		if err != nil || len(got) > 0 && got[0].State != "exited" {
			t.Fatalf("the list is %+v, %v", got, err)
		}
		return len(got) == 0
	})
	for range 2 {
		if err := d.Stop(testwait.Context(t), box.Info().ID); err != nil {
			t.Errorf("stopping a box that has ended: %v", err)
		}
	}
}

// Here the engine removes the box by itself while Stop asks it to.
func TestStopSucceedsWhileTheEngineRemovesTheBox(t *testing.T) {
	o := testOptions(t)
	d := openDriver(t, o)
	spec := sandboxtest.Spec("alice")
	box := startBox(t, d, spec)
	if _, err := engineClient(t).ContainerKill(testwait.Context(t), box.Info().Name, client.ContainerKillOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(testwait.Context(t), spec.ID); err != nil {
		t.Error(err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}

func TestBoxEndsWithinItsLeaseWhenTheGatewayDies(t *testing.T) {
	o := testOptions(t)
	o.Lease = 10 * time.Second
	sweeper := openDriver(t, o)
	dying, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	spec := sandboxtest.Spec("alice")
	box := startBox(t, dying, spec)
	if err := dying.Close(); err != nil {
		t.Fatal(err)
	}
	<-box.Done() // at once, because the driver is closed
	wait := engineClient(t).ContainerWait(testwait.Context(t), box.Info().Name, client.ContainerWaitOptions{
		Condition: container.WaitConditionRemoved,
	})
	select {
	case <-wait.Result:
	case err := <-wait.Error:
		t.Fatal(err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("the engine did not remove it: %+v", left)
	}
	if _, err := sweeper.Attach(testwait.Context(t), spec.ID, spec.Egress); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("attached to a dead box: %v", err)
	}
	if err := sweeper.Stop(testwait.Context(t), spec.ID); err != nil {
		t.Error(err)
	}
}

func TestContainerThatWasNeverStartedIsListedAndRemoved(t *testing.T) {
	o := testOptions(t)
	d, other := openDriver(t, o), openDriver(t, testOptions(t))
	id := sandbox.NewID()
	_, err := engineClient(t).ContainerCreate(testwait.Context(t), client.ContainerCreateOptions{
		Name: prefix() + "warm-" + id,
		Config: &container.Config{Image: tag, Labels: map[string]string{
			"glovebox.instance": o.Instance, "glovebox.box": id,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := other.List(testwait.Context(t)); err != nil || len(got) > 0 {
		t.Errorf("another instance sees %+v, %v", got, err)
	}
	got, err := d.List(testwait.Context(t))
	if err != nil || len(got) != 1 || got[0].ID != id || got[0].State != "created" {
		t.Errorf("the list is %+v, %v", got, err)
	}
	if _, err := d.Attach(testwait.Context(t), id, sandboxtest.Spec("").Egress); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("attached: %v", err)
	}
	if err := d.Stop(testwait.Context(t), id); err != nil {
		t.Fatal(err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}

func TestGuestThatClaimsAnotherScopeIsNotAttached(t *testing.T) {
	o := testOptions(t)
	d, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	spec := sandboxtest.Spec("alice")
	box := startBox(t, d, spec)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	bobs := prefix() + sandbox.ScopeHash("bob") + "-" + spec.ID // as if it were bob's container
	_, err = engineClient(t).ContainerRename(testwait.Context(t), box.Info().Name, client.ContainerRenameOptions{NewName: bobs})
	if err != nil {
		t.Fatal(err)
	}
	next := openDriver(t, o)
	if _, err := next.Attach(testwait.Context(t), spec.ID, spec.Egress); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("attached: %v", err)
	}
}

func TestStopCancelsAPendingStart(t *testing.T) {
	o := testOptions(t)
	d := openDriver(t, o)
	spec := sandboxtest.Spec("alice")
	begun := make(chan struct{})
	spec.Progress = func(phase string) {
		if phase == "starting the box" {
			close(begun)
		}
	}
	result := make(chan error, 1)
	go func() {
		_, err := d.Start(testwait.Context(t), spec)
		result <- err
	}()
	<-begun
	if err := d.Stop(testwait.Context(t), spec.ID); err != nil {
		t.Error(err)
	}
	if err := <-result; fault.CodeOf(err) != fault.StartFailed {
		t.Errorf("the start ended with %v", err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}

func TestDriverPassesSuite(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Open {
		o := testOptions(t)
		openDriver(t, o) // stops remaining boxes when the test ends
		return func(t *testing.T) (sandbox.Driver, func()) {
			d, err := docker.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return d, func() {
				if err := d.Close(); err != nil {
					t.Errorf("cannot close: %v", err)
				}
			}
		}
	})
}
