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

const callTimeout = 10 * time.Second // for a request to a guest that has nothing to wait for

// origin is how requests over the wire are addressed; nothing resolves it.
const origin = "http://box"

// Version is the guest's answer to /json/version: what the browser says of
// itself, and where its WebSocket is.
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

// refusal is the body of every answer that is no success.
type refusal struct {
	Error string `json:"error"`
}

// Health asks the guest how the box is, within 10 seconds. What it says is
// bounded and cleaned. Faults: cdp_error when it does not answer.
func (l *Link) Health(ctx context.Context) (sandbox.Health, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var h sandbox.Health
	if err := l.call(ctx, http.MethodGet, "/health", nil, &h); err != nil {
		return sandbox.Health{}, err
	}
	return clean(h, time.Now()), nil
}

// Assign gives an unassigned box to a scope and a session, once. scope is the
// scope itself; the box learns only its hash. Faults: already_active when the
// box is assigned, invalid_request, cdp_error.
func (l *Link) Assign(ctx context.Context, scope, session string) error {
	hash := sandbox.ScopeHash(scope)
	if hash == "" || session == "" || !sessionPattern.MatchString(session) {
		return fault.New(fault.InvalidRequest, "a box is assigned to a scope and a session of at most 64 letters, digits, _ and -").
			Hinted("name both")
	}
	if l.ScopeHash() != "" {
		return assigned(l.o.Box)
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

func assigned(box string) *fault.Fault {
	return fault.New(fault.AlreadyActive, "box %s is assigned already", box).
		Hinted("a box serves one session: start another box")
}

// CDP opens the connection to the browser, the handshake within ctx and 10
// seconds. A connection that was open ends with ErrReplaced. A
// frozen box is thawed, and by each message that is written later. Faults: cdp_error.
func (l *Link) CDP(ctx context.Context) (sandbox.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := l.Thaw(ctx); err != nil {
		return nil, err
	}
	w, err := l.wire(ctx)
	if err != nil {
		return nil, err
	}
	token, err := l.o.Key.mint(l.o.Box, l.ScopeHash(), time.Now())
	if err != nil {
		return nil, err
	}
	conn, res, err := websocket.Dial(ctx, origin+"/cdp", &websocket.DialOptions{
		HTTPClient:      w.client,
		HTTPHeader:      http.Header{"Authorization": {"Bearer " + token}},
		CompressionMode: websocket.CompressionDisabled,
	})
	if err == nil {
		return newStream(conn, l.Thaw), nil
	}
	if res != nil && res.StatusCode != http.StatusSwitchingProtocols {
		return nil, refused(l.o.Box, res).Because(err)
	}
	return nil, silent(l.o.Box).Because(err)
}

// call makes one request and decodes the answer into out, which may be nil.
func (l *Link) call(ctx context.Context, method, path string, in, out any) error {
	w, err := l.wire(ctx)
	if err != nil {
		return err
	}
	req, err := l.request(ctx, method, path, in)
	if err != nil {
		return err
	}
	res, err := w.client.Do(req)
	if err != nil {
		return silent(l.o.Box).Because(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		return refused(l.o.Box, res)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReport+1))
	if err != nil {
		return silent(l.o.Box).Because(err)
	}
	if len(body) > maxReport {
		return silent(l.o.Box).Because(fmt.Errorf("%s answered more than %d bytes", path, maxReport))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return silent(l.o.Box).Because(fmt.Errorf("%s answered no JSON: %w", path, err))
	}
	return nil
}

// request makes a request with a token of its own.
func (l *Link) request(ctx context.Context, method, path string, in any) (*http.Request, error) {
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
	token, err := l.o.Key.mint(l.o.Box, l.ScopeHash(), time.Now())
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	return req, nil
}

func silent(box string) *fault.Fault {
	return fault.New(fault.CDPError, "the guest of box %s does not answer", box).
		Hinted("try again; if it stays so, close the session and start another")
}

// refused turns an answer that is no success into a fault.
func refused(box string, res *http.Response) *fault.Fault {
	var r refusal
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxHello))
	_ = json.Unmarshal(body, &r)
	if res.StatusCode == http.StatusConflict {
		return assigned(box)
	}
	return fault.New(fault.CDPError, "the guest of box %s refused: %s", box, untrusted.LogLine(r.Error, maxReason)).
		Hinted("ask its health; if the browser has failed, close the session and start another").
		With("status", res.StatusCode)
}
