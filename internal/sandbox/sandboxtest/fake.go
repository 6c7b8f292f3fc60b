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
	if err := check(spec); err != nil {
		return nil, err
	}
	var made *machine
	for _, phase := range Phases {
		if spec.Progress != nil {
			spec.Progress(phase)
		}
		err := f.engine.pass(ctx, phase)
		if err == nil {
			made, err = f.step(phase, made, spec)
		}
		if err != nil {
			if made != nil {
				f.engine.end(made, err)
				f.engine.remove(spec.ID)
			}
			return nil, failed(phase, err)
		}
	}
	return &box{engine: f.engine, machine: made}, nil
}

func (f *Fake) step(phase string, made *machine, spec sandbox.Spec) (*machine, error) {
	switch phase {
	case "create":
		return f.engine.add(f.instance, spec)
	case "start":
		return made, f.engine.run(made, spec)
	}
	return made, nil
}

// failed returns the fault of a failed phase.
func failed(phase string, err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.New(fault.StartFailed, "sandbox_browser_launch_failed: %s", phase).
		Hinted("try again").With("phase", phase).Because(err)
}

func check(spec sandbox.Spec) error {
	switch {
	case !sandbox.ValidID(spec.ID):
		return fault.New(fault.InvalidRequest, "the box id is not 16 hex digits").Hinted("use sandbox.NewID")
	case (spec.Scope == "") != (spec.Session == ""):
		return fault.New(fault.InvalidRequest, "a box has a scope and a session, or neither").Hinted("give both or none")
	case !between(spec.Width, 8192) || !between(spec.Height, 8192) || !between(spec.DPI, 960): // as the bridge
		return fault.New(fault.InvalidRequest, "the display has no size").Hinted("give width, height and dpi")
	case spec.Egress == nil:
		return fault.New(fault.InvalidRequest, "nobody takes the box's connections").Hinted("set Egress")
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
	m.egress.open(egress)
	return &box{engine: f.engine, machine: m}, nil
}

// List returns the instance's boxes (sandbox.Driver).
func (f *Fake) List(context.Context) ([]sandbox.Info, error) {
	return f.engine.list(f.instance), nil
}

// Stop ends a box (sandbox.Driver).
func (f *Fake) Stop(_ context.Context, id string) error {
	if m := f.engine.find(f.instance, id); m != nil {
		f.engine.end(m, fault.New(fault.NotActive, "the box was stopped").Hinted("start a new one"))
		f.engine.remove(id)
	}
	return nil
}

func between(n, most int) bool { return n >= 1 && n <= most }
