package gateway

import (
	"log/slog"
	"net/netip"

	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
	"github.com/gloveboxhq/glovebox/internal/surface/stream"
)

// off is the address of a kind of media that is not offered.
const off = "off"

// offerLive adds the live view to what is served. The function that it returns
// disconnects all viewers and closes the ports.
func offerLive(listen *rest.Options, c config.Live, viewers rest.Viewers, log *slog.Logger) (func() error, error) {
	options, err := streamOptions(c, log)
	if err != nil {
		return nil, err
	}
	streams, err := stream.New(options)
	if err != nil {
		return nil, err
	}
	listen.Viewers, listen.Streams, listen.LivePage = viewers, streams, stream.Page()
	return streams.Close, nil
}

// streamOptions returns the settings of the live view. Faults: invalid_request,
// which names the key.
func streamOptions(c config.Live, log *slog.Logger) (stream.Options, error) {
	o := stream.Options{Log: log, Viewers: c.Viewers, SocketOnly: c.UDP == off && c.TCP == off}
	for _, kind := range []struct {
		key, value string
		to         *netip.AddrPort
	}{{"udp", c.UDP, &o.Media.UDP}, {"tcp", c.TCP, &o.Media.TCP}} {
		if kind.value == off {
			continue
		}
		at, err := netip.ParseAddrPort(kind.value)
		if err != nil {
			return stream.Options{}, fault.New(fault.InvalidRequest, "server.live.%s: %q is not an IP address and a port", kind.key, kind.value).
				Hinted("give it as 127.0.0.1:0, or %s", off)
		}
		*kind.to = at
	}
	for _, text := range c.Public {
		at, err := netip.ParseAddr(text)
		if err != nil {
			return stream.Options{}, fault.New(fault.InvalidRequest, "server.live.public_addresses: %q is not an IP address", text).
				Hinted("give addresses such as 203.0.113.7")
		}
		o.Media.Public = append(o.Media.Public, at)
	}
	o.Media.STUN = c.STUN
	return o, nil
}
