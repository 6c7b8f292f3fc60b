package docker

import (
	"context"
	"errors"
	"net"

	"github.com/moby/moby/api/types/container"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bridge"
)

// Attach reconnects to a box that an earlier process of this gateway started
// (sandbox.Driver). It listens on the box's sockets again and waits for the guest,
// at most for the lease. It refuses a guest whose scope or session differs from
// what the engine stores about the container.
func (d *Driver) Attach(ctx context.Context, id string, egress func(net.Conn)) (sandbox.Box, error) {
	if !sandbox.ValidID(id) {
		return nil, notFound(id)
	}
	if egress == nil {
		return nil, fault.New(fault.InvalidRequest, "nobody takes the box's connections").Hinted("pass egress")
	}
	b, err := d.boxes.Connect(ctx, id, func(ctx context.Context) (*box, error) { return d.attach(ctx, id, egress) })
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (d *Driver) attach(ctx context.Context, id string, egress func(net.Conn)) (*box, error) {
	found, err := d.findContainers(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 || found[0].State != container.StateRunning {
		return nil, notFound(id)
	}
	link, err := d.listen(bridge.LinkOptions{
		Box: id, Home: home, Adopt: true, Headless: found[0].Labels[labelHeadless] == "true", Egress: egress,
	})
	if err != nil {
		return nil, err
	}
	info := d.info(found[0])
	if err := d.verifyGuest(ctx, link, info); err != nil {
		_ = link.Close()
		return nil, err
	}
	info.Session = link.Session()
	return d.newBox(found[0].ID, link, info, true), nil
}

// verifyGuest waits for the guest and compares its scope and session with info.
func (d *Driver) verifyGuest(ctx context.Context, link *bridge.Link, info sandbox.Info) error {
	waiting, cancel := context.WithTimeout(ctx, d.options.Lease)
	defer cancel()
	if err := link.Connected(waiting); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return notFound(info.ID).Because(err)
	}
	if link.ScopeHash() != info.ScopeHash || info.Session != "" && link.Session() != info.Session {
		d.options.Log.Error("a guest says it is another scope's or session's", "box", info.ID)
		return notFound(info.ID).Because(errors.New("the guest claims another scope or session"))
	}
	return nil
}
