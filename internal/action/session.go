package action

import (
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbSessionStart   = Define[SessionStart, Session](Verb{Name: "session.start", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/sessions", Tool: "browser_session", Command: "session start", Summary: "Start a session: one browser in a box of its own"})
	VerbSessionList    = Define[SessionList, SessionListing](Verb{Name: "session.list", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/sessions", Tool: "browser_session", Command: "session list", Summary: "List the scope's sessions, newest first"})
	VerbSessionShow    = Define[None, Session](Verb{Name: "session.show", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/sessions/{session}", Command: "session show", Summary: "Show a session"})
	VerbSessionClose   = Define[None, Session](Verb{Name: "session.close", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/close", Tool: "browser_close", Command: "session close", Summary: "Close a session: ends its box, keeps its record and artifacts"})
	VerbSessionArchive = Define[None, Session](Verb{Name: "session.archive", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/archive", Command: "session archive", Summary: "Archive a session: closes it first if open, and hides it"})
)

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
	IncludeArchived bool `json:"include_archived,omitempty" query:"include_archived" doc:"Archived ones too"`
}

// Session is the record of a session.
type Session struct {
	ID       string     `json:"id"`
	Name     string     `json:"name,omitempty"`
	Scope    string     `json:"scope"`
	Actor    string     `json:"actor"`
	Provider string     `json:"provider"`
	State    string     `json:"state"`            // starting, open, paused, taken_over, closing, closed, failed, archived
	Frozen   bool       `json:"frozen,omitempty"` // its box is frozen because nobody uses it; the next call thaws it
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
	Egress   string     `json:"egress,omitempty"`  // of an open session's box: sealed, or best-effort if the box may be able to bypass the egress proxy
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

// OpensProfile reports whether the session uses saved user data.
func (s *SessionStart) OpensProfile() bool { return s.Profile != "" }

// Destination is the first page of the session.
func (a *SessionStart) Destination() string { return a.URL }

// Subject is the profile that the session uses.
func (a *SessionStart) Subject() string { return profileSubject(a.Profile) }
