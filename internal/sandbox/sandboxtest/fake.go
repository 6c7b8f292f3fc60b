package sandboxtest

import (
	"context"
	"net"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// Fake is a driver in memory. Its boxes have no processes, but a browser that answers
// CDP messages and connects to Egress.
type Fake struct {
	engine   *Engine
	instance string
}

var _ sandbox.Driver = (*Fake)(nil)

// Driver returns a driver for a gateway instance. A second one of the same instance
// stands for the restarted gateway.
func (e *Engine) Driver(instance string) *Fake { return &Fake{engine: e, instance: instance} }

// NewFake returns a driver on an engine of its own.
func NewFake() *Fake { return NewEngine().Driver("fake") }

// Engine returns the driver's engine, through which tests cause failures.
func (f *Fake) Engine() *Engine { return f.engine }

// Start makes a box (sandbox.Driver).
func (f *Fake) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Box, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	var made *boxState
	for _, phase := range Phases {
		if spec.Progress != nil {
			spec.Progress(phase)
		}
		err := f.engine.runPhase(ctx, phase)
		if err == nil {
			made, err = f.step(phase, made, spec)
		}
		if err != nil {
			if made != nil {
				f.engine.endBox(made, err)
				f.engine.remove(spec.ID)
			}
			return nil, phaseFault(phase, err)
		}
	}
	return &box{engine: f.engine, state: made}, nil
}

func (f *Fake) step(phase string, made *boxState, spec sandbox.Spec) (*boxState, error) {
	switch phase {
	case "create":
		return f.engine.add(f.instance, spec)
	case "start":
		return made, f.engine.startBrowser(made, spec)
	}
	return made, nil
}

// phaseFault returns the fault of a failed phase.
func phaseFault(phase string, err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.New(fault.StartFailed, "sandbox_browser_launch_failed: %s", phase).
		Hinted("try again").With("phase", phase).Because(err)
}

// checkSpec checks a spec like the drivers and the bridge.
func checkSpec(spec sandbox.Spec) error {
	if err := spec.Check(); err != nil {
		return err
	}
	if !inRange(spec.Width, 8192) || !inRange(spec.Height, 8192) || !inRange(spec.DPI, 960) {
		return fault.New(fault.InvalidRequest, "the display has no valid size").Hinted("give width, height and dpi")
	}
	return nil
}

// Attach attaches to a box (sandbox.Driver).
func (f *Fake) Attach(_ context.Context, id string, egress func(net.Conn)) (sandbox.Box, error) {
	m := f.engine.find(f.instance, id)
	if m == nil {
		return nil, fault.New(fault.NotFound, "no box %s", id).Hinted("start a new one")
	}
	if egress == nil {
		return nil, fault.New(fault.InvalidRequest, "nobody takes the box's connections").Hinted("pass egress")
	}
	f.engine.mu.Lock()
	running := m.info.State == "running"
	f.engine.mu.Unlock()
	if !running {
		return nil, fault.New(fault.NotFound, "box %s is not running", id).Hinted("stop it and start a new one")
	}
	m.egress.set(egress)
	return &box{engine: f.engine, state: m}, nil
}

// List returns the instance's boxes (sandbox.Driver).
func (f *Fake) List(context.Context) ([]sandbox.Info, error) {
	return f.engine.list(f.instance), nil
}

// Stop ends a box (sandbox.Driver).
func (f *Fake) Stop(_ context.Context, id string) error {
	if m := f.engine.find(f.instance, id); m != nil {
		f.engine.endBox(m, fault.New(fault.NotActive, "the box was stopped").Hinted("start a new one"))
		f.engine.remove(id)
	}
	return nil
}

func inRange(n, most int) bool { return n >= 1 && n <= most }
