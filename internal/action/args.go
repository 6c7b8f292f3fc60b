package action

import "time"

// Locator says which element is meant: by one of ref, selector, role, text, or
// x and y. Check refuses more than one of them. Name narrows role, selector and
// text; index chooses among what they match.
type Locator struct {
	Ref      string `json:"ref,omitempty" maxLength:"32" doc:"Reference from a snapshot: e12, @e12 or ref=e12" example:"e12"`
	Selector string `json:"selector,omitempty" maxLength:"4096" doc:"CSS selector; pierces open shadow roots" example:"#save"`
	Role     string `json:"role,omitempty" maxLength:"64" doc:"ARIA role" example:"button"`
	Name     string `json:"name,omitempty" maxLength:"1024" doc:"Accessible name, with role: equal, or else contained" example:"Save"`
	Index    *int   `json:"index,omitempty" minimum:"0" doc:"Which of several matches, from 0"`
	Text     string `json:"text,omitempty" maxLength:"1024" doc:"Visible text: equal, or else contained"`
	Strict   bool   `json:"strict,omitempty" doc:"Refuse when more than one element that can be seen matches"`

	X *float64 `json:"x,omitempty" minimum:"0" maximum:"16384" doc:"What receives this point of the viewport; CSS pixels from its left, with y"`
	Y *float64 `json:"y,omitempty" minimum:"0" maximum:"16384" doc:"CSS pixels from its top"`
}

// whole refuses a second way of naming the element: only one of them counts.
func (l *Locator) whole() error {
	var given []string
	for _, way := range []struct {
		name string
		is   bool
	}{{"ref", l.Ref != ""}, {"selector", l.Selector != ""}, {"role", l.Role != ""}, {"text", l.Text != ""}, {"x", l.X != nil || l.Y != nil}} {
		if way.is {
			given = append(given, way.name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return invalid(given[1], "is given with "+given[0]+": each names the element").Hinted("give one of them")
}

// Zero reports whether l names nothing.
func (l Locator) Zero() bool {
	return l.words() && l.X == nil && l.Y == nil
}

// words reports whether l names nothing in words.
func (l Locator) words() bool {
	return l.Ref == "" && l.Selector == "" && l.Role == "" && l.Text == ""
}

// Point returns the point of the viewport that l names, in CSS pixels; named
// is false where it names an element in words, or nothing.
func (l Locator) Point() (x, y float64, named bool) {
	if !l.words() || l.X == nil || l.Y == nil {
		return 0, 0, false
	}
	return *l.X, *l.Y, true
}

// Timing bounds a verb.
type Timing struct {
	Timeout int `json:"timeout,omitempty" minimum:"0" maximum:"120000" doc:"Longest time to wait, in milliseconds; 0 is the default"`
}

// Limit returns the bound as a duration; fallback where none was given.
func (t Timing) Limit(fallback time.Duration) time.Duration {
	if t.Timeout <= 0 {
		return fallback
	}
	return min(time.Duration(t.Timeout)*time.Millisecond, 120*time.Second) // clamp: SPEC section 11
}

// None is for verbs without arguments.
type None struct{}

// ByID names one thing.
type ByID struct {
	ID string `json:"id" path:"id" maxLength:"64"`
}

// SessionStart asks for a session.
type SessionStart struct {
	Name        string     `json:"name,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$" doc:"A name to address it by, unique among the scope's open sessions" example:"invoices"`
	Provider    string     `json:"provider,omitempty" doc:"sandbox (default)"`
	URL         string     `json:"url,omitempty" maxLength:"8192" doc:"Navigate there first"`
	Width       int        `json:"width,omitempty" minimum:"0" maximum:"3840" default:"1280" doc:"CSS pixels; 1280 when 0"`
	Height      int        `json:"height,omitempty" minimum:"0" maximum:"2160" default:"720" doc:"CSS pixels; 720 when 0"`
	DPI         int        `json:"dpi,omitempty" minimum:"0" maximum:"384" default:"96" doc:"96 when 0"`
	Headless    bool       `json:"headless,omitempty" doc:"No display: no live view"`
	Timeout     int        `json:"timeout,omitempty" minimum:"0" maximum:"86400000" doc:"Milliseconds without a call after which the session is closed: at most the gateway's security.session_timeout, which counts when 0"`
	Profile     string     `json:"profile,omitempty" maxLength:"64" doc:"Saved user data to use, by id or name; operators only"`
	Credentials []string   `json:"credentials,omitempty" maxItems:"50" doc:"Domains whose stored credentials the session gets when it goes there, also with security.credentials.auto_inject off; an agent names only such as the session may open" example:"[\"example.com\"]"`
	Proxy       string     `json:"proxy,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$" doc:"Name of a configured upstream proxy (security.network.upstream_proxies) that the session goes out by; its scope's, or else the gateway's, when empty. default is the gateway's, which agents whose scope has a proxy cannot name; direct is none, for operators" example:"paris"`
	Emulate     *Emulation `json:"emulate,omitempty" doc:"Language, time zone, place and device that pages are told of"`
	Effects     string     `json:"effects,omitempty" enum:"asked,none,free" doc:"How requests that may change something are treated: asked (judged, and people are asked), none (nothing but reading leaves), free (for operators' test hosts); security.effects.default when empty. An agent can only choose the stricter"`
	Allow       []string   `json:"allow,omitempty" maxItems:"200" doc:"Hosts documents may come from; for an agent only such as the gateway's configuration allows" example:"[\"*.example.com\"]"`
}

// SessionList filters sessions.
type SessionList struct {
	IncludeArchived bool `json:"include_archived,omitempty" query:"include_archived"`
}

// Goto navigates.
type Goto struct {
	URL       string `json:"url" maxLength:"8192" doc:"http, https or about:blank; https when there is no scheme" example:"https://example.com/"`
	WaitUntil string `json:"waitUntil,omitempty" enum:"load,domcontentloaded,networkidle" default:"load" doc:"load when empty"`
	// DomainHint is needed where security.credentials.auto_inject is off.
	DomainHint string `json:"domain_hint,omitempty" maxLength:"253" doc:"Domain whose stored credentials the session gets before it goes there; an agent names only such as the session may open" example:"example.com"`
	Timing
}

// Reload reloads.
type Reload struct {
	IgnoreCache bool `json:"ignoreCache,omitempty" example:"true"`
	Timing
}

// Click clicks.
type Click struct {
	Locator
	Button     string   `json:"button,omitempty" enum:"left,right,middle" default:"left" doc:"left when empty"`
	ClickCount int      `json:"clickCount,omitempty" minimum:"0" maximum:"3" default:"1" doc:"1 when 0; 2 is a double click"`
	Modifiers  []string `json:"modifiers,omitempty" maxItems:"4" doc:"Alt, Control, Meta, Shift"`
	Checked    *bool    `json:"checked,omitempty" doc:"Only make it so: a checkbox, radio button or switch that is so already is left as it is"`
	Timing
}

// Type types.
type Type struct {
	Locator
	Input  string `json:"text" maxLength:"100000" doc:"The text to type" example:"Ada Lovelace"` // takes the place of Locator.Text
	Clear  bool   `json:"clear,omitempty" doc:"Empty the field first"`
	Submit bool   `json:"submit,omitempty" doc:"Press Enter afterwards"`
	Delay  int    `json:"delay,omitempty" minimum:"0" maximum:"1000" doc:"Milliseconds between keys"`
	Timing
}

// Press presses a key on an element, or where the focus is.
type Press struct {
	Locator
	Key string `json:"key" minLength:"1" maxLength:"64" doc:"A key as in KeyboardEvent.key, with modifiers joined by +" example:"Control+a"`
	Timing
}

// Select chooses options. A single Value is read as Values of one.
type Select struct {
	Locator
	Value  *string  `json:"value,omitempty" maxLength:"8192" doc:"Value or label of one option; values for several"`
	Values []string `json:"values,omitempty" minItems:"1" maxItems:"1000" doc:"Values or labels" example:"[\"Red\"]"`
	Timing
}

// settle leaves only Values, which is what is judged, recorded and done.
func (s *Select) settle() error {
	if s.Value == nil {
		return nil
	}
	if len(s.Values) > 0 {
		return invalid("value", "and values are both given").Hinted("give one of them")
	}
	s.Value, s.Values = nil, []string{*s.Value}
	return nil
}

// Hover moves the pointer.
type Hover struct {
	Locator
	Timing
}

// Scroll scrolls the viewport, or an element, or an element into view when no
// distance is given.
type Scroll struct {
	Locator
	X float64 `json:"x,omitempty" doc:"CSS pixels to the right"`
	Y float64 `json:"y,omitempty" doc:"CSS pixels down" example:"600"`

	AtX *float64 `json:"atX,omitempty" minimum:"0" maximum:"16384" doc:"Scroll what is at this point of the viewport; CSS pixels from its left, with atY"`
	AtY *float64 `json:"atY,omitempty" minimum:"0" maximum:"16384" doc:"CSS pixels from its top"`
	Timing
}

// What returns what is to be scrolled; x and y are taken for the distance.
func (s *Scroll) What() Locator {
	l := s.Locator
	l.X, l.Y = s.AtX, s.AtY
	return l
}

func (s *Scroll) whole() error {
	what := s.What()
	return what.whole()
}

// AnswerDialog answers a dialog.
type AnswerDialog struct {
	Accept bool   `json:"accept"`
	Prompt string `json:"text,omitempty" maxLength:"10000" doc:"Answer to a prompt"`
}

// WaitFor waits; by default for the selector body to be attached. A time-out
// is an answer, not a fault.
type WaitFor struct {
	Locator
	State       string `json:"state,omitempty" enum:"attached,detached,visible,hidden" default:"attached" doc:"attached when empty" example:"visible"`
	TextGone    string `json:"textGone,omitempty" maxLength:"1024"`
	URL         string `json:"url,omitempty" maxLength:"8192" doc:"Until the page's URL contains this"`
	NetworkIdle bool   `json:"networkidle,omitempty"`
	Timeout     *int   `json:"timeout,omitempty" minimum:"0" maximum:"120000" default:"5000" doc:"Milliseconds; 5000 when absent"`
}

// Extract reads the page.
type Extract struct {
	Mode string `json:"mode,omitempty" query:"mode" enum:"text,title" doc:"text when empty"`
	Paging
}

// TakeScreenshot asks for pixels.
type TakeScreenshot struct {
	Format   string `json:"format,omitempty" query:"format" enum:"png,jpeg,webp" default:"png" doc:"png when empty"`
	Quality  int    `json:"quality,omitempty" query:"quality" minimum:"0" maximum:"100" doc:"Of jpeg and webp; 80 when 0"`
	FullPage bool   `json:"fullPage,omitempty" query:"fullPage"`
	Selector string `json:"selector,omitempty" query:"selector" maxLength:"4096" doc:"Only this element"`
	Ref      string `json:"ref,omitempty" query:"ref" maxLength:"32" doc:"Only this element"`
	Labels   bool   `json:"labels,omitempty" query:"labels" doc:"Draw the reference of each element that can be acted on; png and jpeg only"`
}

// ApprovalList filters questions.
type ApprovalList struct {
	State string `json:"state,omitempty" query:"state" enum:"pending,approved,denied,expired,used,all" doc:"pending when empty"`
}

// Answer answers a question. CRITICAL wants a reason.
type Answer struct {
	ID         string `json:"id" path:"id" maxLength:"64"`
	Approve    bool   `json:"approve"`
	Reason     string `json:"reason,omitempty" maxLength:"1000" example:"the customer asked for it"`
	ForSession bool   `json:"forSession,omitempty" doc:"Cover later calls of this kind in the session; MEDIUM, or page.fill_secret"`
}

// CookieList filters cookies.
type CookieList struct {
	URL string `json:"url,omitempty" query:"url" maxLength:"8192" doc:"Only cookies that a request to this address would carry; all of the session's when empty" example:"https://example.com/account"`
}

// CookieSet sets cookies.
type CookieSet struct {
	Cookies []NewCookie `json:"cookies" minItems:"1" maxItems:"200" doc:"The cookies; one that is there already is replaced"`
}

// NewCookie is a cookie to set. A listed Cookie can be set again as it is.
type NewCookie struct {
	Name     string   `json:"name" maxLength:"1024" doc:"Without =, ; and white space" example:"theme"`
	Value    *string  `json:"value" maxLength:"4096" doc:"Without ; and control characters; with the name 4096 bytes at most" example:"dark"`
	Domain   string   `json:"domain,omitempty" maxLength:"255" doc:"Host it is sent to; with a leading dot its sub-domains too; the page's host when empty" example:".example.com"`
	Path     string   `json:"path,omitempty" maxLength:"1024" doc:"/ when empty"`
	Expires  *float64 `json:"expires,omitempty" minimum:"-1" maximum:"253402300799" doc:"Seconds since 1970; ends with the session when absent or -1"`
	HTTPOnly bool     `json:"httpOnly,omitempty" doc:"Hide it from scripts"`
	Secure   bool     `json:"secure,omitempty" doc:"Send it over TLS only"`
	SameSite string   `json:"sameSite,omitempty" enum:"Strict,Lax,None" doc:"The browser's default when empty; None needs secure"`
}

// CookieDelete chooses cookies to delete; all of the session's when it says
// nothing.
type CookieDelete struct {
	Name   *string `json:"name,omitempty" query:"name" minLength:"1" maxLength:"1024" doc:"Only cookies of this name"`
	Domain *string `json:"domain,omitempty" query:"domain" minLength:"1" maxLength:"255" doc:"Only cookies of this domain and its sub-domains" example:"example.com"`
}
