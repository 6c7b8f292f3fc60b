package rest

import (
	"net/http"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// waitTime returns how long a call waits for a person's answer, or for the end
// of a run. A call waits for the end of a run only if the caller asked for it.
func waitTime(r *http.Request, v *action.Verb) time.Duration {
	if v.Name == action.VerbRunStart.Name && len(r.Header.Values("Prefer")) == 0 {
		if wantsEvents(r, v.Name) {
			return 0 // until its end
		}
		return time.Millisecond
	}
	return preferredWait(r)
}

// answerRun writes a run. If it was started by this call and has not ended, the
// status is 202 with the address of the run.
func answerRun(w http.ResponseWriter, r *http.Request, v *action.Verb, run *action.Run) {
	status := http.StatusOK
	if v.Name == action.VerbRunStart.Name && run.State != action.RunEnded && plainToken.MatchString(run.ID) {
		status = http.StatusAccepted
		w.Header().Set("Location", "/v1/runs/"+run.ID)
	}
	writeJSON(w, r, status, run)
}

// stateOf returns the state of a run without what earlier events contained.
func stateOf(run action.Run) map[string]any {
	state := map[string]any{"run_id": run.ID, "state": run.State}
	for name, text := range map[string]string{"session_id": run.Session, "waits_for": run.WaitsFor} {
		if text != "" {
			state[name] = text
		}
	}
	if run.Reason != nil {
		state["reason"] = run.Reason
	}
	return state
}
