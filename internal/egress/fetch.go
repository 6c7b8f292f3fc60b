package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Transport returns a way to fetch as a box would, for what needs no browser:
// robots.txt and sitemaps. Its connections are proxy connections of the box
// like the browser's own, so the same rules let them through or refuse them.
// An answer of the proxy in place of the server's has the header X-Glovebox-Refused or
// X-Glovebox-Failed over plain http, and is an error over https. The caller
// closes idle connections.
func (d *Proxy) Transport(box string) *http.Transport {
	proxy := &url.URL{Scheme: "http", Host: "door.invalid"}
	return &http.Transport{
		Proxy: http.ProxyURL(proxy),
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			d.Handle(box, theirs)
			return ours, nil
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: d.options.Authorities},
		MaxConnsPerHost:        4,
		IdleConnTimeout:        10 * time.Second,
		ResponseHeaderTimeout:  responseTime,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHead,
	}
}

// Unreached says why a box can open no tunnel to the host of a URL, in the words
// of X-Glovebox-Failed; "" where it can, or where that is refused. Nothing is
// sent to the host.
func (d *Proxy) Unreached(ctx context.Context, box, rawURL string) string {
	said, enough := "", errors.New("this is all there is to know")
	t := d.Transport(box)
	t.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		said = answer.Header.Get("X-Glovebox-Failed")
		return enough
	}
	defer t.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, rawURL, nil)
	if err != nil || r.URL.Scheme != "https" {
		return ""
	}
	if answer, err := t.RoundTrip(r); err == nil {
		_ = answer.Body.Close()
	}
	return said
}
