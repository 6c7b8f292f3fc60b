package app

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/gate/egress"
)

// openDoor opens the way out of all boxes. own are the gateway's listeners.
func openDoor(c config.Network, own []netip.AddrPort, log *slog.Logger, refused func(string, action.Refusal)) (*egress.Door, error) {
	most, err := c.Bytes()
	if err != nil {
		return nil, err
	}
	o := egress.Options{Gateway: own, Log: log, Refused: refused, Limits: egress.Limits{
		RequestsPerSecond: float64(c.Pace), Connections: c.Connections, Bytes: most, Connection: span(c.MaxMinutes, time.Minute),
	}}
	if c.Resolver != "" {
		o.Resolver = egress.Asking(c.Resolver)
	}
	return egress.New(o), nil
}
