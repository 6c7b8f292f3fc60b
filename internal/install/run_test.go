package install_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/install"
)

func TestRunStopsAtTheFirstCommandThatFails(t *testing.T) {
	whole := machine("debian", "12", 0, nil, "apt-get", "dockerd", "iptables", "debootstrap")
	fails, say := install.Command{"sh", "-c", "echo complaint >&2; exit 3"}, install.Command{"echo", "done"}
	for name, c := range map[string]struct {
		machine  install.Machine
		commands []install.Command
		fault    string // empty: none
		out      string
	}{
		"all is well":   {whole, []install.Command{say, {"true"}}, "", "+ echo done\ndone\n+ true\n"},
		"one fails":     {whole, []install.Command{fails, say}, "a command failed", "complaint\n"},
		"no such":       {whole, []install.Command{{"no-such-program-here"}}, "a command failed", "+ no-such-program-here\n"},
		"still missing": {machine("debian", "12", 0, nil, "apt-get", "dockerd"), []install.Command{say}, "still missing: iptables, debootstrap", "done\n"},
		"no sudo":       {machine("debian", "12", 1000, nil, "apt-get"), []install.Command{say}, "takes root", ""},
		"no manager":    {machine("debian", "12", 0, nil), []install.Command{say}, "no apt-get", ""},
	} {
		var out bytes.Buffer
		err := install.Plan{Set: install.Engine, Manager: install.APT, Commands: c.commands}.Run(t.Context(), c.machine, &out)
		if (err == nil) != (c.fault == "") || err != nil && (fault.CodeOf(err) != fault.InstallRequired || !strings.Contains(err.Error(), c.fault) || fault.From(err).Hint == "") {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasSuffix(out.String(), c.out) || c.out == "" && out.Len() > 0 {
			t.Errorf("%s printed %q", name, out.String())
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := cancelling{cancel}
	plan := install.Plan{Set: install.Engine, Manager: install.APT, Commands: []install.Command{{"sh", "-c", "echo ready; exec sleep 600"}, {"echo"}}}
	if err := plan.Run(ctx, machine("debian", "12", 0, nil, "apt-get"), out); fault.CodeOf(err) != fault.InstallRequired {
		t.Errorf("%v", err)
	}
}

// cancelling is a writer that cancels a context at the first output of a command.
type cancelling struct{ cancel context.CancelFunc }

func (c cancelling) Write(b []byte) (int, error) {
	if string(b) == "ready\n" {
		c.cancel()
	}
	return len(b), nil
}
