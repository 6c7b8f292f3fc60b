package action

import "net/http"

// The verbs of this file.
var (
	VerbPageWaitFor = Define[WaitFor, Waited](Verb{Name: "page.wait_for", Class: Read, Risk: Low, Method: http.MethodPost, Path: "/browser/wait", Tool: "browser_wait_for", Command: "wait", Summary: "Wait for an element, a text, a URL or a quiet network"})
)

// WaitFor waits; by default for the selector body to be attached. A time-out
// is an answer, not a fault.
type WaitFor struct {
	Locator
	State       string `json:"state,omitempty" enum:"attached,detached,visible,hidden" default:"attached" doc:"attached when empty" example:"visible"`
	TextGone    string `json:"textGone,omitempty" maxLength:"1024" doc:"Until no one can read this text"`
	URL         string `json:"url,omitempty" maxLength:"8192" doc:"Until the page's URL contains this"`
	NetworkIdle bool   `json:"networkidle,omitempty" doc:"Until no request has been under way for half a second"`
	Timeout     *int   `json:"timeout,omitempty" minimum:"0" maximum:"120000" default:"5000" doc:"Milliseconds; 5000 when absent"`
}

// Sound refuses a point, which is always there, and the state of an element that is
// not named beside something else to wait for.
func (w *WaitFor) Sound() error {
	if w.words() && (w.X != nil || w.Y != nil) {
		return invalid("x", "is no element: a point of the viewport is nothing to wait for").
			Hinted("give a ref, a selector, a role with a name, or a text")
	}
	if err := w.Locator.Sound(); err != nil {
		return err
	}
	if w.Zero() && (w.TextGone != "" || w.URL != "" || w.NetworkIdle) {
		return Without(w, "a wait for no element", "state")
	}
	return nil
}

// Absence reports whether w waits for something to be away.
func (w *WaitFor) Absence() bool {
	return w.TextGone != "" || w.State == "detached" || w.State == "hidden"
}

// Waited says whether what was waited for came.
type Waited struct {
	Found bool `json:"found"`
}
