package mcp

import (
	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// nextSteps say what to do after a fault without a hint of its own. They name
// tools that every client has, or what a person must do.
var nextSteps = map[fault.Code]string{
	fault.InvalidRequest:         "correct the arguments, and call again",
	fault.InvalidSelector:        "use a ref that browser_snapshot shows",
	fault.InvalidURL:             "call browser_navigate with an http or https URL",
	fault.MissingURL:             "call browser_navigate with a URL",
	fault.MissingSelector:        "name an element by a ref that browser_snapshot shows",
	fault.UnknownAction:          "use a tool of the list",
	fault.Unauthenticated:        "tell your user: a person must give you a token that is valid",
	fault.DeniedByPolicy:         "do not try it again; tell your user, or call browser_request_human",
	fault.BlockedDomain:          "do not try it again; tell your user: a person must allow the host",
	fault.CredentialDetected:     "call browser_request_human: a person must look, and type it where it is needed",
	fault.ApprovalDenied:         "do not try it again; tell your user that a person denied it",
	fault.ApprovalTimeout:        "nobody answered, which denies it; tell your user, or make the call again when a person is there",
	fault.NotFound:               "call browser_snapshot and see what is there",
	fault.SessionNotFound:        "leave session out, or call browser_navigate to start one",
	fault.StaleRef:               "call browser_snapshot and use a ref that it shows",
	fault.Ambiguous:              "call the tool again with the ref of the one that you mean; the message lists them, browser_snapshot shows where they are",
	fault.NotActive:              "call browser_navigate to start a session",
	fault.AlreadyActive:          "wait for what is on its way, or use another name",
	fault.PageChanged:            "call browser_snapshot and look again before you act",
	fault.PageCrashed:            "call browser_navigate to load the page again",
	fault.NotActionable:          "call browser_snapshot; wait with browser_wait_for, or act on what covers it",
	fault.DialogOpen:             "answer it with browser_handle_dialog first",
	fault.SessionPaused:          "call browser_request_human and wait until a person hands the session back",
	fault.ProviderNotSupported:   "leave provider out",
	fault.InvalidProvider:        "leave provider out",
	fault.LimitReached:           "wait, or tell your user: a person can raise the limit",
	fault.StartFailed:            "tell your user: a person must run glovebox doctor",
	fault.SandboxWeak:            "tell your user: a person must run glovebox doctor",
	fault.AuditUnavailable:       "nothing was done; tell your user: a person must look at the gateway's disk",
	fault.CredentialsUnavailable: "tell your user: a person must look at the vault (glovebox vault check)",
	fault.RedactionFailed:        "read less of the page, with browser_snapshot and a ref",
	fault.Internal:               "try once more; then tell your user: a person must look into the gateway's log",
	fault.CDPError:               "call browser_snapshot; if that fails, browser_navigate",
	fault.NavigationFailed:       "check the URL, and call browser_navigate again later",
	fault.InstallRequired:        "tell your user: a person must run glovebox install",
	fault.SandboxRuntimeRequired: "do not try it again; tell your user: a person must run glovebox doctor",
	fault.BrowserDisabled:        "do not try it again; tell your user: a person must enable the browser",
	fault.ActionTimeout:          "call browser_snapshot and see how far it came; browser_wait_for waits longer",
}

// next says what to do after a fault, and names tools.
func next(f *fault.Fault) string {
	if f.Hint == "" {
		return nextSteps[f.Code]
	}
	return action.ForAgents(f.Hint)
}
