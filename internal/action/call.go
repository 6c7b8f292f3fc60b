// Package action defines the verbs of the gateway and the data of a call: who
// makes it, its arguments, the facts about the page, and its result. It
// contains no behaviour except finding a verb and checking its arguments.
package action

import (
	"context"
	"errors"
	"time"
)

// Role is the role of a caller. The zero Role is refused.
type Role string

// The roles of callers.
const (
	Agent    Role = "agent"    // driven by a model; assumed to be hijackable by what it reads
	Viewer   Role = "viewer"   // may only watch
	Operator Role = "operator" // a person or their program
)

// Caller is an authenticated party. No caller reaches data of another scope.
type Caller struct {
	Actor string `json:"actor"` // id of the party, for the audit
	Scope string `json:"scope"` // the user or tenant it acts for
	Role  Role   `json:"role"`
}

// Call is one request to the gate.
type Call struct {
	ID      string        // correlation id, set by the surface or else by the gate
	Verb    string        // a name of the table, "page.click"
	Caller  Caller        // from the token, never from the body
	Session string        // id or name; empty means the caller's own open one that was used last
	Args    any           // pointer to the verb's argument type, see Verb.NewArgs
	Surface string        // "rest", "mcp" or "cli", for the audit
	Source  Source        // where it came from, for the audit
	Part    string        // which part of one request it is, in words: "step 2 of 3"; empty for a whole one
	Wait    time.Duration // longest time to block on a question; 0 means until it is answered or expires

	// Connection identifies a connection of a caller. An unnamed call of a
	// connection means the session that the connection started. It is empty for
	// calls without a connection, which mean any session of their caller.
	Connection string

	// Quiet says that the answer cannot contain notes. The notes of the session
	// are kept for its next answer.
	Quiet bool

	// OfRun says that the call is a step of a contract run. Then the rules of
	// runs apply, whoever started it: test data only, and people are asked
	// about hosts.
	OfRun bool

	// Changes asks a verb that Tells to report what changed on the page since
	// the caller was last shown it, after the effects of the call have settled.
	Changes bool

	// Act says how the effects of the call are tracked; nil if they are not.
	// The gate sets it.
	Act *Act

	// Peek says that the call is only looked at and will not be made. A look is
	// not counted and has no effect.
	Peek bool

	// Bind binds work that outlives the call to the token of the call: the
	// context ends when the token is revoked or expires. It is nil if no token
	// can end.
	Bind func(context.Context) (bound context.Context, release func())

	// Progress receives the phase of a long call, in words for people. It must
	// not block; nil if nobody is interested.
	Progress func(phase string)
	// Asked receives a question for which the call waits, when it is put to
	// people. It must not block; nil if nobody is interested.
	Asked func(Pending)
	// Crawl receives the progress of a crawl; nil if nobody is interested.
	Crawl *CrawlWatch
	// Events receives events while events.follow runs; nil if nobody is
	// interested.
	Events *EventWatch
	// Run receives the progress of a run while the call waits for it; nil if
	// nobody is interested.
	Run *RunWatch
}

// ErrNoTurn is the cause when a call ended while it waited for its turn in a
// session, before it did anything there.
var ErrNoTurn = errors.New("the call waited for its turn")

// Result is the result of a call.
type Result struct {
	Session   string     `json:"session,omitempty"` // id of the session it ran in
	Data      any        `json:"data,omitempty"`    // pointer to the verb's result type, see Verb.NewData
	Page      *Page      `json:"page,omitempty"`    // where the active page is now
	Changes   *Changes   `json:"changes,omitempty"` // what changed on the page, if the call asked for it
	Modal     *Dialog    `json:"modal,omitempty"`   // a dialog that waits for page.dialog
	Notes     []string   `json:"notes,omitempty"`   // what else the caller should know: popups, downloads, blocked requests
	Artifacts []Artifact `json:"artifacts,omitempty"`
	Effects   []Effect   `json:"effects,omitempty"` // requests that the call caused and that may have changed something outside
	Pending   *Pending   `json:"pending,omitempty"` // set when a question still waits; nothing was done, unless it says so
}

// Page is the address and title of a page.
type Page struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// Dialog is an open JavaScript dialog.
type Dialog struct {
	Kind    string `json:"kind"` // alert, confirm, prompt
	Message string `json:"message"`
	Default string `json:"default,omitempty"` // prefilled answer of a prompt
}

// Pending says that a person has not answered yet. The same call, made again,
// gets the answer.
type Pending struct {
	Approval string    `json:"approvalId"`
	Expires  time.Time `json:"expires"`
	Risk     Risk      `json:"risk"`
	Done     bool      `json:"done,omitempty"` // the act was done, and a request that it caused waits
}

// Facts are the facts by which the gate judges a call. They are read from the
// live page and not taken from the caller's words.
type Facts struct {
	Session     SessionFacts
	Page        Page
	Element     *Element     // the element found, for verbs that have one
	Onto        *Element     // the target of the drop, for page.drag
	Destination *Destination // where a navigation, or a click on a link, would go
	Options     []string     // labels of what would be, or could be, chosen in a list
	Dialog      *Dialog      // the open dialog, for answering it
	Resubmits   bool         // a reload would post a form again
	Unheld      bool         // the page has an open WebSocket or WebTransport, whose messages cannot be held
	Crawl       *CrawlGrant  // the crawl that a page belongs to, or that is to begin
	Run         *RunGrant    // what the browser of a run would be permitted to do
	Secret      *SecretFacts // what would be typed, for page.fill_secret
}

// SessionFacts are the counters and state of a session at the time of a call.
type SessionFacts struct {
	ID       string
	Box      string
	State    string
	Held     string // Hold.Code while an open session is paused or taken over
	Actions  int    // write calls so far
	Failures int    // failures in a row so far

	Credentialed bool // credentials were put into it, at any time of its life
	Scripted     bool // an agent ran a script or a DevTools client in it

	Sending Sending // how its requests that may change something are treated
}

// Element describes an element as the page presents it.
type Element struct {
	Role         string `json:"role"`
	Name         string `json:"name"`
	Tag          string `json:"tag"`                    // lower case
	Type         string `json:"type,omitempty"`         // of an input or button
	Autocomplete string `json:"autocomplete,omitempty"` // the attribute
	Ref          string `json:"ref,omitempty"`
	Label        string `json:"label,omitempty"`     // value, title, icon label or test id, if Name is empty or only a symbol
	Within       string `json:"-"`                   // labels, headings and short texts of its ancestors; for judging, not shown
	Login        bool   `json:"-"`                   // a field of a form, or page, that has a password field
	FieldName    string `json:"fieldName,omitempty"` // name and id attributes, for what a field is about
	Placeholder  string `json:"placeholder,omitempty"`
	FrameURL     string `json:"frameUrl,omitempty"`   // of the frame it is in
	LinkURL      string `json:"linkUrl,omitempty"`    // absolute, for what leads somewhere
	FormAction   string `json:"formAction,omitempty"` // absolute, of the form it is in
	FormMethod   string `json:"formMethod,omitempty"` // "get", "post", "dialog"
	Submits      bool   `json:"submits,omitempty"`    // activating it (or Enter in it) submits a form
	SubmitName   string `json:"submitName,omitempty"` // name of the form's default button

	// What the form sends if it is submitted now, as name and value, without secrets
	// and files; values of at most 200 characters. For judging, not shown.
	FormFields [][2]string `json:"-"`
	FormRead   bool        `json:"-"` // FormFields is known

	Editable  bool `json:"editable,omitempty"`
	Code      bool `json:"code,omitempty"`      // a code editor
	Protected bool `json:"protected,omitempty"` // its value is a secret
	Toggle    bool `json:"toggle,omitempty"`    // a checkbox, radio or switch; a tab among others; a control that opens something existing

	// The following fields are for judging and are not shown. Several texts in
	// a field are separated by " · ".
	Also     string `json:"-"` // other names that a person or a screen reader may know it by
	Orders   string `json:"-"` // hidden fields of the form and attributes that say what is requested, as name=value
	Dialog   string `json:"-"` // the text of the dialog that contains it; the dialog's role if it has no text
	Beside   string `json:"-"` // names of the buttons beside it
	Item     string `json:"-"` // first words of the row or entry it is in
	Scripted bool   `json:"-"` // a script of the page is known to handle acts on it
	Blank    bool   `json:"-"` // no field around it holds a text that it could send
	Emptied  bool   `json:"-"` // a text area of its form had a default text and is empty
	Icons    string `json:"-"` // identifiers of it and its pictures: classes, ids, data attributes, names of files
	On       bool   `json:"-"` // checked, switched on or selected
	Chosen   string `json:"-"` // labels of what is chosen in a list
}

// Destination is a URL as the egress proxy parses and judges it.
type Destination struct {
	URL     string // normalised
	Host    string // canonical host, no port
	Site    string // registrable domain
	Allowed bool   // a document may be loaded from there
	Reason  string // why not, when not allowed
}

// Reasons of a Destination that others than the egress proxy decide about.
const (
	PortNotAllowed = "port is not allowed"
	SpecialAddress = "host has a private or special address"
)

// Pin binds a verdict to the element or page that was judged. Do refuses with
// page_changed when it has changed.
type Pin struct {
	Session  string // id of the session
	Tab      string // CDP target id
	Document string // loader id of the frame's document
	Node     string // identity of the element inside the document
	Print    string // fingerprint of what was judged: role, name, type, link, form
	Drop     Spot   // the second element of page.drag
}

// Refusal is a request that the egress proxy or the engine refused.
type Refusal struct {
	Time   time.Time `json:"time"`
	Host   string    `json:"host"`
	URL    string    `json:"url,omitempty"`
	Reason string    `json:"reason"`
	Page   bool      `json:"page"`          // false for the browser's own background requests
	Top    bool      `json:"top,omitempty"` // the document of a tab, not of a frame, and no resource

	Document string `json:"document,omitempty"` // address of the page, frame or worker that made the request, if known
}

// Names of upstream proxies that are reserved, so that no configuration may use
// them.
const (
	DefaultProxy = "default" // the gateway's own, security.network.upstream_proxy
	DirectProxy  = "direct"  // none
)

// Network says what a session's browser may reach. The zero Network refuses
// everything.
type Network struct {
	Navigation   []string `json:"navigation,omitempty"`   // hosts and "*." patterns documents may come from
	Subresources string   `json:"subresources,omitempty"` // same-site, listed or any-public
	Listed       []string `json:"listed,omitempty"`       // hosts subresources may come from
	Granted      []string `json:"granted,omitempty"`      // hosts subresources may come from whatever Subresources says: a person allowed them
	AllowPrivate []string `json:"allowPrivate,omitempty"` // host:port that may resolve to private addresses
	Ports        []int    `json:"ports,omitempty"`        // destination ports; 80 and 443 when empty
	Proxy        string   `json:"proxy,omitempty"`        // name of the upstream proxy for public addresses; DirectProxy for none; the gateway's when empty
}
