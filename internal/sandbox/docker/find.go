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
	found, err := d.findContainers(ctx, "")
	if err != nil {
		return nil, err
	}
	all := make([]sandbox.Info, 0, len(found))
	for _, c := range found {
		all = append(all, d.info(c))
	}
	return all, nil
}

// findContainers returns the containers of this instance, only those of box id unless id is
// empty.
func (d *Driver) findContainers(ctx context.Context, id string) ([]container.Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	ours := client.Filters{}.Add("label", labelInstance+"="+d.options.Instance)
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
	if connected, found := d.boxes.Get(id); found && connected.container == c.ID {
		info.Session = connected.Info().Session
	}
	return info
}

// scopeOf returns the scope hash in a container's name, empty for a warm box.
func (d *Driver) scopeOf(name, id string) string {
	middle := strings.TrimSuffix(strings.TrimPrefix(name, d.options.NamePrefix), "-"+id)
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
