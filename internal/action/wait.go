package action

import "net/http"

// The verbs of this file.
var (
	VerbPageWaitFor = Define[WaitFor, Waited](Verb{Name: "page.wait_for", Class: Read, Risk: Low, Method: http.MethodPost, Path: "/browser/wait", Tool: "browser_wait_for", Command: "wait", Summary: "Wait for an element, a text, a URL or a quiet network"})
)

// WaitFor waits for a condition; by default until the element body is attached.
// A time-out is an answer and not a fault.
type WaitFor struct {
	Locator
	State       string `json:"state,omitempty" enum:"attached,detached,visible,hidden" default:"attached" doc:"attached when empty" example:"visible"`
	TextGone    string `json:"textGone,omitempty" maxLength:"1024" doc:"Until no one can read this text"`
	URL         string `json:"url,omitempty" maxLength:"8192" doc:"Until the page's URL contains this"`
	NetworkIdle bool   `json:"networkidle,omitempty" doc:"Until no request has been under way for half a second"`
	Timeout     *int   `json:"timeout,omitempty" minimum:"0" maximum:"120000" default:"5000" doc:"Milliseconds; 5000 when absent"`
}

// Sound refuses a point, because points always exist, and a state without an
// element if there is another condition.
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

// Absence reports whether w waits until something is absent.
func (w *WaitFor) Absence() bool {
	return w.TextGone != "" || w.State == "detached" || w.State == "hidden"
}

// Waited says whether the condition was met.
type Waited struct {
	Found bool `json:"found"`
}
