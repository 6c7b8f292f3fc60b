package action

import (
	"fmt"
	"net/http"
	"time"
)

// The verbs of this file.
var (
	VerbRunStart  = Define[RunStart, Run](Verb{Name: "run.start", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/runs", Tool: "browser_run", Command: "run", Summary: "Run a batch of actions in a browser of its own, under a list of approved hosts"})
	VerbRunList   = Define[RunList, RunListing](Verb{Name: "run.list", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/runs", Command: "runs list", Summary: "List the scope's runs, newest first"})
	VerbRunShow   = Define[RunShow, Run](Verb{Name: "run.show", Class: Read, Risk: Low, Method: http.MethodGet, Path: "/runs/{id}", Tool: "browser_run", Command: "runs show", Summary: "Show a run and what it has done"})
	VerbRunCancel = Define[ByID, Run](Verb{Name: "run.cancel", Class: Write, Risk: Low, Method: http.MethodPost, Path: "/runs/{id}/cancel", Command: "runs cancel", Summary: "Cancel a run; what it has done is kept"})
	VerbRunResume = Define[RunResume, Run](Verb{Name: "run.resume", Class: Admin, Risk: Low, Method: http.MethodPost, Path: "/runs/{id}/resume", Command: "runs resume", Summary: "Have a paused run go on, with a person's guidance"})
)

// A contract run is a list of actions in a browser of its own, on hosts that a
// person has approved. It uses the names of the contract (docs/runs.md), which
// are in snake case.

// MostRunActions is the maximum number of actions of a run.
const MostRunActions = 100

// MostRunSteps is how many actions a run may do, including those from guidance
// and repeated ones. Its session has no other limit of actions.
const MostRunSteps = 1000

// RunTimeout is the default time for all actions of a run together, in
// milliseconds.
const RunTimeout = 30_000

// RunStart asks for a run.
type RunStart struct {
	URL             string      `json:"url" minLength:"1" maxLength:"8192" doc:"Where the run begins; its host must be in domain_allowlist" example:"https://example.com/"`
	Actions         []RunAction `json:"actions" minItems:"1" maxItems:"100" doc:"What to do there, in order" example:"[{\"type\": \"left_click\", \"role\": \"button\", \"name\": \"Save\"}]"`
	DomainAllowlist []string    `json:"domain_allowlist" minItems:"1" maxItems:"50" itemPattern:"^(\\*\\.)?[^*:/@\\s]+(:[0-9]{1,5})?$" doc:"Hosts that documents may come from, *.example.com for sub-domains; those that nobody has approved are asked about" example:"[\"example.com\"]"`
	Timeout         *int        `json:"timeout,omitempty" minimum:"1" maximum:"120000" default:"30000" doc:"Milliseconds for all actions together; 30000 when absent. Waiting for people does not count"`
	Effects         string      `json:"effects,omitempty" enum:"none" doc:"none: nothing but what reads may leave the run's browser; security.effects.default when empty"`
	ScreenshotDir   string      `json:"screenshot_dir,omitempty" maxLength:"256" default:"./test-results/screenshots/" doc:"Folder that the command line writes screenshots to, below the current one"`
	Archetype       string      `json:"archetype,omitempty" maxLength:"64" default:"Builder" doc:"Who asks; none but Builder may"`
	Phase           string      `json:"phase,omitempty" maxLength:"64" default:"Build" doc:"When; in no phase but Build"`
	Actor           string      `json:"actor,omitempty" maxLength:"128" doc:"Whom the run is for, for its record; who calls is known from the token" example:"checkout-tests"`
}

// Budget returns the time for all actions of the run together.
func (r *RunStart) Budget() time.Duration {
	if r.Timeout == nil {
		return RunTimeout * time.Millisecond
	}
	return time.Duration(*r.Timeout) * time.Millisecond
}

// RunAction is one action of a run. RunKinds says which fields belong to which
// type.
type RunAction struct {
	Type string `json:"type" minLength:"1" doc:"What to do"`
	Locator
	URL       string   `json:"url,omitempty" maxLength:"8192" doc:"Where to go; its host must be in domain_allowlist"`
	WaitUntil string   `json:"wait_until,omitempty" enum:"load,domcontentloaded,networkidle" doc:"load when absent"`
	Value     *string  `json:"value,omitempty" maxLength:"10000" doc:"Test data to type; takes the place of what is there"`
	Options   []string `json:"options,omitempty" maxItems:"100" doc:"Values or labels to choose in a list"`
	Append    *bool    `json:"append,omitempty" doc:"Type behind what is there"`
	Submit    *bool    `json:"submit,omitempty" doc:"Press Enter afterwards"`
	Amount    *float64 `json:"amount,omitempty" minimum:"1" maximum:"100000" doc:"CSS pixels; 600 when absent"`
	MS        *int     `json:"ms,omitempty" minimum:"0" maximum:"120000" doc:"Milliseconds to wait"`
	FullPage  *bool    `json:"full_page,omitempty" doc:"All of the page"`
	Timeout   *int     `json:"timeout,omitempty" minimum:"1" maximum:"120000" doc:"Longest time for this action, in milliseconds; 5000 when absent, for a navigation what the run has left"`
}

// The states of a run.
const (
	RunPending = "pending" // its browser starts, or a person is asked about its hosts
	RunRunning = "running"
	RunPaused  = "paused" // a person is asked for guidance
	RunEnded   = "ended"  // FinalStatus says how
)

// The final statuses of a run.
const (
	RunCompleted = "completed"      // every action was tried
	RunTimedOut  = "timeout"        // its time was over
	RunFailed    = "error"          // something ended it
	RunBlocked   = "blocked_domain" // it needed a host that it may not open
)

// Run is a run with its results so far.
type Run struct {
	ID          string          `json:"run_id"`
	Session     string          `json:"session_id,omitempty"`
	State       string          `json:"state" enum:"pending,running,paused,ended"`
	Log         []RunEntry      `json:"execution_log"` // in order: checks before the first action, actions, what people said
	Screenshots []RunScreenshot `json:"screenshots"`
	Content     RunContent      `json:"page_content"`                                                         // what read_page read last
	FinalStatus string          `json:"final_status,omitempty" enum:"completed,timeout,error,blocked_domain"` // of a run that has ended
	Reason      *RunReason      `json:"reason,omitempty"`                                                     // of that, or why it is paused
	WaitsFor    string          `json:"waits_for,omitempty" doc:"Id of the question that a person must answer"`
	Archetype   string          `json:"archetype"`
	Phase       string          `json:"phase"`
	Actor       string          `json:"actor"` // for whom it is done; by default the caller
	Created     time.Time       `json:"created"`
	Ended       *time.Time      `json:"ended,omitempty"`
}

// Failed is how many of a run's actions failed.
func (r *Run) Failed() int {
	n := 0
	for _, e := range r.Log {
		if !e.Success && e.Action != RunPauseEntry {
			n++
		}
	}
	return n
}

// Kinds of entries in a run's log besides actions and checks.
const (
	RunPauseEntry  = "pause"
	RunResumeEntry = "resume"
)

// RunEntry is one line of a run's log.
type RunEntry struct {
	Action    string    `json:"action"` // type of the action, name of the check, pause or resume
	Timestamp time.Time `json:"timestamp"`
	Success   bool      `json:"success"`
	Details   string    `json:"details"` // never what was typed
}

// RunScreenshot is a screenshot that a run took.
type RunScreenshot struct {
	Name      string    `json:"name"`
	Path      string    `json:"path"` // below the gateway's address; of the command line, the file
	Timestamp time.Time `json:"timestamp"`
}

// RunContent is the content of a page that read_page found.
type RunContent struct {
	Title    string           `json:"title"`
	URL      string           `json:"url"`
	Elements []RunInteractive `json:"interactive_elements"`
	Text     string           `json:"text_content"` // 100,000 bytes at most
}

// RunInteractive is an element that can be acted on.
type RunInteractive struct {
	Ref   string `json:"ref"`
	Role  string `json:"role"`
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

// RunReason says why a run ended, or paused.
type RunReason struct {
	Code    string `json:"code" example:"completed"` // a fault's code, or completed, actions_failed, timeout, cancelled, gateway_stopped, gateway_restarted, no_guidance, preflight_failed
	Message string `json:"message"`
}

// RunList filters runs.
type RunList struct {
	State string `json:"state,omitempty" query:"state" enum:"pending,running,paused,ended" doc:"Only runs in this state"`
	Limit int    `json:"limit,omitempty" query:"limit" minimum:"0" maximum:"500" doc:"The newest so many; 100 when 0"`
}

// RunListing is a list of runs, newest first, without the content of their
// pages.
type RunListing struct {
	Runs []Run `json:"runs"`
}

// RunShow names a run.
type RunShow struct {
	ID   string `json:"id" path:"id" minLength:"1" maxLength:"64" doc:"Of the run"`
	Wait int    `json:"wait,omitempty" query:"wait" minimum:"0" maximum:"60" doc:"Seconds to wait for its end before it is shown as it is"`
}

// RunResume continues a paused run.
type RunResume struct {
	ID       string      `json:"id" path:"id" minLength:"1" maxLength:"64" doc:"Of the run"`
	Guidance string      `json:"guidance" minLength:"1" maxLength:"2000" doc:"What a person says to it, for its log" example:"the button is called Save now"`
	Actions  []RunAction `json:"actions,omitempty" maxItems:"100" doc:"To be done in place of those that are left" example:"[{\"type\": \"left_click\", \"text\": \"Save now\"}]"`
}

// RunWatch receives the progress of a run. Its functions are called one at a
// time.
type RunWatch struct {
	Step  func(RunEntry) // each line of its log
	State func(Run)      // when the state, or the question it waits for, changes
}

// Destination is where the run begins.
func (a *RunStart) Destination() string { return a.URL }

// Recorded is the guidance.
func (a *RunResume) Recorded() string {
	return fmt.Sprintf("%s (%d actions in place of what was left)", a.Guidance, len(a.Actions))
}
