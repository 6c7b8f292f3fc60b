package client

import (
	"bufio"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// isWatched reports whether the caller wants events of a call while it runs.
func isWatched(verb *action.Verb, call action.Call) bool {
	return call.Crawl != nil && verb.Name == action.VerbPageCrawl.Name || call.Run != nil && verb.Name == action.VerbRunStart.Name
}

// follow makes a request whose answer is server-sent events, and passes them to the
// call's observers. The result has every page that was received. An answer of
// another type is decoded as it is.
func (c *Client) follow(req *http.Request, s *stream) (action.Result, error) {
	c.sign(req)
	req.Header.Set("Accept", "text/event-stream, application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return action.Result{}, unreachable(req.Context(), err)
	}
	defer func() { _ = res.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "text/event-stream" {
		raw, err := c.whole(req, res)
		if err != nil {
			return action.Result{}, err
		}
		return decode(s.verb, raw)
	}
	lines := bufio.NewReader(io.LimitReader(res.Body, maxAnswer))
	for {
		name, data, err := event(lines)
		if err != nil {
			return s.cut(), unreachable(req.Context(), err)
		}
		if result, over, err := s.take(name, data); over {
			return result, err
		}
	}
}

// event reads one event; comments are skipped.
func event(lines *bufio.Reader) (name string, data []byte, err error) {
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return "", nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && name != "":
			return name, data, nil
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value...)
		}
	}
}

// stream is what was received so far.
type stream struct {
	verb  *action.Verb
	call  action.Call // with the observers
	pages []action.CrawledPage
}

// take reads one event; over reports that it was the last one.
func (s *stream) take(name string, data []byte) (result action.Result, over bool, err error) {
	switch name {
	case "step", "state":
		s.tell(name, data)
	case "page":
		var p action.CrawledPage
		if json.Unmarshal(data, &p) != nil {
			return s.cut(), true, stranger()
		}
		s.pages = append(s.pages, p)
		if watch := s.call.Crawl; watch != nil && watch.Page != nil {
			watch.Page(p)
		}
	case "progress":
		var p action.CrawlProgress
		if watch := s.call.Crawl; json.Unmarshal(data, &p) == nil && watch != nil && watch.Progress != nil {
			watch.Progress(p)
		}
	case "done":
		result, err := decode(s.verb, data)
		if crawled, ok := result.Data.(*action.Crawled); ok && s.pages != nil {
			crawled.Pages = s.pages
		}
		return result, true, err
	case "error":
		var p problem
		if json.Unmarshal(data, &p) != nil || p.Code == "" {
			return s.cut(), true, stranger()
		}
		return s.cut(), true, p.fault()
	}
	return action.Result{}, false, nil
}

// tell passes an event to the call's observer.
func (s *stream) tell(name string, data []byte) {
	watch := s.call.Run
	var line action.RunEntry
	var run action.Run
	switch {
	case watch == nil:
	case name == "step" && watch.Step != nil && json.Unmarshal(data, &line) == nil:
		watch.Step(line)
	case name == "state" && watch.State != nil && json.Unmarshal(data, &run) == nil:
		watch.State(run)
	}
}

// cut is the result of a stream that ended early.
func (s *stream) cut() action.Result {
	if len(s.pages) == 0 {
		return action.Result{}
	}
	return action.Result{Data: &action.Crawled{Pages: s.pages, TotalPages: len(s.pages), Truncated: true, Stopped: "cancelled"}}
}
