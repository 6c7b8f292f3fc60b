package install

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	runLimit  = 30 * time.Minute // of each command, for some hundred megabytes over a slow connection
	stopGrace = 30 * time.Second // for a package manager that was asked to stop
)

// Run runs the commands of a plan in order and copies their output to out. Then
// it checks whether something is still missing. Faults: install_required.
func (p Plan) Run(ctx context.Context, m Machine, out io.Writer) error {
	if err := p.may(m); err != nil {
		return err
	}
	for _, c := range p.Commands {
		fmt.Fprintf(out, "+ %s\n", c)
		if err := run(ctx, c, out); err != nil {
			return fault.New(fault.InstallRequired, "a command failed: %s", strings.Join(c[:min(len(c), 4)], " ")).
				Hinted("its output says why; run it by hand to repair it, then: %s", Again(p.Set)).Because(err)
		}
	}
	if missing := m.Missing(p.Set); len(missing) > 0 {
		return fault.New(fault.InstallRequired, "still missing: %s", strings.Join(missing, ", ")).
			Hinted("the packages were installed but do not hold it: install it by hand").With("missing", missing)
	}
	return nil
}

// may returns why the commands cannot be run here, if so.
func (p Plan) may(m Machine) error {
	if m.UID != 0 && !m.Has("sudo") {
		return fault.New(fault.InstallRequired, "installing packages takes root, and there is no sudo").
			Hinted("run it as root: %s", Again(p.Set))
	}
	if !m.Has(p.Manager.program()) {
		return fault.New(fault.InstallRequired, "this machine has no %s", p.Manager.program()).
			Hinted("leave --package-manager out, or add --print-only to read the commands")
	}
	return nil
}

func run(ctx context.Context, c Command, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	command := exec.CommandContext(ctx, c[0], c[1:]...)
	command.Stdout, command.Stderr = out, out
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopGrace
	return command.Run()
}
