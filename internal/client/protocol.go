package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// maxMessage is the longest message of the DevTools protocol, in bytes.
const maxMessage = 256 << 20

// Protocol connects to the DevTools protocol of a session, by its id. Faults: those
// of the gateway, not_active where it cannot be reached.
func (c *Client) Protocol(ctx context.Context, session string) (*websocket.Conn, error) {
	conn, _, err := c.upgrade(ctx, c.base.JoinPath("v1", "sessions", session, "browser", "cdp"), maxMessage, action.Call{}, nil)
	return conn, err
}

// Agent says what an MCP client asks of the gateway.
type Agent struct {
	Tools    []string // groups of tools; the usual ones when empty
	ReadOnly bool     // sessions that it starts only read
	Unmet    []string // hosts that it was set up for, and that the gateway does not allow
	Name     string   // random letters and digits, the same for each connection of one client
	Pinged   func()   // is called for each ping of the gateway, which sends one every 20 s
}

// MCP connects to the gateway's MCP server. Each message of the connection is one
// of the protocol. background says that the gateway was started by glovebox mcp.
// Faults: as of Protocol.
func (c *Client) MCP(ctx context.Context, a Agent) (conn *websocket.Conn, background bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*healthLimit)
	defer cancel()
	query := url.Values{"connection": {a.Name}}
	if len(a.Tools) > 0 {
		query.Set("tools", strings.Join(a.Tools, ","))
	}
	if a.ReadOnly {
		query.Set("read-only", "true")
	}
	unmet := slices.DeleteFunc(slices.Clone(a.Unmet), func(host string) bool { return !action.IsUnmet(host) })
	if unmet = unmet[:min(len(unmet), action.MaxUnmet)]; len(unmet) > 0 {
		query.Set("unmet", strings.Join(unmet, ","))
	}
	at := c.base.JoinPath("v1", "mcp", "stream")
	at.RawQuery = query.Encode()
	conn, header, err := c.upgrade(ctx, at, maxAnswer, action.Call{Surface: "mcp"}, func(context.Context, []byte) bool {
		a.Pinged()
		return true
	})
	if fault.CodeOf(err) == fault.NotFound { // the route
		return nil, false, fault.New(fault.NotActive, "the gateway that runs is of another version of glovebox").
			Hinted("end it, and start it with this version: glovebox serve").Because(err)
	}
	return conn, header.Get("Glovebox-Background") == "true", err
}

// upgrade opens a WebSocket, and returns the headers of the gateway's answer with it.
func (c *Client) upgrade(ctx context.Context, at *url.URL, most int64, call action.Call, pinged func(context.Context, []byte) bool) (conn *websocket.Conn, header http.Header, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, nil, unreachable(ctx, err)
	}
	c.sign(req)
	mark(req, call)
	conn, res, err := websocket.Dial(ctx, req.URL.String(), &websocket.DialOptions{HTTPClient: c.http, HTTPHeader: req.Header, OnPingReceived: pinged})
	if err == nil {
		conn.SetReadLimit(most)
		return conn, res.Header, nil
	}
	if res == nil {
		return nil, nil, unreachable(ctx, err)
	}
	raw, _ := io.ReadAll(res.Body) // the library has read the beginning of it
	_ = res.Body.Close()
	return nil, nil, problemFault(res, raw)
}
