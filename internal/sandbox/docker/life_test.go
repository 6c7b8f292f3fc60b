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
)

func TestKilledBrowserIsStartedAgain(t *testing.T) {
	box := start(t, open(t, options(t)), sandboxtest.Spec("alice"))
	stream, err := box.CDP(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	h, err := box.Health(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if out, code := inside(t, box, fmt.Sprintf("kill -9 %d", h.Browser.PID)); code != 0 {
		t.Fatal(out)
	}
	if _, err := stream.Read(); err == nil {
		t.Error("the connection outlives the browser")
	}
	until(t, "the browser runs again", func() bool {
		h, err := box.Health(bounded(t))
		return err == nil && h.Phase == "ready" && h.Restarts == 1 && h.Browser.Running
	})
	again, err := box.CDP(bounded(t))
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
	o := options(t)
	d := open(t, o)
	spec := sandboxtest.Spec("alice")
	start(t, d, spec)
	if err := d.Stop(bounded(t), spec.ID); err != nil {
		t.Fatal(err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("containers are left: %+v", left)
	}
	if _, err := os.Stat(filepath.Join(o.SocketDir, spec.ID)); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
	if err := d.Stop(bounded(t), "../x"); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("stopping a malformed id: %v", err)
	}
}

func TestBoxThatEndsByItselfSaysSo(t *testing.T) {
	d := open(t, options(t))
	box := start(t, d, sandboxtest.Spec("alice"))
	if _, err := engine(t).ContainerKill(bounded(t), box.Info().Name, client.ContainerKillOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-box.Done():
	case <-bounded(t).Done():
		t.Fatal("Done is not closed after the container was killed")
	}
	if err := box.Err(); fault.CodeOf(err) != fault.NotActive || box.Info().State != "exited" {
		t.Errorf("%v, %+v", err, box.Info())
	}
	if why := box.Err().Error(); !strings.Contains(why, "ended with status 137") {
		t.Errorf("the error does not contain the exit status: %s", why)
	}
	until(t, "the engine has removed the container", func() bool {
		got, err := d.List(bounded(t))
		if err != nil || len(got) > 0 && got[0].State != "exited" {
			t.Fatalf("the list is %+v, %v", got, err)
		}
		return len(got) == 0
	})
	for range 2 {
		if err := d.Stop(bounded(t), box.Info().ID); err != nil {
			t.Errorf("stopping a box that has ended: %v", err)
		}
	}
}

// Here the engine removes the box by itself while Stop asks it to.
func TestStopOfABoxThatIsBeingRemovedIsNoError(t *testing.T) {
	o := options(t)
	d := open(t, o)
	spec := sandboxtest.Spec("alice")
	box := start(t, d, spec)
	if _, err := engine(t).ContainerKill(bounded(t), box.Info().Name, client.ContainerKillOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(bounded(t), spec.ID); err != nil {
		t.Error(err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}

func TestBoxEndsWithinItsLeaseWhenTheGatewayDies(t *testing.T) {
	o := options(t)
	o.Lease = 3 * time.Second
	sweeper := open(t, o)
	dying, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	spec := sandboxtest.Spec("alice")
	box := start(t, dying, spec)
	if err := dying.Close(); err != nil {
		t.Fatal(err)
	}
	gone := time.Now()
	<-box.Done() // at once, because the driver is closed
	wait := engine(t).ContainerWait(bounded(t), box.Info().Name, client.ContainerWaitOptions{
		Condition: container.WaitConditionRemoved,
	})
	select {
	case <-wait.Result:
	case err := <-wait.Error:
		t.Fatal(err)
	}
	if took := time.Since(gone); took > o.Lease+5*time.Second { // its processes get 3 s to exit
		t.Errorf("the box lived %s longer than its gateway, with a lease of %s", took, o.Lease)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("the engine did not remove it: %+v", left)
	}
	if _, err := sweeper.Attach(bounded(t), spec.ID, spec.Egress); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("attached to a dead box: %v", err)
	}
	if err := sweeper.Stop(bounded(t), spec.ID); err != nil {
		t.Error(err)
	}
}

func TestContainerThatWasNeverStartedIsListedAndRemoved(t *testing.T) {
	o := options(t)
	d, other := open(t, o), open(t, options(t))
	id := sandbox.NewID()
	_, err := engine(t).ContainerCreate(bounded(t), client.ContainerCreateOptions{
		Name: prefix() + "warm-" + id,
		Config: &container.Config{Image: tag, Labels: map[string]string{
			"glovebox.instance": o.Instance, "glovebox.box": id,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := other.List(bounded(t)); err != nil || len(got) > 0 {
		t.Errorf("another instance sees %+v, %v", got, err)
	}
	got, err := d.List(bounded(t))
	if err != nil || len(got) != 1 || got[0].ID != id || got[0].State != "created" {
		t.Errorf("the list is %+v, %v", got, err)
	}
	if _, err := d.Attach(bounded(t), id, sandboxtest.Spec("").Egress); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("attached: %v", err)
	}
	if err := d.Stop(bounded(t), id); err != nil {
		t.Fatal(err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}

func TestGuestThatClaimsAnotherScopeIsNotTakenUp(t *testing.T) {
	o := options(t)
	d, err := docker.New(o)
	if err != nil {
		t.Fatal(err)
	}
	spec := sandboxtest.Spec("alice")
	box := start(t, d, spec)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	bobs := prefix() + sandbox.ScopeHash("bob") + "-" + spec.ID // as if it were bob's container
	_, err = engine(t).ContainerRename(bounded(t), box.Info().Name, client.ContainerRenameOptions{NewName: bobs})
	if err != nil {
		t.Fatal(err)
	}
	next := open(t, o)
	if _, err := next.Attach(bounded(t), spec.ID, spec.Egress); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("attached: %v", err)
	}
}

func TestStopEndsAStartInFlight(t *testing.T) {
	o := options(t)
	d := open(t, o)
	spec := sandboxtest.Spec("alice")
	begun := make(chan struct{})
	spec.Progress = func(phase string) {
		if phase == "starting the box" {
			close(begun)
		}
	}
	result := make(chan error, 1)
	go func() {
		_, err := d.Start(bounded(t), spec)
		result <- err
	}()
	<-begun
	if err := d.Stop(bounded(t), spec.ID); err != nil {
		t.Error(err)
	}
	if err := <-result; fault.CodeOf(err) != fault.StartFailed {
		t.Errorf("the start ended with %v", err)
	}
	if left := containers(t, o.Instance); len(left) > 0 {
		t.Errorf("left %+v", left)
	}
}
