package action

import (
	"fmt"
	"regexp"
	"time"
)

// Request is a request of a page, a frame or a worker that the page engine
// holds before it leaves the browser.
type Request struct {
	Method   string
	URL      string
	Kind     string      // resource type of the browser's protocol: Document, XHR, Ping, Image…
	Document string      // address of the document or worker that makes it; empty where the browser does not tell
	Origin   string      // that the request says it is of; "null" of a document without one; empty where it says none
	Page     string      // address that its tab shows; empty for a worker of no tab
	Top      bool        // it is for the document of a tab
	Redirect bool        // a redirect led to it
	Crawl    bool        // it is of a page of a crawl
	Open     bool        // of a channel: it is open already, and can only be ended
	Fields   []BodyField // of its body: form fields, or JSON members by their path
	Unread   bool        // Fields does not contain all of its body
	Cut      bool        // it has more fields, or text, than is read
	Unknown  bool        // a part of its body is in no form that can be read
	Sum      string      // SHA-256 of its body in hexadecimal, also of an empty one; empty where the body is not known whole
	Acts     []string    // ids of acts that may have caused it, the newest first; empty when nobody acted
	Told     []string    // those of Acts that are of another tab, whose page can tell the one that sends the request

	// Asking is called when people are asked about the request. The request
	// then waits longer than scripts in the page may wait. act is the act to
	// which it belongs.
	Asking func(act, question string)
}

// Key is equal for requests that send the same bytes to the same address. It is
// empty where the body is not known.
func (r Request) Key() string {
	if r.Sum == "" {
		return ""
	}
	return r.Method + " " + r.URL + " " + r.Sum
}

// IsOrderHeader reports whether a header by its name says what a request does: X-Amz-Target,
// X-October-Request-Handler, HX-Trigger.
func IsOrderHeader(name string) bool { return orderHeader.MatchString(name) }

var orderHeader = regexp.MustCompile(`(?i)^(x|hx)-(.+-)?(target|handler|operation|operation-name|command|action|method|verb|trigger|trigger-name)$`)

// BodyField is a form field, or a member of a JSON body.
type BodyField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// The states of an effect.
const (
	EffectSent    = "sent"    // it left; Status says what the server answered, 0 that it has not yet
	EffectHeld    = "held"    // it waits for a person
	EffectRefused = "refused" // it did not leave
	EffectUnknown = "unknown" // it left, and whether it arrived is not known
)

// Effect is a receipt: the result of a request that may have changed something
// outside of the browser.
type Effect struct {
	Method string `json:"method"`
	URL    string `json:"url" doc:"Without query, token-like parts masked"`
	Host   string `json:"host"`
	State  string `json:"state" enum:"sent,held,refused,unknown"`
	Status int    `json:"status,omitempty" doc:"What the server answered; absent while there is no answer"`
	Why    string `json:"why,omitempty" doc:"Why it did not leave, or what went wrong"`
	Act    string `json:"-"` // id of the act that it belongs to; empty when nobody acted
	Key    string `json:"-"` // of the request, see Request.Key
}

// String describes the result of the request on one line. URL and Why come from
// pages and servers: sanitize the line before it is shown.
func (e Effect) String() string {
	what := e.Method + " " + e.URL
	switch {
	case e.State == EffectHeld:
		return "held: " + what + " waits for a person"
	case e.State == EffectRefused:
		return "refused: " + what + ": " + e.Why
	case e.State == EffectUnknown:
		return "sent " + what + ", and whether it arrived is not known (" + e.Why + "): do not send it again unless the page shows that it did not"
	case e.Status == 0:
		return "sent " + what + ": no answer yet"
	}
	return fmt.Sprintf("sent %s: %d", what, e.Status)
}

// Ruling is the decision on a request: whether it is an effect of which a
// receipt is kept, and to which act it belongs.
type Ruling struct {
	Effect bool
	Act    string
	Notice string // for the agent, with its next answer; empty for none
}

// Sender identifies the session whose browser sends a request.
type Sender struct {
	Owner   Role    // of who started the session
	Sending Sending // how it treats requests
	People  bool    // a person drives the browser, or their program
}

// Held is a held request as it is shown to the people who decide about it.
type Held struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Host   string      `json:"host"`
	From   string      `json:"from,omitempty" doc:"Address of the document that sends it"`
	Cause  string      `json:"cause" doc:"What caused it, in words: the agent's call, or the page by itself"`
	Fields []BodyField `json:"fields,omitempty" doc:"What it would send; values that may be secret are left out"`
	More   bool        `json:"more,omitempty" doc:"It sends more than is listed"`
}

// EffectVerb is the verb in questions about a request. No call has this verb.
const EffectVerb = "page.request"

// Act says how the effects of a call are tracked.
type Act struct {
	ID   string
	Wait time.Duration // how long the call waits for requests that people are asked about; 0 means not at all
	Long time.Duration // how long after the act a request may belong to it

	// Short is how long the call waits if Attended says that nobody follows questions. nil:
	// people do.
	Short    time.Duration
	Attended func() bool
}

// Sending says how those requests of a session are treated that may change
// something.
type Sending string

// The values of Sending.
const (
	SendAsked Sending = "asked" // they are judged, and people are asked where the policy says so
	SendNone  Sending = "none"  // none leaves; nobody is asked
	SendFree  Sending = "free"  // they leave unjudged: for test hosts of an operator
)

// ChannelKind is the Kind of the request that opens a WebSocket; its method is
// CONNECT. Messages on an open WebSocket are not held.
const ChannelKind = "WebSocket"

// Channel is a WebSocket that a box wants to open, as the egress proxy sees it.
type Channel struct {
	URL    string // ws://host:port/path, or wss://host:port/ of one inside TLS
	Origin string // of the page, as the browser says; empty inside TLS
}
