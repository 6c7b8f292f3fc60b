package egress

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Transport returns a way to fetch as a box would, for what needs no browser:
// robots.txt and sitemaps. Its connections are proxy connections of the box
// like the browser's own, so the same rules let them through or refuse them.
// What the door says instead of a server has the header X-Glovebox-Refused or
// X-Glovebox-Failed over plain http, and is an error over https. The caller
// closes idle connections.
func (d *Door) Transport(box string) *http.Transport {
	proxy := &url.URL{Scheme: "http", Host: "door.invalid"}
	return &http.Transport{
		Proxy: http.ProxyURL(proxy),
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			d.Handle(box, theirs)
			return ours, nil
		},
		MaxConnsPerHost:        4,
		IdleConnTimeout:        10 * time.Second,
		ResponseHeaderTimeout:  responseTime,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHead,
	}
}
