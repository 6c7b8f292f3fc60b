package cli_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

func TestHealthReportsWhetherAGatewayAnswers(t *testing.T) {
	r := newRig(t, &fakeGate{answer: func(action.Call) (action.Result, error) { return action.Result{}, nil }})
	if out, _, status := r.run("health"); status != 0 || !strings.Contains(out, "answers") {
		t.Errorf("%d %q", status, out)
	}
	r.url = "http://127.0.0.1:1" // no server
	if _, complaint, status := r.run("health"); status != 6 || !strings.Contains(complaint, "glovebox serve") {
		t.Errorf("%d %q", status, complaint)
	}
}

func TestSeccompPrintsTheProfile(t *testing.T) {
	r := newRig(t, &fakeGate{})
	r.parts.Seccomp = func() (string, error) { return `{"defaultAction":"SCMP_ACT_ERRNO"}`, nil }
	for _, line := range [][]string{{"image", "seccomp"}, {"image", "seccomp", "--json"}} {
		if out, _, status := r.run(line...); status != 0 || out != "{\"defaultAction\":\"SCMP_ACT_ERRNO\"}\n" {
			t.Errorf("%v: %d %q", line, status, out)
		}
	}
}

// TestTheListenFlagIsValidated sets addresses with the flag that the
// configuration key refuses.
func TestTheListenFlagIsValidated(t *testing.T) {
	r := newRig(t, &fakeGate{})
	served := ""
	r.parts.Serve = func(_ context.Context, c config.Config, _ cli.ServeOptions) error {
		served = c.Server.Listen
		return errors.New("enough")
	}
	if _, complaint, status := r.run("serve", "--listen", "0.0.0.0:2468"); status != 2 || served != "" || !strings.Contains(complaint, "not a loopback address") {
		t.Errorf("%d %q, served %q", status, complaint, served)
	}
	r.run("serve", "--listen", "0.0.0.0:2468", "--allow-insecure-listen")
	if served != "0.0.0.0:2468" {
		t.Errorf("served %q", served)
	}
}
