package cdpproxy

import (
	"bytes"
	"encoding/json"
	"time"
)

// info describes a target.
type info struct {
	ID      string `json:"targetId"`
	Type    string `json:"type"`
	Context string `json:"browserContextId"`
}

var (
	ofTargets  = []byte(`{"method":"Target.`)
	ofTraces   = []byte(`{"method":"Tracing.tracingComplete"`)
	ofDialogs  = []byte(`{"method":"Page.javascriptDialogOpening"`)
	anyMethod  = []byte(`{"method":"`)
	endMessage = []byte("}")
)

// Event handles an event of one of the client's sessions, and passes it on unless
// it is about something that the client may not see.
func (c *Client) Event(session string, message []byte) {
	switch {
	case !bytes.HasPrefix(message, anyMethod):
		return
	case bytes.HasPrefix(message, ofTargets) && !c.concerns(session, message),
		bytes.HasPrefix(message, ofDialogs) && c.kept(session, message):
		return
	}
	if bytes.HasPrefix(message, ofTraces) {
		c.traced(message)
	}
	if body, own := bytes.CutSuffix(message, c.tail); own {
		c.out.put(body, endMessage)
		return
	}
	c.out.put(message)
}

// traced records the stream of a trace, which the client may read.
func (c *Client) traced(message []byte) {
	var e struct {
		Params struct {
			Stream string `json:"stream"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &e) != nil || e.Params.Stream == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams[e.Params.Stream] = struct{}{}
}

// concerns records what an event says about targets, and reports whether the
// client may see it.
func (c *Client) concerns(session string, message []byte) bool {
	var e struct {
		Method string `json:"method"`
		Params struct {
			Session string `json:"sessionId"`
			Waiting bool   `json:"waitingForDebugger"`
			Info    info   `json:"targetInfo"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &e) != nil {
		return false
	}
	switch e.Method {
	case "Target.attachedToTarget":
		browser := e.Params.Info.Type == "browser" // filtered like the client's first session
		if !browser && !(*grant)(c).sees(e.Params.Info) {
			c.detachHidden(session, e.Params.Session)
			return false
		}
		c.mu.Lock()
		c.targets[e.Params.Session] = e.Params.Info.ID
		if e.Params.Waiting {
			c.resumeLate(e.Params.Session)
		}
		if browser {
			c.browsers[e.Params.Session] = struct{}{}
		}
		c.mu.Unlock()
		c.line.Adopt(e.Params.Session)
	case "Target.detachedFromTarget":
		if !c.line.Owns(e.Params.Session) {
			return false
		}
		c.line.Drop(e.Params.Session)
		c.mu.Lock()
		delete(c.targets, e.Params.Session)
		delete(c.browsers, e.Params.Session)
		if timer := c.pauses[e.Params.Session]; timer != nil {
			timer.Stop()
			delete(c.pauses, e.Params.Session)
		}
		c.mu.Unlock()
	case "Target.targetCreated", "Target.targetInfoChanged":
		return (*grant)(c).sees(e.Params.Info)
	case "Target.receivedMessageFromTarget":
		return false
	}
	return true
}

// detachHidden detaches the client from a target that it may not see. A target
// that waits for its debuggers would otherwise wait for this client too.
func (c *Client) detachHidden(parent, session string) {
	c.jobs.Add(func() {
		c.conn.Session(session).Send("Runtime.runIfWaitingForDebugger", nil)
		c.conn.Session(parent).Send("Target.detachFromTarget", map[string]string{"sessionId": session})
	})
}

// resumeLate limits how long a target waits for the client to resume it, because
// the page engine and other clients wait too. mu must be held.
func (c *Client) resumeLate(session string) {
	if c.pauses == nil {
		return
	}
	c.pauses[session] = time.AfterFunc(pauseLimit, func() {
		c.jobs.Add(func() { c.conn.Session(session).Send("Runtime.runIfWaitingForDebugger", nil) })
	})
}

// kept reports whether only the engine may answer a dialog: one that opened
// during a call over the API, whose caller gets it, or one that asks whether to
// leave the page, which the engine always accepts. Two answers would race.
func (c *Client) kept(session string, message []byte) bool {
	var e struct {
		Params struct {
			Type string `json:"type"`
		} `json:"params"`
	}
	return json.Unmarshal(message, &e) != nil || e.Params.Type == "beforeunload" || c.keeps(session)
}

func (c *Client) keeps(session string) bool {
	c.mu.Lock()
	target := c.targets[session]
	c.mu.Unlock()
	return c.host.Keeps(target)
}
