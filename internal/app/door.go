package app

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/gate/egress"
)

// openDoor opens the way out of all boxes, with what it tells and asks. own are
// the gateway's listeners.
func openDoor(c config.Network, own []netip.AddrPort, log *slog.Logger, o egress.Options) (*egress.Door, error) {
	most, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	known, err := authorities(c)
	if err != nil {
		return nil, err
	}
	if o.Authorities, err = trusted(known); err != nil {
		return nil, err
	}
	o.Gateway, o.Log = own, log
	o.Limits = egress.Limits{RequestsPerSecond: float64(c.Pace), Connections: c.Connections, Bytes: most, Connection: span(c.MaxMinutes, time.Minute)}
	if c.Resolver != "" {
		o.Resolver = egress.Asking(c.Resolver)
	}
	return egress.New(o), nil
}
