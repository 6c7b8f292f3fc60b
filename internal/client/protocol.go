package client

import (
	"context"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// maxMessage is the longest message of the DevTools protocol, in bytes.
const maxMessage = 256 << 20

// Protocol connects to the DevTools protocol of a session, by its id. Faults: those
// of the gateway, not_active where it cannot be reached.
func (c *Client) Protocol(ctx context.Context, session string) (*websocket.Conn, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath("v1", "sessions", session, "browser", "cdp").String(), nil)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	c.sign(req)
	conn, res, err := websocket.Dial(ctx, req.URL.String(), &websocket.DialOptions{HTTPClient: c.http, HTTPHeader: req.Header})
	if err == nil {
		conn.SetReadLimit(maxMessage)
		return conn, nil
	}
	if res == nil {
		return nil, unreachable(ctx, err)
	}
	raw, _ := io.ReadAll(res.Body) // the library has read the beginning of it
	_ = res.Body.Close()
	return nil, problemFault(res, raw)
}
