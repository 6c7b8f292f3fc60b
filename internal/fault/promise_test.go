package fault_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// promised are the HTTP statuses that programs depend on. A code or its status
// can change only with a new version of the interface.
var promised = map[int][]fault.Code{
	http.StatusBadRequest:          {"invalid_request", "invalid_selector", "invalid_url", "missing_url", "missing_selector", "unknown_action"},
	http.StatusUnauthorized:        {"unauthenticated"},
	http.StatusForbidden:           {"denied_by_policy", "blocked_domain", "approval_denied", "approval_timeout", "credential_detected"},
	http.StatusNotFound:            {"not_found", "session_not_found", "stale_ref"},
	http.StatusConflict:            {"not_active", "already_active", "page_changed", "page_crashed", "not_actionable", "ambiguous", "dialog_open", "session_paused", "provider_not_supported", "invalid_provider"},
	http.StatusFailedDependency:    {"install_required"},
	http.StatusTooManyRequests:     {"limit_reached"},
	http.StatusInternalServerError: {"start_failed", "internal", "redaction_failed"},
	http.StatusBadGateway:          {"cdp_error", "navigation_failed"},
	http.StatusServiceUnavailable:  {"sandbox_runtime_required", "sandbox_weak", "browser_disabled", "audit_unavailable", "credentials_unavailable"},
	http.StatusGatewayTimeout:      {"browser_action_timeout"},
}

// later are codes that are planned but do not exist yet, with the feature that
// adds them.
var later = map[fault.Code]string{
	"desktop_conflict": "desktop mode",
	"browser_conflict": "desktop mode",
}

func TestPromisedCodesAndStatusesAreKept(t *testing.T) {
	all := fault.Codes()
	for status, codes := range promised {
		for _, code := range codes {
			if !slices.Contains(all, code) {
				t.Errorf("the code %s is gone", code)
			} else if got := code.Info().Status; got != status {
				t.Errorf("%s has the status %d, want %d", code, got, status)
			}
			all = slices.DeleteFunc(all, func(c fault.Code) bool { return c == code })
		}
	}
	for _, code := range all {
		if _, planned := later[code]; planned {
			t.Errorf("%s exists now: move it from later to promised", code)
		} else {
			t.Errorf("%s is not promised: add it", code)
		}
	}
}
