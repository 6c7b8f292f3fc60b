package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// silence is how long a stream of events may say nothing, not even that it is
// still there; above the gateway's 10 s between comments.
const silence = 45 * time.Second

// events makes a request whose answer is a stream of events, and tells watch of
// them until it ends: with nil when the gateway ended it, which asks to come
// again.
func (c *Client) events(req *http.Request, watch *action.EventWatch) (action.Result, error) {
	outer := req.Context()
	ctx, stop := context.WithCancel(outer)
	defer stop()
	req = req.WithContext(ctx)
	c.sign(req)
	req.Header.Set("Accept", "text/event-stream")
	res, err := c.http.Do(req)
	if err != nil {
		return action.Result{}, unreachable(outer, err)
	}
	defer func() { _ = res.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "text/event-stream" {
		if _, err := c.whole(req, res); err != nil {
			return action.Result{}, err
		}
		return action.Result{}, stranger()
	}
	if watch.Begin != nil {
		watch.Begin()
	}
	deaf := time.AfterFunc(silence, stop)
	defer deaf.Stop()
	lines := bufio.NewReader(&heard{from: io.LimitReader(res.Body, mostBytes), hear: func() { deaf.Reset(silence) }})
	for {
		_, data, err := event(lines)
		if errors.Is(err, io.EOF) {
			return action.Result{}, nil
		}
		if err != nil {
			return action.Result{}, unreachable(outer, err)
		}
		var e action.Event
		if json.Unmarshal(data, &e) != nil {
			return action.Result{}, stranger()
		}
		if err := watch.Event(e); err != nil {
			return action.Result{}, fault.From(err)
		}
	}
}

// heard tells of each piece that comes.
type heard struct {
	from io.Reader
	hear func()
}

func (h *heard) Read(b []byte) (int, error) {
	n, err := h.from.Read(b)
	if n > 0 {
		h.hear()
	}
	return n, err
}
