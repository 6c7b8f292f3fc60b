package cdpproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
)

// Answer passes on a piece of an answer under the client's own id. It removes the
// session id at the end of answers of the client's browser session.
func (c *Client) Answer(to *cdp.Relayed, piece []byte, last bool) {
	var head []byte
	if !c.begun {
		head = strconv.AppendInt([]byte(`{"id":`), to.ID, 10)
	}
	c.begun = !last
	c.look(to, piece, last)
	if to.Session != c.line.Root() {
		c.out.begin(last, head, piece)
		return
	}
	held, body, end := c.cut(piece, last)
	c.out.begin(last, head, held, body, end)
}

// cut returns the part of an answer that can be passed on now. It holds back the
// last bytes until it is known whether they are the session id.
func (c *Client) cut(piece []byte, last bool) (held, body, end []byte) {
	held, body = bytes.Clone(c.held), piece
	if len(piece) < len(c.tail) {
		held, body = nil, append(held, piece...)
	}
	split := max(0, len(body)-len(c.tail))
	c.held = append(c.held[:0], body[split:]...)
	body = body[:split]
	if !last {
		return held, body, nil
	}
	end = bytes.Clone(c.held)
	if bytes.Equal(end, c.tail) {
		end = endMessage
	}
	c.held = c.held[:0]
	return held, body, end
}

const maxInspected = 64 << 10 // bytes of an answer with a stream's handle

// look records the stream that an answer names.
func (c *Client) look(to *cdp.Relayed, piece []byte, last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, asked := c.printing[to.ID]; !asked {
		return
	}
	if c.whole = append(c.whole, piece...); !last && len(c.whole) < maxInspected {
		return
	}
	delete(c.printing, to.ID)
	var answer struct {
		Result struct {
			Stream string `json:"stream"`
		} `json:"result"`
	}
	message := append([]byte("{"), bytes.TrimPrefix(c.whole, []byte(","))...)
	if json.Unmarshal(message, &answer) == nil && answer.Result.Stream != "" {
		c.streams[answer.Result.Stream] = struct{}{}
	}
	c.whole = nil
}

// ask makes a call for the client whose answer decides what else the client may
// do, or contains more than the client may see.
func (c *Client) ask(ctx context.Context, m call, j judgement) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	session := m.session
	if session == "" {
		session = c.line.Root()
	}
	var params any
	if len(m.params) > 0 {
		params = json.RawMessage(m.params)
	}
	var result json.RawMessage
	err := c.conn.Session(session).Call(ctx, m.method, params, &result)
	var answer any
	if err == nil {
		answer, err = c.shown(j, result)
	}
	var said *cdp.Error
	switch {
	case err == nil:
		c.reply(m, "result", answer)
	case errors.As(err, &said):
		c.refuse(m, said.Code, said.Message)
	default:
		c.refuse(m, -32000, "glovebox: the browser did not answer "+m.method)
	}
}

// shown returns the part of a result that the client may see.
func (c *Client) shown(j judgement, result json.RawMessage) (any, error) {
	switch j.wants {
	case targets:
		return c.shownTargets(result)
	case contexts:
		return c.shownContexts(), nil
	case oldContext:
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.contexts, j.context)
		return result, nil
	default:
		return c.taken(result)
	}
}

func (c *Client) shownTargets(result json.RawMessage) (any, error) {
	var all struct {
		Infos []json.RawMessage `json:"targetInfos"`
	}
	if err := json.Unmarshal(result, &all); err != nil {
		return nil, err //nolint:wrapcheck // the caller treats it as no answer
	}
	seen := make([]json.RawMessage, 0, len(all.Infos))
	for _, raw := range all.Infos {
		var i info
		if json.Unmarshal(raw, &i) == nil && (*grant)(c).sees(i) {
			seen = append(seen, raw)
		}
	}
	return map[string]any{"targetInfos": seen}, nil
}

// shownContexts lists the contexts that the client made. The session's own
// context is not listed, because clients treat it as the default one.
func (c *Client) shownContexts() any {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]string, 0, len(c.contexts))
	for id := range c.contexts {
		ids = append(ids, id)
	}
	return map[string]any{"browserContextIds": ids, "defaultBrowserContextId": c.host.Home()}
}

// taken records that the client made a context, and sets the session's download
// behaviour in it before a page can open there.
func (c *Client) taken(result json.RawMessage) (any, error) {
	var made struct {
		ID string `json:"browserContextId"`
	}
	if err := json.Unmarshal(result, &made); err != nil {
		return nil, err //nolint:wrapcheck // the caller treats it as no answer
	}
	c.mu.Lock()
	c.contexts[made.ID] = struct{}{}
	c.mu.Unlock()
	downloads := map[string]any{"browserContextId": made.ID}
	for name, value := range c.host.Downloads() {
		downloads[name] = value
	}
	c.conn.Root().Send("Browser.setDownloadBehavior", downloads)
	return map[string]string{"browserContextId": made.ID}, nil
}
