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

// silenceLimit is how long a stream of events may be silent. The gateway sends a
// comment every 10 s.
const silenceLimit = 45 * time.Second

// events makes a request whose answer is a stream of events, and calls watch with
// each. It returns nil when the gateway ended the stream and can be asked again.
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
	deaf := time.AfterFunc(silenceLimit, stop)
	defer deaf.Stop()
	lines := bufio.NewReader(&notifyingReader{from: io.LimitReader(res.Body, maxAnswer), notify: func() { deaf.Reset(silenceLimit) }})
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

// notifyingReader calls notify for each piece that is read.
type notifyingReader struct {
	from   io.Reader
	notify func()
}

func (h *notifyingReader) Read(b []byte) (int, error) {
	n, err := h.from.Read(b)
	if n > 0 {
		h.notify()
	}
	return n, err
}
