package fault_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestRetryableFollowsTheCodeAndItsDetails(t *testing.T) {
	for name, tt := range map[string]struct {
		f    *fault.Fault
		want bool
	}{
		"a page that changed":        {fault.New(fault.PageChanged, ""), true},
		"the same, for good":         {fault.New(fault.PageChanged, "").Final(), false},
		"a limit that says when":     {fault.New(fault.LimitReached, "").With(fault.WaitKey, 7), true},
		"a limit that does not":      {fault.New(fault.LimitReached, ""), false},
		"a paused session":           {fault.New(fault.SessionPaused, ""), false},
		"a page that crashed":        {fault.New(fault.PageCrashed, ""), false},
		"a question nobody answered": {fault.New(fault.ApprovalTimeout, ""), false},
		"a hint keeps it":            {fault.New(fault.PageChanged, "").Final().Hinted("look").With("a", 1), false},
	} {
		if got := tt.f.Retryable(); got != tt.want {
			t.Errorf("%s: retryable %t", name, got)
		}
	}
}
