package action

import "time"

// Session is the record of a session.
type Session struct {
	ID       string     `json:"id"`
	Name     string     `json:"name,omitempty"`
	Scope    string     `json:"scope"`
	Actor    string     `json:"actor"`
	Provider string     `json:"provider"`
	State    string     `json:"state"`            // starting, open, paused, taken_over, closing, closed, failed, archived
	Frozen   bool       `json:"frozen,omitempty"` // its box stands still because nobody uses it; the next call wakes it up
	Box      string     `json:"box,omitempty"`
	Created  time.Time  `json:"created"`
	LastUsed time.Time  `json:"lastUsed"`
	Closed   *time.Time `json:"closed,omitempty"`
	Reason   string     `json:"reason,omitempty"` // why it was closed, or failed
	Hold     *Hold      `json:"hold,omitempty"`   // while it is paused or taken over
	Actions  int        `json:"actions"`
	Width    int        `json:"width"`
	Height   int        `json:"height"`
	DPI      int        `json:"dpi"`
	Headless bool       `json:"headless"`
	Allow    []string   `json:"allow"`             // hosts documents may come from
	Egress   string     `json:"egress,omitempty"`  // of an open session's box: sealed, or best-effort where it may have ways past the egress door
	Profile  string     `json:"profile,omitempty"` // id of the profile it uses
	Proxy    string     `json:"proxy,omitempty"`   // name of the upstream proxy it goes out by; empty for the gateway's
	Page     *Page      `json:"page,omitempty"`
	Emulate  *Emulation `json:"emulate,omitempty"` // what pages are told of the person, the place and the device
	Timeout  int        `json:"timeout,omitempty"` // milliseconds without a call after which it is closed, where it asked for less than the gateway's
	Effects  string     `json:"effects,omitempty"` // how requests that may change something are treated: asked, none or free

	Credentialed []string `json:"credentialed,omitempty"` // domains whose credentials were put into it
}

// SessionListing is a list of sessions, newest first.
type SessionListing struct {
	Sessions []Session `json:"sessions"`
}

// Navigated says where a navigation ended.
type Navigated struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Status int    `json:"status"` // HTTP status of the document; 0 for about:blank

	Download string    `json:"download,omitempty"` // id of the download that came instead of a document
	Document *Document `json:"document,omitempty"` // what it is, where it is no page of HTML
	Loading  bool      `json:"loading,omitempty"`  // the page still draws, or waits for what it shows: read it again later
}

// Acted says what was done, and to what.
type Acted struct {
	OK       bool     `json:"ok"`
	Element  *Element `json:"element,omitempty"`
	Matches  int      `json:"matches,omitempty"`  // elements the locator matched
	Selected []string `json:"selected,omitempty"` // values selected by page.select
	Labels   []string `json:"labels,omitempty"`   // what people read of those
	NewPage  bool     `json:"newPage,omitempty"`  // the call made the page navigate
}

// Scrolled says where the scroll ended.
type Scrolled struct {
	OK bool    `json:"ok"`
	X  float64 `json:"x"` // scroll position in CSS pixels
	Y  float64 `json:"y"`
}

// Waited says whether what was waited for came.
type Waited struct {
	Found bool `json:"found"`
}

// Extracted is text read from the page.
type Extracted struct {
	Mode  string `json:"mode"`
	Text  string `json:"text"`
	URL   string `json:"url"`
	Title string `json:"title"`

	Document *Document `json:"document,omitempty"` // what it is, where it is no page of HTML
	Paged
}

// Screenshot is pixels.
type Screenshot struct {
	Format string `json:"format"`
	Width  int    `json:"width"` // pixels
	Height int    `json:"height"`
	Cut    bool   `json:"cut,omitempty"` // a part of what was asked for is not on it: it was too large, or what it scrolls in hides it
	Bytes  []byte `json:"bytes"`
}

// Cookie is a cookie of the session's browser.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"` // with a leading dot: its sub-domains too
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // seconds since 1970; -1 ends with the session
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite"` // Strict, Lax, None; empty where the site said nothing
}

// CookieListing is a list of cookies, by domain, path and name.
type CookieListing struct {
	Cookies []Cookie `json:"cookies"`
}

// CookiesSet says that every cookie was set.
type CookiesSet struct {
	OK bool `json:"ok"`
}

// CookiesDeleted says how many cookies were deleted.
type CookiesDeleted struct {
	OK      bool `json:"ok"`
	Deleted int  `json:"deleted"`
}

// ArtifactListing is a list of artifacts, newest first.
type ArtifactListing struct {
	Artifacts []Artifact `json:"artifacts"`
}

// File is an artifact with its content.
type File struct {
	Artifact
	Bytes []byte `json:"bytes"`
}

// Question is an approval asked of a person.
type Question struct {
	ID         string     `json:"id"`
	State      string     `json:"state" example:"pending"` // pending, approved, denied, expired, used
	Session    string     `json:"session"`
	Scope      string     `json:"scope"`
	Actor      string     `json:"actor"`
	Verb       string     `json:"verb"`
	Risk       Risk       `json:"risk"`
	Rule       string     `json:"rule"` // the rule that asks
	Why        string     `json:"why"`  // why it is asked, for people
	Element    *Element   `json:"element,omitempty"`
	Page       Page       `json:"page"`
	Input      string     `json:"input,omitempty"`      // typed text, redacted
	Request    *Held      `json:"request,omitempty"`    // the request that would leave the browser, where that is asked about
	Within     string     `json:"within,omitempty"`     // labels, headings and short texts around the element, which tell it from others like it
	Screenshot string     `json:"screenshot,omitempty"` // artifact id of a picture with the element outlined; operators alone may fetch it
	Asked      time.Time  `json:"asked"`
	Expires    time.Time  `json:"expires"`
	Answered   *time.Time `json:"answered,omitempty"`
	AnsweredBy string     `json:"answeredBy,omitempty"`
	Reason     string     `json:"reason,omitempty"`
}

// QuestionListing is a list of questions, oldest first.
type QuestionListing struct {
	Questions []Question `json:"questions"`
}

// Record is one line of the audit trail; docs/audit.md says what stands in it.
type Record struct {
	Seq           int64     `json:"seq" jsonschema:"place in the trail, from 1, without gaps"`
	EventType     string    `json:"event_type" jsonschema:"intent and outcome of a call, or what else happened"`
	CorrelationID string    `json:"correlation_id" jsonschema:"the same in intent, outcome, log, trace and the answer's X-Request-Id"`
	Timestamp     time.Time `json:"timestamp" jsonschema:"UTC, microseconds"`
	Actor         string    `json:"actor,omitempty" jsonschema:"whose token it was; absent for strangers and for the gateway itself"`
	Role          Role      `json:"role,omitempty" jsonschema:"agent, viewer or operator"`
	Scope         string    `json:"scope,omitempty" jsonschema:"the user or tenant that the caller acts for"`
	SessionID     string    `json:"session_id,omitempty"`
	ContainerID   string    `json:"container_id,omitempty" jsonschema:"the box"`
	Action        string    `json:"action,omitempty" jsonschema:"the verb, such as page.click"`
	Surface       string    `json:"surface,omitempty" jsonschema:"rest, mcp or cli"`
	URL           string    `json:"url,omitempty" jsonschema:"of the page, token-like parameters masked"`
	Domain        string    `json:"domain,omitempty" jsonschema:"host of target_url, or else of url"`
	TargetURL     string    `json:"target_url,omitempty" jsonschema:"where it would lead, masked likewise"`
	TargetElement string    `json:"target_element,omitempty" jsonschema:"role, name and ref as the page has them, or what the caller said"`
	InputValue    string    `json:"input_value,omitempty" jsonschema:"what was typed or chosen, redacted"`
	Result        string    `json:"result,omitempty" jsonschema:"of an outcome: ok, fault, pending, cancelled or lost; of a session its state"`
	Error         string    `json:"error,omitempty" jsonschema:"fault code and message"`
	Risk          string    `json:"risk,omitempty" jsonschema:"LOW, MEDIUM, HIGH or CRITICAL"`
	Rule          string    `json:"rule,omitempty" jsonschema:"the rule of the policy that decided"`
	HITLDecision  string    `json:"hitl_decision,omitempty" jsonschema:"what people had to do with it: auto_approved, operator, approved, denied, expired or pending"`
	AnsweredBy    string    `json:"answered_by,omitempty" jsonschema:"who answered the question"`
	Screenshot    string    `json:"screenshot_path,omitempty" jsonschema:"id of the artifact"`
	UserAgent     string    `json:"user_agent,omitempty" jsonschema:"what the client says it is"`
	DurationMS    int64     `json:"duration_ms,omitempty" jsonschema:"of the whole call, a person's answer included"`
	ApprovalID    string    `json:"approval_id,omitempty" jsonschema:"of the question it is about"`
	Detail        string    `json:"detail,omitempty"`
	Hash          string    `json:"hash" jsonschema:"SHA-256 over the hash of the record before, as 32 bytes, and this record without its hash; hex"`
}

// AuditVerdict is what verification found.
type AuditVerdict struct {
	OK          bool   `json:"ok"`
	Records     int64  `json:"records" doc:"How many were verified"`
	First       int64  `json:"first,omitempty" doc:"Number of the oldest record there is; above 1 where retention has removed some"`
	Head        string `json:"head" doc:"Hash of the newest record"`
	Checkpoints int64  `json:"checkpoints,omitempty" doc:"Signed checkpoints that the trail holds"`
	Signed      int64  `json:"signed,omitempty" doc:"Number of the newest record that a checkpoint is of"`
	Key         string `json:"key,omitempty" doc:"Id of the key that signed"`
	Broken      int64  `json:"broken,omitempty" doc:"Number of the record where the trail is not right any more"`
	Problem     string `json:"problem,omitempty" doc:"What is wrong there"`
}
