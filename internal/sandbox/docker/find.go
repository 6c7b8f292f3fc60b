package docker

import (
	"context"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// List returns this instance's boxes in any state (sandbox.Driver). Faults:
// sandbox_runtime_required.
func (d *Driver) List(ctx context.Context) ([]sandbox.Info, error) {
	found, err := d.find(ctx, "")
	if err != nil {
		return nil, err
	}
	all := make([]sandbox.Info, 0, len(found))
	for _, c := range found {
		all = append(all, d.info(c))
	}
	return all, nil
}

// find returns the containers of this instance, only those of box id unless id is
// empty.
func (d *Driver) find(ctx context.Context, id string) ([]container.Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	ours := client.Filters{}.Add("label", labelInstance+"="+d.o.Instance)
	if id != "" {
		ours.Add("label", labelBox+"="+id)
	}
	answer, err := d.engine.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: ours})
	if err != nil {
		return nil, d.engineFault(err, "list the boxes")
	}
	return answer.Items, nil
}

// info describes a container from what the engine returned and, if the box is
// connected, from the box.
func (d *Driver) info(c container.Summary) sandbox.Info {
	id := c.Labels[labelBox]
	info := sandbox.Info{
		ID: id, State: state(c.State), Created: time.Unix(c.Created, 0),
		Session: c.Labels[labelSession], Egress: sandbox.EgressSealed, Dir: home,
	}
	if len(c.Names) > 0 {
		info.Name = strings.TrimPrefix(c.Names[0], "/")
	}
	info.ScopeHash = d.scopeOf(info.Name, id)
	d.mu.Lock()
	held := d.boxes[id]
	d.mu.Unlock()
	if held != nil && held.container == c.ID {
		info.Session = held.Info().Session
	}
	return info
}

// scopeOf returns the scope hash in a container's name, empty for a warm box.
func (d *Driver) scopeOf(name, id string) string {
	middle := strings.TrimSuffix(strings.TrimPrefix(name, d.o.NamePrefix), "-"+id)
	if !sandbox.ValidID(middle) { // a scope hash has the format of a box id
		return ""
	}
	return middle
}

// state translates a state of the engine into one of sandbox.Info.
func state(s container.ContainerState) string {
	switch s {
	case container.StateCreated:
		return "created"
	case container.StateRunning, container.StatePaused, container.StateRestarting:
		return "running"
	}
	return "exited"
}
