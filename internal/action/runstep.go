package action

import "strings"

// The verbs of this file.
var (
	VerbRunOpen  = Define[RunOpen, Session](Verb{Name: "run.open", Class: Write, Risk: Low, Inner: true, Summary: "Start the browser of a run"})
	VerbRunProbe = Define[RunProbe, RunChecks](Verb{Name: "run.probe", Class: Read, Risk: Low, Inner: true, Summary: "Find out whether what a run needs is there"})
	VerbRunGuide = Define[RunGuide, None](Verb{Name: "run.guide", Class: Write, Risk: High, Inner: true, Summary: "Ask people how a paused run shall go on"})
	VerbRunAllow = Define[RunAllow, Session](Verb{Name: "run.allow", Class: Write, Risk: High, Inner: true, Summary: "Ask people for a host that a run may not open"})
	VerbRunEnd   = Define[RunEnd, None](Verb{Name: "run.end", Class: Write, Risk: Low, Inner: true, Summary: "End the browser of a run"})
)

// RunOpen asks for the browser of a run; no surface offers it.
type RunOpen struct {
	Run   string   `json:"run" minLength:"1" maxLength:"64" doc:"Id of the run"`
	URL   string   `json:"url" minLength:"1" maxLength:"8192" doc:"An address"`
	Hosts []string `json:"hosts" minItems:"1" maxItems:"50" doc:"That documents may come from"`

	Effects string `json:"effects,omitempty" enum:"none" doc:"As run.start has it"`
}

// RunGrant is what the browser of a run would be permitted to do.
type RunGrant struct {
	Hosts   []string
	Unknown []string // of Hosts, those that nobody has approved
}

// RunProbe checks the requirements of a run; no surface offers it.
type RunProbe struct {
	Run string `json:"run" minLength:"1" maxLength:"64" doc:"Id of the run"`
	URL string `json:"url" minLength:"1" maxLength:"8192" doc:"An address"`
}

// RunChecks are the results of the checks.
type RunChecks struct {
	Checks []RunCheck `json:"checks"`
}

// RunCheck is the result of one check.
type RunCheck struct {
	Name   string `json:"name"` // of Capability.RequiredStatus
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// RunGuide asks people how a paused run should continue; no surface offers it.
// After an approval it continues unchanged.
type RunGuide struct {
	Run string `json:"run" minLength:"1" maxLength:"64" doc:"Id of the run"`
	Why string `json:"why" minLength:"1" maxLength:"2000" doc:"Why it is paused"`
}

// RunAllow asks people about a host that a run reached and may not open; no
// surface offers it. An approval adds the host to the run.
type RunAllow struct {
	Run string `json:"run" minLength:"1" maxLength:"64" doc:"Id of the run"`
	URL string `json:"url" minLength:"1" maxLength:"8192" doc:"An address"`
}

// RunEnd ends the browser of a run; no surface offers it.
type RunEnd struct {
	Run    string `json:"run" minLength:"1" maxLength:"64" doc:"Id of the run"`
	Status string `json:"status" minLength:"1" maxLength:"32" doc:"How it ended"`
	Reason string `json:"reason" minLength:"1" maxLength:"64" doc:"Why: a code"`
}

// Destination is where the run begins.
func (a *RunOpen) Destination() string { return a.URL }

// Destination is the address that the run may not open.
func (a *RunAllow) Destination() string { return a.URL }

// Recorded is the reason why the run needs guidance.
func (a *RunGuide) Recorded() string { return a.Why }

// Recorded lists the hosts of the run.
func (a *RunOpen) Recorded() string { return "hosts " + strings.Join(a.Hosts, ", ") }

// Recorded says how the run ended.
func (a *RunEnd) Recorded() string { return a.Run + " " + a.Status + ": " + a.Reason }
