package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const callTimeout = 10 * time.Second // for a request that the guest answers at once

// origin is the scheme and host of requests to the guest; it is never resolved.
const origin = "http://box"

// Version is the guest's response to /json/version: the browser's version, and
// the URL of its WebSocket.
type Version struct {
	Browser   string `json:"Browser"`
	Protocol  string `json:"Protocol-Version"`
	UserAgent string `json:"User-Agent"`
	V8        string `json:"V8-Version"`
	URL       string `json:"webSocketDebuggerUrl"`
}

// assignment is the body of POST /assign.
type assignment struct {
	ScopeHash string `json:"scopeHash"`
	Session   string `json:"session"`
}

// errorBody is the body of every error response.
type errorBody struct {
	Error string `json:"error"`
}

// Health returns the guest's report, with limited sizes and without control
// characters. It waits at most 10 seconds. Faults: cdp_error.
func (l *Link) Health(ctx context.Context) (sandbox.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var h sandbox.Health
	if err := l.call(ctx, http.MethodGet, "/health", nil, &h); err != nil {
		return sandbox.Health{}, err
	}
	return sanitizeHealth(h, time.Now()), nil
}

// Assign binds an unassigned box to a scope and a session, once. It sends the
// box only the hash of scope. Faults: already_active when the box is assigned,
// invalid_request, cdp_error.
func (l *Link) Assign(ctx context.Context, scope, session string) error {
	hash := sandbox.ScopeHash(scope)
	if hash == "" || session == "" || !sessionPattern.MatchString(session) {
		return fault.New(fault.InvalidRequest, "a box is assigned to a scope and a session of at most 64 letters, digits, _ and -").
			Hinted("name both")
	}
	if l.ScopeHash() != "" {
		return alreadyAssigned(l.options.Box)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := l.call(ctx, http.MethodPost, "/assign", assignment{hash, session}, nil); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scope, l.session = hash, session
	return nil
}

func alreadyAssigned(box string) *fault.Fault {
	return fault.New(fault.AlreadyActive, "box %s is assigned already", box).
		Hinted("a box serves one session: start another box")
}

// CDP opens a connection to the browser, within ctx and 10 seconds. The previous
// connection ends with ErrReplaced. CDP thaws a frozen box, and so does each
// message written later. Faults: cdp_error.
func (l *Link) CDP(ctx context.Context) (sandbox.Stream, error) {
	conn, err := l.dial(ctx, "/cdp")
	if err != nil {
		return nil, err
	}
	return newStream(conn, l.Thaw), nil
}

// dial opens a WebSocket to the guest, within ctx and 10 seconds. It thaws a frozen
// box first. Faults: cdp_error.
func (l *Link) dial(ctx context.Context, path string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := l.Thaw(ctx); err != nil {
		return nil, err
	}
	guest, err := l.waitGuest(ctx)
	if err != nil {
		return nil, err
	}
	token, err := l.options.Key.mint(l.options.Box, l.ScopeHash(), time.Now())
	if err != nil {
		return nil, err
	}
	conn, res, err := websocket.Dial(ctx, origin+path, &websocket.DialOptions{
		HTTPClient:      guest.client,
		HTTPHeader:      http.Header{"Authorization": {"Bearer " + token}},
		CompressionMode: websocket.CompressionDisabled,
	})
	if err == nil {
		return conn, nil
	}
	if res != nil && res.StatusCode != http.StatusSwitchingProtocols {
		return nil, refusalFault(l.options.Box, res).Because(err)
	}
	return nil, noAnswer(l.options.Box).Because(err)
}

// call sends a request and decodes the response into out, which may be nil.
func (l *Link) call(ctx context.Context, method, path string, in, out any) error {
	return l.callUpTo(ctx, maxReport, method, path, in, out)
}

// callUpTo is call for a response of at most so many bytes.
func (l *Link) callUpTo(ctx context.Context, most int64, method, path string, in, out any) error {
	guest, err := l.waitGuest(ctx)
	if err != nil {
		return err
	}
	req, err := l.newRequest(ctx, method, path, in)
	if err != nil {
		return err
	}
	res, err := guest.client.Do(req)
	if err != nil {
		return noAnswer(l.options.Box).Because(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		return refusalFault(l.options.Box, res)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		return noAnswer(l.options.Box).Because(err)
	}
	if int64(len(body)) > most {
		return noAnswer(l.options.Box).Because(fmt.Errorf("%s answered more than %d bytes", path, most))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return noAnswer(l.options.Box).Because(fmt.Errorf("%s answered no JSON: %w", path, err))
	}
	return nil
}

// newRequest returns a request with its own token.
func (l *Link) newRequest(ctx context.Context, method, path string, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("cannot encode %s: %w", path, err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, origin+path, body)
	if err != nil {
		return nil, fmt.Errorf("cannot make a request: %w", err)
	}
	token, err := l.options.Key.mint(l.options.Box, l.ScopeHash(), time.Now())
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return req, nil
}

func noAnswer(box string) *fault.Fault {
	return fault.New(fault.CDPError, "the guest of box %s does not answer", box).
		Hinted("try again; if it stays so, close the session and start another")
}

// refusalFault returns the fault for an error response.
func refusalFault(box string, res *http.Response) *fault.Fault {
	var r errorBody
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxHello))
	_ = json.Unmarshal(body, &r)
	if res.StatusCode == http.StatusConflict {
		return alreadyAssigned(box)
	}
	if r.Error == noDisplay {
		return fault.New(fault.ProviderNotSupported, "this session's display cannot be captured").
			Hinted("a headless session has none; the screenshots of the browser work in each")
	}
	return fault.New(fault.CDPError, "the guest of box %s refused: %s", box, untrusted.LogLine(r.Error, maxReason)).
		Hinted("ask its health; if the browser has failed, close the session and start another").
		With("status", res.StatusCode)
}
