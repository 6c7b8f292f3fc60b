package action

import (
	"cmp"
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbSessionPause        = Define[Hands, Session](Verb{Name: "session.pause", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/pause", Command: "session pause", Summary: "Pause a session: its agents wait until a person resumes it"})
	VerbSessionResume       = Define[HandBack, Session](Verb{Name: "session.resume", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/resume", Command: "session resume", Summary: "Resume a paused session, with a note for its agent"})
	VerbSessionTake         = Define[Hands, Session](Verb{Name: "session.take", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/take", Command: "session take", Summary: "Take a session over: you act in it, its agents wait"})
	VerbSessionHandBack     = Define[HandBack, Session](Verb{Name: "session.hand_back", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/hand-back", Command: "session hand-back", Summary: "Hand a session back to its agents, which are told what changed"})
	VerbSessionAllow        = Define[AllowHost, Session](Verb{Name: "session.allow", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/allow", Command: "session allow", Summary: "Add a host to what a session may reach, for as long as it lives"})
	VerbSessionRequestHuman = Define[HumanRequest, HumanRequested](Verb{Name: "session.request_human", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/sessions/{session}/request-human", Tool: "browser_request_human", Summary: "Ask for a person: pauses the session and waits until one hands it back"})
)

// GatewayActor is the actor in records of what the gateway does itself.
const GatewayActor = "glovebox"

// Hold says who prevents the agents of a session from acting, and why. The
// session's state says how: paused, or taken_over by a person who acts in it.
type Hold struct {
	By    string    `json:"by" doc:"Actor; glovebox where the gateway paused it by itself"`
	Code  string    `json:"code" doc:"operator, help_wanted, failures, or the code of the fault that paused it" example:"operator"`
	Why   string    `json:"why"`
	Since time.Time `json:"since"`
}

// Codes of a hold. A hold that the gate requested has the code of its fault.
const (
	ByOperator = "operator"    // a person did it
	HelpWanted = "help_wanted" // the agent asked for a person
	HolderGone = "holder_gone" // the person who took it over closed the live view and did not come back
	Failures   = "failures"    // too many calls in a row failed
)

// Hands says why a person pauses a session or takes it over.
type Hands struct {
	Reason string `json:"reason,omitempty" maxLength:"500" doc:"Why; its agents are told" example:"looking at the form"`
}

// HandBack ends a hold.
type HandBack struct {
	Note string `json:"note,omitempty" maxLength:"500" doc:"What the agent is told" example:"I signed in for you"`
}

// HumanRequest asks for a person.
type HumanRequest struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"What you need a person for; they read it" example:"the site asks for a code from the phone"`
}

// States of a request for a person.
const (
	StillHeld  = "pending"     // the session was not handed back yet
	HandedBack = "handed_back" // the agent may act again
)

// HumanRequested is the state of a request for a person.
type HumanRequested struct {
	State string `json:"state" example:"handed_back"` // pending, handed_back
	Hold  *Hold  `json:"hold,omitempty"`              // who has the session, while it is pending
}

// AllowHost adds a host to those that a session may reach, until the session
// ends.
type AllowHost struct {
	Host string `json:"host" minLength:"1" maxLength:"260" doc:"A host, *. and a host for its sub-domains, or host:port for what may be a private address" example:"docs.example.com"`
	For  string `json:"for,omitempty" enum:"page,resource" default:"page" doc:"page: documents may come from there; resource: only what documents load"`
}

// Resource reports whether the host may be used only for resources that
// documents load.
func (a AllowHost) Resource() bool { return a.For == "resource" }

// Recorded is the reason.
func (a *Hands) Recorded() string { return a.Reason }

// Recorded is the note for the agent.
func (a *HandBack) Recorded() string { return a.Note }

// Recorded is the host and its permitted use.
func (a *AllowHost) Recorded() string { return cmp.Or(a.For, "page") + " " + a.Host }

// Recorded is the reason.
func (a *HumanRequest) Recorded() string { return a.Reason }
